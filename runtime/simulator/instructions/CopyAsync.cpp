// cp.async (PTX ISA 9.7.9.25.3): copies of 4, 8 or 16 bytes a lane from global to shared memory. They belong
// to the generic proxy.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Copies.h"

#include "runtime/simulator/async/MbarrierObject.h"
#include "runtime/simulator/decode/ProgramBuilder.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

bool hasModifier(const Decoder &d, std::string_view modifier) { return d.source().has(modifier); }

void takeCacheHint(Decoder &d, size_t &operands) {
  if (!d.take("L2::cache_hint")) return;
  if (operands == 0) d.fail(".L2::cache_hint needs a policy operand");
  d.read(--operands, kTypeB64);
}

void requireExplicitCluster(Warp &warp, const Instruction &i) {
  if (gridOf(warp).launch->isClusterExplicit) return;
  throw FaultError(FaultKind::Illegal, i.source->spelling() +
                                           " needs a launch with cluster dimensions, even of 1 x 1 x 1: the "
                                           "launch gave none, nor did the kernel");
}

void countBulk(Warp &warp, uint64_t loaded, uint64_t stored) {
  if (!warp.statistics) return;
  warp.statistics->bulkLoadBytes += loaded;
  warp.statistics->bulkStoreBytes += stored;
}

std::unique_ptr<AsyncOperation> placed(const Warp &warp, std::unique_ptr<AsyncOperation> operation,
                                       const Instruction &i, std::string text) {
  operation->line = i.source->place.line;
  operation->issuer = &warp;
  operation->description = std::move(text);
  return operation;
}

namespace {

constexpr int kBytes = 0, kHasSize = 1, kHasIgnore = 2, kIsNegated = 3; // small
constexpr int kSize = 0, kIgnore = 1;                                   // rows
constexpr int kIsGeneric = 0, kIsNotCounted = 1;                        // small, of cp.async.mbarrier.arrive

struct Transfer { // of one lane
  uint32_t shared;
  std::byte *to;
  const std::byte *from; // null where nothing is read
  uint32_t bytes, read;  // the rest is zero
  std::shared_ptr<uint32_t> group;
};

void transfer(const Transfer &t) {
  if (t.read) std::memcpy(t.to, t.from, t.read);
  std::memset(t.to + t.read, 0, t.bytes - t.read);
}

/// The transfers of one instruction. Those of a warp are performed in their order, so that an arrival after
/// them is right.
struct CopyOperation : AsyncOperation {
  std::vector<Transfer> transfers;
  bool isOf(const uint32_t *group) const override {
    return std::ranges::any_of(transfers, [&](const Transfer &t) { return t.group.get() == group; });
  }
  void perform(Cluster &cluster) override {
    for (Transfer &t : transfers) {
      clearMarks(cluster, t.shared, t.bytes, kAsyncWrites);
      setMarks(cluster, t.shared, t.bytes, kGenericDirty);
      transfer(t);
      --*t.group;
    }
  }
};

struct ArriveOperation : AsyncOperation {
  std::vector<uint32_t> barriers;
  bool signals(uint32_t barrier) const override { return std::ranges::count(barriers, barrier) != 0; }
  bool signalsCta(uint32_t rank) const override {
    return std::ranges::any_of(barriers, [&](uint32_t at) { return at >> kSharedRankShift == rank; });
  }
  void perform(Cluster &cluster) override {
    for (uint32_t barrier : barriers) {
      if (!order.empty()) arriveAsynchronously(cluster, barrier, *this);
      arriveOnMbarrier(cluster, barrier, 1, "an arrival after cp.async");
    }
  }
};

uint64_t chainOf(Warp &warp) { return reinterpret_cast<uintptr_t>(&warp.asyncGroups.copies); }

uint32_t bytesRead(Warp &warp, const Instruction &i, int lane) {
  uint32_t bytes = i.small[kBytes];
  if (i.small[kHasIgnore]) {
    bool isIgnored = ((predicate(warp, i.rows[kIgnore]) >> lane & 1) != 0) != (i.small[kIsNegated] != 0);
    return isIgnored ? 0 : bytes;
  }
  if (!i.small[kHasSize]) return bytes;
  uint32_t size = lanes<uint32_t>(warp, i.rows[kSize])[lane];
  if (size > bytes)
    throw FaultError(FaultKind::Illegal,
                     "cp.async of " + std::to_string(bytes) + " bytes with a source size of " +
                         std::to_string(size),
                     lane);
  return size;
}

/// rows: the destination's address is i.address, the source's is kept in i.rows[2] (base), small[4] (its
/// bytes), immediate.
Address sourceOf(const Instruction &i) { return {{i.rows[2], i.small[4]}, i.immediate}; }

Outcome copy(Warp &warp, const Instruction &i) {
  std::unique_ptr<CopyOperation> operation;
  if (isDeferred(warp)) operation = std::make_unique<CopyOperation>();
  forEachLane(warp, [&](int lane) {
    Transfer t;
    t.bytes = i.small[kBytes];
    t.read = bytesRead(warp, i, lane);
    t.shared = sharedAddress(addressOf(warp, i.address, lane));
    uint64_t source = addressOf(warp, sourceOf(i), lane);
    if (source % t.bytes)
      throw FaultError(FaultKind::Misaligned,
                       "cp.async of " + std::to_string(t.bytes) + " bytes from a misaligned address", lane);
    t.from = t.read ? access(warp, ptx::Space::Global, source, t.read, AccessKind::Read, lane, 1) : nullptr;
    t.to = access(warp, ptx::Space::Shared, t.shared, t.bytes, AccessKind::Write, lane);
    if (!operation) return transfer(t);
    setMarks(clusterOf(warp), t.shared, t.bytes, kAsyncWrites);
    t.group = joinGroup(warp.asyncGroups.copies, lane);
    operation->transfers.push_back(std::move(t));
  });
  if (!operation) return Outcome::Next;
  operation->chain = chainOf(warp);
  clusterOf(warp).async.issue(clusterOf(warp), placed(warp, std::move(operation), i, "cp.async"));
  return Outcome::Next;
}

Outcome arrive(Warp &warp, const Instruction &i) {
  auto operation = std::make_unique<ArriveOperation>();
  forEachLane(warp, [&](int lane) {
    uint64_t address = addressOf(warp, i.address, lane);
    if (i.small[kIsGeneric] && spaceOf(address) != ptx::Space::Shared)
      throw FaultError(FaultKind::AddressSpace, "an mbarrier's generic address must lie in shared memory",
                       lane);
    operation->barriers.push_back(sharedAddress(address));
    // Without .noinc the arrival is one more than those that init announced.
    if (!i.small[kIsNotCounted]) awaitOneMore(clusterOf(warp), sharedAddress(address));
  });
  operation->chain = chainOf(warp);
  clusterOf(warp).async.issue(clusterOf(warp),
                              placed(warp, std::move(operation), i, "cp.async.mbarrier.arrive"));
  return Outcome::Next;
}

Outcome commit(Warp &warp, const Instruction &) {
  forEachLane(warp, [&](int lane) { commitGroup(clusterOf(warp), warp.asyncGroups.copies, lane); });
  return Outcome::Next;
}

Outcome waitGroups(Warp &warp, const Instruction &i) {
  bool isDone = true;
  forEachLane(warp,
              [&](int lane) { isDone &= groupsDone(warp.asyncGroups.copies, lane, uint64_t(i.immediate)); });
  if (isDone) return Outcome::Next;
  warp.wait = {Wait::Kind::Groups, "cp.async groups", 0, uint64_t(i.immediate), &warp.asyncGroups.copies};
  return Outcome::Blocked;
}

/// cp.async.wait_all: commit_group and wait_group 0.
Outcome waitAll(Warp &warp, const Instruction &i) {
  if (warp.split().token == 0) commit(warp, i);
  warp.split().token = 1;
  return waitGroups(warp, i);
}

void decodeArrive(Decoder &d, Instruction &out) {
  if (!d.take("arrive")) d.fail("expected cp.async.mbarrier.arrive");
  out.small[kIsNotCounted] = d.take("noinc");
  out.small[kIsGeneric] = d.takeOneOf({"shared", "shared::cta"}).empty();
  d.ignore({"b64"});
  d.finish();
  out.address = d.address(0);
  out.handler = arrive;
}

void decodeCopy(Decoder &d, Instruction &out) {
  std::string_view cached = d.takeOneOf({"ca", "cg"});
  if (cached.empty()) d.fail("expected .ca or .cg");
  if (d.takeOneOf({"shared", "shared::cta"}).empty() || !d.take("global"))
    d.fail("copies go from .global to .shared::cta");
  size_t operands = d.operandCount();
  takeCacheHint(d, operands);
  d.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  d.finish();
  if (operands < 3 || operands > 4)
    d.fail("expected [to], [from], bytes and perhaps a source size or a predicate");
  int64_t bytes = d.integer(2);
  if (bytes != 16 && (cached == "cg" || (bytes != 4 && bytes != 8)))
    d.fail("copies of " + std::to_string(bytes) + " bytes do not exist");
  out.small[kBytes] = uint8_t(bytes);
  out.address = d.address(0);
  Address source = d.address(1);
  out.rows[2] = source.base.offset, out.small[4] = uint8_t(source.base.bytes),
  out.immediate = source.displacement;
  if (operands == 4) {
    const ptx::Operand &last = d.operand(3);
    bool isPredicate =
        last.isNegated || (last.kind == ptx::Operand::Kind::Register &&
                           d.builder().registerType(last.reg).kind == ptx::Type::Kind::Predicate);
    bool isNegated = false;
    if (isPredicate)
      out.rows[kIgnore] = d.readPredicate(3, isNegated);
    else
      out.rows[kSize] = d.read(3, kTypeB32);
    out.small[kHasIgnore] = isPredicate, out.small[kHasSize] = !isPredicate,
    out.small[kIsNegated] = isNegated;
  }
  out.handler = copy;
}

void decodeCopyAsync(Decoder &d, Instruction &out) {
  if (hasModifier(d, "tensor")) return decodeTensorCopy(d, out);
  if (hasModifier(d, "bulk")) return decodeBulkCopy(d, out);
  if (!d.take("async")) d.fail("expected cp.async");
  if (d.take("mbarrier")) return decodeArrive(d, out);
  if (d.take("commit_group")) {
    out.handler = commit;
    return d.finish();
  }
  if (d.take("wait_all")) {
    out.handler = waitAll;
    return d.finish();
  }
  if (d.take("wait_group")) {
    out.immediate = d.integer(0);
    out.handler = waitGroups;
    return d.finish();
  }
  decodeCopy(d, out);
}

} // namespace

extern const Table kCopyInstructions;
const Table kCopyInstructions = {
    {"cp",
     decodeCopyAsync,
     Counted::Copy,
     Unwritten::Use,
     // What .ca and .cg copy is accessed weakly, as by loads and stores.
     {Order::Own, {{"ca", Order::None}, {"cg", Order::None}, {"mbarrier", Order::Arrival}}},
     {{"sm_100", "cp_mask"},
      {"sm_100", "cta_group::*"},
      {"sm_100", "tile::gather4"},
      {"sm_100", "tile::scatter4"}}}};

} // namespace mxc::sim
