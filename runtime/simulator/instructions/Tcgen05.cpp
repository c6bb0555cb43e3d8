// tcgen05: the fifth-generation tensor core and its tensor memory (PTX ISA 9.7.16).
#include "runtime/simulator/instructions/Tcgen05.h"

#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Converge.h"
#include "runtime/simulator/memory/LaneMeetings.h"
#include "runtime/simulator/memory/ReadObservation.h"

#include <atomic>

namespace mxc::sim {

namespace {

constexpr uint64_t kChains = uint64_t(0x7430) << 32; // apart from those of other families

std::atomic<uint64_t> clockOfStamps{0}; // one order over all CTAs: only earlier and later matter

uint32_t writerOf(const Warp &warp) { return warp.cta->rank << 16 | warp.index; }

std::string text(const TensorUse &use) {
  const TensorRegion &region = use.region;
  return std::string(use.what) + " (lanes " + std::to_string(region.lane) + " to " +
         std::to_string(region.lane + region.lanes - 1) + ", columns " + std::to_string(region.column) +
         " to " + std::to_string(region.column + region.columns - 1) + " of CTA " + std::to_string(use.rank) +
         ")";
}

void checkPending(Cluster &cluster, const TensorUse &use, uint64_t chain, int lane) {
  for (const auto &pending : cluster.async.pending()) {
    if (chain && pending->chain == chain) continue;
    const auto *operation = dynamic_cast<const TensorOperation *>(pending.get());
    if (!operation) continue;
    for (const TensorUse &other : operation->uses) {
      if (other.rank != use.rank || !(other.writes || use.writes) || !other.region.overlaps(use.region))
        continue;
      report(*cluster.grid->options, Finding::TensorPending, FaultKind::Unfinished,
             text(use) + " overlaps " + text(other) + " of the pending " + operation->description +
                 " of line " + std::to_string(operation->line),
             lane);
    }
  }
}

void checkLoads(Warp &warp, TensorMemory &tensor, const TensorUse &use, int lane) {
  for (const TensorMemory::Load &load : tensor.loads) {
    const Warp &loader = clusterOf(warp).ctas[use.rank]->warps[load.warp];
    if (!load.region.overlaps(use.region) || (load.isWaitedFor && &loader == &warp)) continue;
    if (load.isFenced && isBehindLanes(warp, loader, load.fenced)) continue;
    const char *missing = !load.isWaitedFor ? "tcgen05.wait::ld"
                          : !load.isFenced  ? "tcgen05.fence::before_thread_sync"
                          : learnedBy(warp)[numberOf(loader)] <= load.fenced
                              ? "arrival that this warp knows"
                              : "arrival of all its lanes, or bar.warp.sync before one's,";
    report(*gridOf(warp).options, Finding::TensorLoads,
           load.isWaitedFor ? FaultKind::Race : FaultKind::Unfinished,
           text(use) + " is written while a tcgen05.ld of warp " + std::to_string(load.warp) + " of CTA " +
               std::to_string(use.rank) + " from it has no " + missing + " after it",
           lane);
  }
  std::erase_if(tensor.loads,
                [&](const TensorMemory::Load &load) { return use.region.contains(load.region); });
}

using Stamps = std::vector<TensorMemory::Stamp>;

/// Calls f with every stamp of a region. Stamps are made at the first use.
template <class F> void forStamps(Stamps &stamps, const TensorRegion &region, F f) {
  if (stamps.empty()) stamps.resize(4 * TensorMemory::kColumns);
  for (uint32_t quarter = region.lane / 32; quarter <= (region.lane + region.lanes - 1) / 32; ++quarter)
    for (uint32_t column = region.column; column < region.column + region.columns; ++column)
      f(stamps[quarter * TensorMemory::kColumns + column]);
}

TensorMemory::Fences &fencesOf(Cta &cta, uint32_t warp) {
  std::vector<TensorMemory::Fences> &fences = cta.tensor.fences;
  if (fences.empty()) fences.resize(cta.warps.size());
  return fences[warp];
}

/// The tensor core takes its operations in the order that fences give to their issue (PTX ISA 9.7.16.6.4);
/// where they must be done, the fence must follow that.
void checkOrder(Warp &warp, Stamps &stamps, const TensorUse &use, TensorOrder order, const char *did,
                int lane) {
  const bool needsDone = order != TensorOrder::Issued;
  uint64_t fenced = fencesOf(*warp.cta, warp.index).after;
  forStamps(stamps, use.region, [&](const TensorMemory::Stamp &stamp) {
    const bool isOwn = stamp.warp == writerOf(warp);
    if (stamp.issued == 0) return;
    if (isOwn && (order != TensorOrder::AllDone || !stamp.isAsynchronous)) return;
    uint32_t rank = stamp.warp >> 16, index = stamp.warp & 0xFFFF;
    bool lacksAfter = (needsDone ? stamp.performed : stamp.issued) > fenced;
    bool lacksBefore =
        !isOwn && stamp.isAsynchronous && stamp.issued > fencesOf(*clusterOf(warp).ctas[rank], index).before;
    if (!lacksAfter && !lacksBefore) return;
    report(*gridOf(warp).options, Finding::TensorFences, FaultKind::Race,
           text(use) + " touches what an instruction of warp " + std::to_string(index) + " of CTA " +
               std::to_string(rank) + did +
               (lacksBefore ? ", and that warp has executed no tcgen05.fence::before_thread_sync since"
                            : ", and this warp has executed no tcgen05.fence::after_thread_sync since"),
           lane);
  });
}

void stampIssue(Warp &warp, Stamps &stamps, const TensorRegion &region, bool isAsynchronous) {
  uint64_t now = ++clockOfStamps;
  forStamps(stamps, region, [&](TensorMemory::Stamp &stamp) {
    stamp = {now, isAsynchronous ? stamp.performed : now, writerOf(warp), isAsynchronous};
  });
}

void stampPerformance(Stamps &stamps, const TensorRegion &region) {
  uint64_t now = ++clockOfStamps;
  forStamps(stamps, region, [&](TensorMemory::Stamp &stamp) { stamp.performed = now; });
}

Stamps &stampsOf(TensorMemory &tensor, const TensorUse &use) {
  return use.writes ? tensor.writes : tensor.reads;
}

} // namespace

void TensorOperation::perform(Cluster &cluster) {
  compute(cluster);
  if (cluster.grid->options->checks == Checks::Strict)
    for (const TensorUse &use : uses)
      stampPerformance(stampsOf(cluster.ctas[use.rank]->tensor, use), use.region);
  for (auto [rank, offset] : heldChunks)
    dropChunk(*cluster.ctas[rank], offset);
}

Cta &peerOf(Cta &cta) {
  auto &ctas = cta.cluster->ctas;
  if ((cta.rank ^ 1) >= ctas.size())
    throw FaultError(FaultKind::Illegal,
                     "cta_group::2 needs a cluster of an even number of CTAs, this one has " +
                         std::to_string(ctas.size()));
  return *ctas[cta.rank ^ 1];
}

CtaGroup groupOf(Warp &warp, bool isPair) {
  CtaGroup group;
  group.ctas[0] = warp.cta;
  if (!isPair) return group;
  Cta &peer = peerOf(*warp.cta);
  bool isEven = warp.cta->rank % 2 == 0;
  group.ctas[0] = isEven ? warp.cta : &peer;
  group.ctas[1] = isEven ? &peer : warp.cta;
  group.count = 2;
  return group;
}

uint64_t tensorChain(const Cta &leader) { return kChains | leader.rank; }

void requireTensorUses(Warp &warp, const std::vector<TensorUse> &uses, uint64_t chain, TensorOrder order,
                       int lane) {
  const bool isBehindOwn = order != TensorOrder::AllDone || !isStrict(warp);
  Cluster &cluster = clusterOf(warp);
  for (const TensorUse &use : uses) {
    TensorMemory &tensor = cluster.ctas[use.rank]->tensor;
    tensor.check(use.region, use.what);
    if (!isChecked(warp)) continue;
    checkPending(cluster, use, isBehindOwn ? chain : 0, lane);
    if (use.writes) checkLoads(warp, tensor, use, lane);
    if (!isStrict(warp)) continue;
    checkOrder(warp, tensor.writes, use, order, " wrote", lane);
    if (use.writes) checkOrder(warp, tensor.reads, use, order, " read", lane);
  }
  if (!isStrict(warp)) return;
  // A load (chain 0) is over at its wait::ld, and TensorMemory::loads looks for what must follow that.
  for (const TensorUse &use : uses)
    stampIssue(warp, stampsOf(cluster.ctas[use.rank]->tensor, use), use.region, chain != 0);
}

void requireTensorRelease(Warp &warp, const TensorUse &freed) {
  if (isStrict(warp)) checkLoads(warp, warp.cta->tensor, freed, -1);
}

void useChunk(Warp &warp, TensorOperation &operation, const Cta &leader, Cta &cta, uint32_t offset,
              const char *operand, int lane) {
  requireChunk(warp, cta, offset, operand, lane);
  if (isStrict(warp)) noteTensorRead(clusterOf(warp), leader, cta, offset - kSharedBase);
  if (!isChecked(warp) || !isDeferred(warp)) return;
  holdChunk(cta, offset);
  operation.heldChunks.emplace_back(cta.rank, offset);
}

void issueTensorOperation(Warp &warp, const Instruction &i, std::unique_ptr<TensorOperation> operation) {
  operation->line = i.source->place.line;
  operation->issuer = &warp;
  operation->description = i.source->spelling();
  Cluster &cluster = clusterOf(warp);
  cluster.async.issue(cluster, std::move(operation));
}

bool isWholeTensorWarp(Warp &warp) {
  if (converge(warp, ~0u)) return true;
  warp.wait = {Wait::Kind::Lanes, "a tcgen05 .sync.aligned instruction", 0, warp.liveLanes()};
  return false;
}

void fenceTensorMemoryAfter(Warp &warp) {
  if (isStrict(warp)) fencesOf(*warp.cta, warp.index).after = ++clockOfStamps;
}

void fenceTensorMemoryBefore(Warp &warp) {
  if (!isStrict(warp)) return;
  fencesOf(*warp.cta, warp.index).before = ++clockOfStamps;
  for (TensorMemory::Load &load : warp.cta->tensor.loads)
    if (load.warp == warp.index && load.isWaitedFor && !load.isFenced)
      load.isFenced = true, load.fenced = openAccesses(warp);
}

void stampAllocation(Warp &warp, Cta &cta, uint32_t column, uint32_t columns) {
  if (!isStrict(warp)) return;
  // The instruction is synchronous: what follows it in another warp needs its fence::after_thread_sync alone.
  stampIssue(warp, cta.tensor.writes, {0, TensorMemory::kLanes, column, columns}, false);
}

bool takeCtaGroup(Decoder &d) {
  std::string_view group = d.takeOneOf({"cta_group::1", "cta_group::2"});
  if (group.empty()) d.fail("expected .cta_group::1 or ::2");
  return group == "cta_group::2";
}

void takeSyncAligned(Decoder &d) {
  if (!d.take("sync") || !d.take("aligned")) d.fail("expected .sync.aligned");
}

namespace {

/// By the word after the first.
const Table kForms = {
    {"alloc", decodeTcgen05Alloc, Counted::Tensor, Unwritten::Use, Order::Own},
    {"dealloc", decodeTcgen05Alloc, Counted::Tensor, Unwritten::Use, Order::Own},
    {"relinquish_alloc_permit", decodeTcgen05Alloc, Counted::Tensor, Unwritten::Use, Order::Own},
    {"ld", decodeTcgen05Load, Counted::Tensor, Unwritten::Use, Order::Own, {{"sm_103a", "red"}}},
    {"st", decodeTcgen05Store, Counted::Tensor, Unwritten::Use, Order::Own},
    {"wait::ld", decodeTcgen05Wait, Counted::Tensor, Unwritten::Use, Order::Own},
    {"wait::st", decodeTcgen05Wait, Counted::Tensor, Unwritten::Use, Order::Own},
    {"cp", decodeTcgen05Copy, Counted::Tensor, Unwritten::Use, Order::Own},
    {"shift", decodeTcgen05Shift, Counted::Tensor, Unwritten::Use, Order::Own},
    {"mma", decodeTcgen05Mma, Counted::Tensor, Unwritten::Use, Order::Own, {{"sm_100a", "kind::i8"}}},
    {"commit", decodeTcgen05Commit, Counted::Tensor, Unwritten::Use, Order::Own},
    {"fence::before_thread_sync", decodeTcgen05Fence, Counted::Tensor, Unwritten::Use, Order::Own},
    {"fence::after_thread_sync", decodeTcgen05Fence, Counted::Tensor, Unwritten::Use, Order::Own},
};

const TableRow &chooseForm(const Decoder &d) {
  const std::vector<std::string> &modifiers = d.source().modifiers;
  for (const TableRow &form : kForms)
    if (!modifiers.empty() && modifiers.front() == form.opcode) return form;
  d.fail("the simulator does not know this form of tcgen05");
}

} // namespace

extern const Table kTcgen05Instructions;
const Table kTcgen05Instructions = {{"tcgen05", chooseForm, {{"sm_100f"}}}};

} // namespace mxc::sim
