// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and their prefetch (PTX ISA 9.7.9.25.5).
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/async/MbarrierObject.h"
#include "runtime/simulator/async/TensorBox.h"
#include "runtime/simulator/instructions/Copies.h"
#include "runtime/simulator/instructions/TensorFeatures.h"
#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/ReadObservation.h"

#include <cstring>

namespace mxc::sim {

namespace {

struct TensorOperands : InstructionData {
  unsigned rank = 0;
  bool isRowList = false, isPair = false; // .tile::gather4 and scatter4; .cta_group::2
  Address map, shared, barrier;
  std::vector<uint32_t> coordinates; // rows
  uint32_t ctaMask = kNone;
  std::string reduction; // "add"; "": a copy
};

const TensorOperands &operandsOf(const Instruction &i) {
  return static_cast<const TensorOperands &>(*i.data);
}

struct TensorLoad : AsyncOperation {
  TensorBox box;
  uint32_t barrier = 0;
  bool signals(uint32_t at) const override { return at == barrier; }
  bool signalsCta(uint32_t rank) const override { return rankOf(barrier) == rank; }
  void perform(Cluster &cluster) override {
    loadBox(cluster, box);
    forEachPiece(box, [&](uint32_t at, uint32_t bytes) { noteCopied(cluster, at, bytes, barrier); });
    completeTransactions(cluster, barrier, box.countedBytes(),
                         rankOf(barrier) == rankOf(box.shared) ? "bytes of tensor copies"
                                                               : "bytes of tensor copies to another CTA");
  }
};

struct TensorWrite : AsyncOperation {
  TensorBox box;
  std::vector<std::byte> rows;
  BulkReduction reduction;
  void perform(Cluster &cluster) override { storeBox(cluster, box, rows, reduction); }
};

/// The reads of shared memory complete first; the writes are an operation of their own, issued then.
struct TensorStore : AsyncOperation {
  TensorBox box;
  bool isHeld = false;
  BulkReduction reduction;
  std::shared_ptr<uint32_t> pendingWrites;
  bool isOf(const uint32_t *group) const override {
    return AsyncOperation::isOf(group) || pendingWrites.get() == group;
  }
  void perform(Cluster &cluster) override {
    auto second = std::make_unique<TensorWrite>();
    second->rows = gatherBox(cluster, box);
    if (isHeld) forEachPiece(box, [&](uint32_t at, uint32_t bytes) { dropReads(cluster, at, bytes); });
    second->box = box, second->reduction = reduction, second->pendingOfGroup = std::move(pendingWrites);
    second->line = line, second->issuer = issuer, second->description = description + ", its writes";
    cluster.async.issue(cluster, std::move(second));
  }
};

std::string describe(const Instruction &i, const TensorBox &box) {
  std::string text = i.source->spelling() + " at {";
  for (unsigned d = 0; d < box.map.rank; ++d)
    text += (d ? ", " : "") + std::to_string(box.at[d]);
  return text + "}";
}

TensorMap mapOf(Warp &warp, const TensorOperands &operands, int lane) {
  uint64_t address = addressOf(warp, operands.map, lane);
  if (address % 64) throw FaultError(FaultKind::Misaligned, "a tensor map lies at a multiple of 64", lane);
  std::byte bytes[kTensorMapBytes];
  for (uint32_t at = 0; at < sizeof bytes; at += 32)
    std::memcpy(bytes + at, access(warp, ptx::Space::Generic, address + at, 32, AccessKind::Read, lane), 32);
  return decodeTensorMap(bytes);
}

TensorBox boxOf(Warp &warp, const Instruction &i, int lane, bool isStore) {
  const TensorOperands &operands = operandsOf(i);
  TensorBox box;
  box.map = mapOf(warp, operands, lane);
  box.shared = sharedAddress(addressOf(warp, operands.shared, lane));
  box.isRowList = operands.isRowList;
  for (size_t d = 0; d < operands.coordinates.size(); ++d) {
    int64_t coordinate = lanes<int32_t>(warp, operands.coordinates[d])[lane];
    if (operands.isRowList && d > 0)
      box.rows[d - 1] = coordinate;
    else
      box.at[d] = coordinate;
  }
  if (std::string problem = problemOfBox(box, operands.rank, isStore); !problem.empty())
    throw FaultError(FaultKind::Illegal, "a bulk tensor copy: " + problem, lane);
  if (box.shared % 128)
    throw FaultError(FaultKind::Misaligned,
                     "a bulk tensor copy's place in shared memory is a multiple of 128, found " +
                         sharedText(box.shared),
                     lane);
  return box;
}

void issueLoad(Warp &warp, const Instruction &i, int lane, const TensorBox &box, uint32_t barrier) {
  Cluster &cluster = clusterOf(warp);
  // .cta_group::2 allows the mbarrier of the pair's other CTA.
  uint32_t pairBit = operandsOf(i).isPair ? 1 : 0;
  if ((rankOf(barrier) | pairBit) != (rankOf(box.shared) | pairBit))
    throw FaultError(FaultKind::BarrierMisuse,
                     "the mbarrier at " + sharedText(barrier) + " must be in the CTA " +
                         (pairBit ? "pair " : "") + "of the destination, " + sharedText(box.shared),
                     lane);
  requirePublished(warp, barrier, true, lane);
  if (isDeferred(warp) || isStrict(warp))
    forEachPiece(box, [&](uint32_t at, uint32_t bytes) {
      requireAsyncDestination(warp, at, bytes, lane);
      if (isDeferred(warp)) setMarks(cluster, at, bytes, kAsyncWrites);
    });
  auto operation = std::make_unique<TensorLoad>();
  operation->box = box, operation->barrier = barrier;
  cluster.async.issue(cluster, placed(warp, std::move(operation), i, describe(i, box)));
}

Outcome load(Warp &warp, const Instruction &i) {
  const TensorOperands &operands = operandsOf(i);
  forEachLane(warp, [&](int lane) {
    TensorBox box = boxOf(warp, i, lane, false);
    uint32_t barrier = sharedAddress(addressOf(warp, operands.barrier, lane));
    const uint32_t ctas = operands.ctaMask == kNone ? 0 : lanes<uint16_t>(warp, operands.ctaMask)[lane];
    noteBox(warp, box, false, uint32_t(__builtin_popcount(ctas)), operands.isPair);
    countBulk(warp, box.countedBytes(), 0);
    requireBoxOrder(warp, box, lane);
    if (operands.ctaMask == kNone) return issueLoad(warp, i, lane, box, barrier);
    // To the same place in every CTA of the mask. With .cta_group::2 the CTA of the mbarrier says whether the
    // even or the odd one of each pair is told.
    for (uint32_t mask = lanes<uint16_t>(warp, operands.ctaMask)[lane]; mask; mask &= mask - 1) {
      uint32_t rank = uint32_t(__builtin_ctz(mask));
      uint32_t told = operands.isPair ? (rank & ~1u) | (rankOf(barrier) & 1) : rank;
      TensorBox copy = box;
      copy.shared = inCta(box.shared, rank);
      issueLoad(warp, i, lane, copy, inCta(barrier, told));
    }
  });
  return Outcome::Next;
}

Outcome store(Warp &warp, const Instruction &i) {
  const TensorOperands &operands = operandsOf(i);
  Cluster &cluster = clusterOf(warp);
  forEachLane(warp, [&](int lane) {
    auto operation = std::make_unique<TensorStore>();
    operation->box = boxOf(warp, i, lane, true);
    noteBox(warp, operation->box, true, 0, false);
    if (!operands.reduction.empty()) {
      operation->reduction = tensorReduction(operands.reduction, operation->box.map.type);
      if (!operation->reduction)
        throw FaultError(FaultKind::Illegal,
                         "no reduction ." + operands.reduction + " of this tensor map's element type", lane);
    }
    countBulk(warp, 0, operation->box.countedBytes());
    operation->isHeld = isDeferred(warp);
    forEachPiece(operation->box, [&](uint32_t at, uint32_t bytes) {
      requireAsyncSource(warp, at, bytes, lane);
      if (isDeferred(warp)) holdReads(cluster, at, bytes);
      noteBulkRead(warp, at, bytes, lane);
    });
    operation->pendingOfGroup = joinGroup(warp.asyncGroups.bulkReads, lane);
    operation->pendingWrites = joinGroup(warp.asyncGroups.bulk, lane);
    std::string text = describe(i, operation->box);
    cluster.async.issue(cluster, placed(warp, std::move(operation), i, std::move(text)));
  });
  return Outcome::Next;
}

Outcome prefetch(Warp &, const Instruction &) { return Outcome::Next; }

/// [map, {c0, c1}]
void readTensor(Decoder &d, size_t index, TensorOperands &operands) {
  const ptx::Operand &tensor = d.operand(index);
  operands.map = d.address(index);
  if (tensor.parts.size() != 2 || tensor.parts[1].kind != ptx::Operand::Kind::Vector)
    d.fail("expected [tensor map, {coordinates}]");
  size_t count = operands.isRowList ? 5 : operands.rank;
  if (tensor.parts[1].parts.size() != count) d.fail("expected " + std::to_string(count) + " coordinates");
  for (const ptx::Operand &coordinate : tensor.parts[1].parts)
    operands.coordinates.push_back(d.read(coordinate, kTypeS32).offset);
}

void takeMode(Decoder &d, TensorOperands &operands, bool isStore) {
  for (const std::string &modifier : d.source().modifiers)
    if (modifier.starts_with("im2col")) d.fail("im2col copies are not simulated");
  std::string_view dimensions = d.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (dimensions.empty()) d.fail("expected .1d to .5d");
  operands.rank = unsigned(dimensions[0] - '0');
  operands.isRowList = d.take(isStore ? "tile::scatter4" : "tile::gather4");
  if (operands.isRowList && operands.rank != 2) d.fail("rows are gathered and scattered in two dimensions");
  d.ignore({"tile"});
}

void readCacheHint(Decoder &d, size_t &next) {
  if (d.take("L2::cache_hint")) d.read(next++, kTypeB64);
}

void decodeStore(Decoder &d, Instruction &out, bool isReduction, std::unique_ptr<TensorOperands> operands) {
  takeMode(d, *operands, true);
  if (!d.take("global") || d.takeOneOf({"shared::cta"}).empty() || !d.take("bulk_group"))
    d.fail("expected .global.shared::cta and .bulk_group");
  if (isReduction) {
    operands->reduction = d.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
    if (operands->reduction.empty() || operands->isRowList) d.fail("there is no such reduction");
  }
  readTensor(d, 0, *operands);
  operands->shared = d.address(1);
  size_t next = 2;
  readCacheHint(d, next);
  d.finish();
  out.data = std::move(operands);
  out.handler = store;
}

void decodeLoad(Decoder &d, Instruction &out, std::unique_ptr<TensorOperands> operands) {
  takeMode(d, *operands, false);
  if (d.takeOneOf({"shared::cluster", "shared::cta"}).empty() || !d.take("global") ||
      !d.take("mbarrier::complete_tx::bytes"))
    d.fail("expected a destination in shared memory, .global and .mbarrier::complete_tx::bytes");
  std::string_view group = d.takeOneOf({"cta_group::1", "cta_group::2"});
  operands->isPair = group == "cta_group::2";
  operands->shared = d.address(0);
  readTensor(d, 1, *operands);
  operands->barrier = d.address(2);
  size_t next = 3;
  if (d.take("multicast::cluster")) operands->ctaMask = d.read(next++, kTypeB16);
  readCacheHint(d, next);
  if (next != d.operandCount()) d.fail("expected " + std::to_string(next) + " operands");
  d.finish();
  out.data = std::move(operands);
  out.handler = load;
}

} // namespace

void decodeTensorCopy(Decoder &d, Instruction &out) {
  bool isReduction = d.take("reduce");
  d.ignore({"async", "bulk", "tensor"});
  auto operands = std::make_unique<TensorOperands>();
  if (d.take("prefetch")) {
    takeMode(d, *operands, false);
    d.ignore({"L2", "global"});
    readTensor(d, 0, *operands);
    size_t next = 1;
    readCacheHint(d, next);
    d.finish();
    out.handler = prefetch;
    return;
  }
  bool isStore = hasModifier(d, "bulk_group");
  if (isReduction && !isStore) d.fail("reductions of tensors go to global memory");
  if (isStore)
    decodeStore(d, out, isReduction, std::move(operands));
  else
    decodeLoad(d, out, std::move(operands));
}

} // namespace mxc::sim
