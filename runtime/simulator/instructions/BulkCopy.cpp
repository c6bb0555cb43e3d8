// cp.async.bulk, cp.reduce.async.bulk of consecutive bytes, and bulk groups (PTX ISA 9.7.9.25.4).
#include "runtime/simulator/async/BulkOperations.h"
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/instructions/Copies.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/memory/ReadObservation.h"

namespace mxc::sim {

namespace {

struct BulkOperands : InstructionData {
  Address to, from, barrier;
  uint32_t size = 0, ctaMask = kNone, byteMask = kNone; // rows
  bool isFromShared = false;
  BulkReduction reduction;
  std::string text; // "cp.async.bulk.shared::cluster.global"
};

const BulkOperands &operandsOf(const Instruction &i) { return static_cast<const BulkOperands &>(*i.data); }

std::string describe(const BulkOperands &operands, uint32_t bytes) {
  return operands.text + " of " + std::to_string(bytes) + " bytes";
}

/// Sizes and addresses are multiples of 16.
uint32_t sizeOf(Warp &warp, const BulkOperands &operands, int lane, uint64_t to, uint64_t from) {
  uint32_t bytes = lanes<uint32_t>(warp, operands.size)[lane];
  if (bytes % 16 && isChecked(warp))
    throw FaultError(FaultKind::Illegal,
                     "a bulk copy's size is a multiple of 16, found " + std::to_string(bytes), lane);
  if (to % 16 || from % 16)
    throw FaultError(FaultKind::Misaligned, "a bulk copy's addresses are multiples of 16", lane);
  return bytes & ~15u; // as an H200 does, whose mbarrier then waits for the rest forever
}

/// One copy into one CTA.
void issueToShared(Warp &warp, const Instruction &i, int lane, uint64_t from, uint32_t to, uint32_t bytes,
                   uint32_t barrier) {
  const BulkOperands &operands = operandsOf(i);
  if (rankOf(barrier) != rankOf(to))
    throw FaultError(FaultKind::BarrierMisuse,
                     "the mbarrier at " + sharedText(barrier) + " must be in the CTA of the destination, " +
                         sharedText(to),
                     lane);
  requirePublished(warp, barrier, true, lane);
  Cluster &cluster = clusterOf(warp);
  if (operands.isFromShared)
    requireAsyncSource(warp, uint32_t(from), bytes, lane);
  else
    requireGlobalOrder(warp, from, bytes, lane);
  requireAsyncDestination(warp, to, bytes, lane, bool(operands.reduction));
  if (isDeferred(warp)) {
    setMarks(cluster, to, bytes, kAsyncWrites);
    if (operands.isFromShared) holdReads(cluster, uint32_t(from), bytes);
  }
  auto operation = std::make_unique<BulkToShared>();
  operation->isFromShared = operands.isFromShared;
  operation->from = from, operation->to = to, operation->bytes = bytes, operation->barrier = barrier;
  operation->reduction = operands.reduction, operation->isHeld = operands.isFromShared && isDeferred(warp);
  cluster.async.issue(cluster, placed(warp, std::move(operation), i, describe(operands, bytes)));
}

Outcome copyToShared(Warp &warp, const Instruction &i) {
  const BulkOperands &operands = operandsOf(i);
  if (operands.isFromShared) requireExplicitCluster(warp, i);
  forEachLane(warp, [&](int lane) {
    uint64_t from = addressOf(warp, operands.from, lane);
    uint32_t to = sharedAddress(addressOf(warp, operands.to, lane));
    uint32_t barrier = sharedAddress(addressOf(warp, operands.barrier, lane));
    if (operands.isFromShared) from = sharedAddress(from);
    uint32_t bytes = sizeOf(warp, operands, lane, to, from);
    countBulk(warp, bytes, 0);
    if (bytes == 0) return; // allowed: nothing happens
    if (operands.ctaMask == kNone) return issueToShared(warp, i, lane, from, to, bytes, barrier);
    // The same place in every CTA of the mask, and its own mbarrier there.
    for (uint32_t mask = lanes<uint16_t>(warp, operands.ctaMask)[lane]; mask; mask &= mask - 1) {
      uint32_t rank = uint32_t(__builtin_ctz(mask));
      issueToShared(warp, i, lane, from, inCta(to, rank), bytes, inCta(barrier, rank));
    }
  });
  return Outcome::Next;
}

Outcome copyToGlobal(Warp &warp, const Instruction &i) {
  const BulkOperands &operands = operandsOf(i);
  Cluster &cluster = clusterOf(warp);
  forEachLane(warp, [&](int lane) {
    auto operation = std::make_unique<BulkToGlobal>();
    operation->from = sharedAddress(addressOf(warp, operands.from, lane));
    operation->to = addressOf(warp, operands.to, lane);
    operation->bytes = sizeOf(warp, operands, lane, operation->to, operation->from);
    operation->reduction = operands.reduction;
    if (operation->bytes == 0) return;
    if (operands.byteMask != kNone) operation->byteMask = lanes<uint16_t>(warp, operands.byteMask)[lane];
    countBulk(warp, 0, operation->bytes);
    requireAsyncSource(warp, operation->from, operation->bytes, lane);
    operation->isHeld = isDeferred(warp);
    if (operation->isHeld) holdReads(cluster, operation->from, operation->bytes);
    noteBulkRead(warp, operation->from, operation->bytes, lane);
    operation->pendingOfGroup = joinGroup(warp.asyncGroups.bulkReads, lane);
    operation->pendingWrites = joinGroup(warp.asyncGroups.bulk, lane);
    std::string text = describe(operands, operation->bytes);
    cluster.async.issue(cluster, placed(warp, std::move(operation), i, std::move(text)));
  });
  return Outcome::Next;
}

Outcome commit(Warp &warp, const Instruction &) {
  forEachLane(warp, [&](int lane) {
    commitGroup(clusterOf(warp), warp.asyncGroups.bulk, lane);
    commitGroup(clusterOf(warp), warp.asyncGroups.bulkReads, lane);
  });
  return Outcome::Next;
}

template <bool isRead> Outcome wait(Warp &warp, const Instruction &i) {
  AsyncGroups::Kind &groups = isRead ? warp.asyncGroups.bulkReads : warp.asyncGroups.bulk;
  bool isDone = true;
  forEachLane(warp, [&](int lane) { isDone &= groupsDone(groups, lane, uint64_t(i.immediate)); });
  if (isDone) {
    if (isStrict(warp))
      forEachLane(warp, [&](int lane) { observeBulkReads(warp, lane, uint64_t(i.immediate)); });
    return Outcome::Next;
  }
  warp.wait = {Wait::Kind::Groups, isRead ? "bulk groups (reads)" : "bulk groups", 0, uint64_t(i.immediate),
               &groups};
  return Outcome::Blocked;
}

Outcome nothing(Warp &, const Instruction &) { return Outcome::Next; }

void decodeReduction(Decoder &d, BulkOperands &operands, bool isToGlobal) {
  std::string operation(d.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
  std::string type(d.takeOneOf({"u32", "s32", "u64", "s64", "b32", "b64", "f16", "bf16", "f32", "f64"}));
  bool isHalf = type == "f16" || type == "bf16";
  if (isHalf && operation == "add" && !d.take("noftz")) d.fail("sums of 16-bit floats need .noftz");
  operands.reduction = bulkReduction(operation, type);
  bool isWide = type == "s64" || type == "b64" || (type == "u64" && operation != "add");
  bool isInShared = !isWide && type[0] != 'f' && !isHalf;
  if (!operands.reduction || (!isToGlobal && !isInShared)) d.fail("there is no such reduction");
}

void decodeGroups(Decoder &d, Instruction &out) {
  if (d.take("commit_group")) {
    out.handler = commit;
  } else {
    d.take("wait_group");
    out.handler = d.take("read") ? wait<true> : wait<false>;
    out.immediate = d.integer(0);
  }
  d.finish();
}

void decodePrefetch(Decoder &d, Instruction &out) {
  size_t count = d.operandCount();
  takeCacheHint(d, count);
  d.ignore({"prefetch", "L2", "global"});
  d.finish();
  d.address(0);
  d.read(1, kTypeB32);
  out.handler = nothing;
}

} // namespace

void decodeBulkCopy(Decoder &d, Instruction &out) {
  bool isReduction = d.take("reduce");
  d.ignore({"async", "bulk"});
  if (hasModifier(d, "commit_group") || hasModifier(d, "wait_group")) return decodeGroups(d, out);
  if (hasModifier(d, "prefetch")) return decodePrefetch(d, out);
  auto operands = std::make_unique<BulkOperands>();
  operands->text = d.source().spelling();
  std::string_view to = d.takeOneOf({"global", "shared::cta", "shared::cluster"});
  std::string_view from = d.takeOneOf({"global", "shared::cta", "shared::cluster"});
  bool isToGlobal = to == "global";
  operands->isFromShared = from == "shared::cta";
  if (from.empty() || (isToGlobal && from != "shared::cta") || from == "shared::cluster" ||
      (isReduction && from == "global") || (to == "shared::cta" && from != "global"))
    d.fail("there is no such pair of spaces");
  if (!d.take(isToGlobal ? "bulk_group" : "mbarrier::complete_tx::bytes"))
    d.fail(isToGlobal ? "expected .bulk_group" : "expected .mbarrier::complete_tx::bytes");
  if (isReduction) decodeReduction(d, *operands, isToGlobal);
  operands->to = d.address(0);
  operands->from = d.address(1);
  operands->size = d.read(2, kTypeB32);
  size_t next = 3;
  if (!isToGlobal) operands->barrier = d.address(next++);
  if (!isToGlobal && from == "global" && d.take("multicast::cluster"))
    operands->ctaMask = d.read(next++, kTypeB16);
  if (d.take("L2::cache_hint")) d.read(next++, kTypeB64);
  if (isToGlobal && !isReduction && d.take("cp_mask")) operands->byteMask = d.read(next++, kTypeB16);
  if (next != d.operandCount()) d.fail("expected " + std::to_string(next) + " operands");
  d.finish();
  out.data = std::move(operands);
  out.handler = isToGlobal ? copyToGlobal : copyToShared;
}

} // namespace mxc::sim
