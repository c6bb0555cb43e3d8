// tcgen05.alloc, dealloc, relinquish_alloc_permit (PTX ISA 9.7.16.7). With cta_group::2 a warp of each CTA of
// a pair executes the same alloc or dealloc; the second that comes does it for both, and both get the same
// columns.
#include "runtime/simulator/instructions/Tcgen05.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/Access.h"

#include <cstring>

namespace mxc::sim {

namespace {

using Meeting = TensorMemory::Meeting;

constexpr int kColumns = 0, kTensorAddress = 1; // rows
constexpr int kIsPair = 0, kIsSharedSpace = 1;  // small

uint32_t columnsOf(Warp &warp, const Instruction &i) {
  uint32_t columns = lanes<uint32_t>(warp, i.rows[kColumns])[__builtin_ctz(warp.mask)];
  if (columns < 32 || columns > 512 || (columns & (columns - 1)))
    throw FaultError(FaultKind::TensorMemory,
                     "tensor memory is allocated by 32, 64, 128, 256 or 512 columns, found " +
                         std::to_string(columns));
  return columns;
}

void checkPermit(Warp &warp, const Cta &cta, uint32_t columns) {
  const TensorMemory &tensor = cta.tensor;
  if (!tensor.mayAllocate)
    throw FaultError(FaultKind::TensorMemory,
                     "tcgen05.alloc after this CTA's tcgen05.relinquish_alloc_permit");
  if (isStrict(warp) && tensor.latestColumns && columns > tensor.latestColumns)
    report(*gridOf(warp).options, Finding::TensorGrowth, FaultKind::TensorMemory,
           "tcgen05.alloc of " + std::to_string(columns) + " columns after one of " +
               std::to_string(tensor.latestColumns) + ": sizes must not grow");
}

void releaseColumns(Warp &warp, Cta &cta, uint32_t address, uint32_t columns) {
  uint32_t column = tensorColumn(address);
  cta.tensor.release(column, columns);
  if (!isChecked(warp)) return;
  TensorUse freed{cta.rank, {0, TensorMemory::kLanes, column, columns}, true, "what tcgen05.dealloc frees"};
  for (const auto &pending : clusterOf(warp).async.pending()) {
    const auto *operation = dynamic_cast<const TensorOperation *>(pending.get());
    if (!operation) continue;
    for (const TensorUse &use : operation->uses)
      if (use.rank == cta.rank && use.region.overlaps(freed.region))
        report(*gridOf(warp).options, Finding::TensorPending, FaultKind::Unfinished,
               "tcgen05.dealloc of columns that the pending " + operation->description + " of line " +
                   std::to_string(operation->line) + " uses");
  }
  // Who uses the registers of a tcgen05.ld has waited for it in effect: CuTe's tutorials have no wait::ld,
  // and run. The letter asks for it (PTX ISA 9.7.16.6.2).
  for (const TensorMemory::Load &load : cta.tensor.loads)
    if (isStrict(warp) && !load.isWaitedFor && load.region.overlaps(freed.region))
      report(*gridOf(warp).options, Finding::TensorLoads, FaultKind::Unfinished,
             "tcgen05.dealloc of columns from which a tcgen05.ld of warp " + std::to_string(load.warp) +
                 " has no tcgen05.wait::ld after it");
  std::erase_if(cta.tensor.loads,
                [&](const TensorMemory::Load &load) { return load.region.overlaps(freed.region); });
}

void allocateIn(Warp &warp, Cta &cta, uint32_t column, uint32_t columns) {
  if (Features *features = clusterOf(warp).features.get())
    features->add("tcgen05.alloc: " + std::to_string(columns) + " columns");
  checkPermit(warp, cta, columns);
  const Instruction &alloc = gridOf(warp).program->instructions[warp.split().pc];
  cta.tensor.allocate(column, columns, alloc.source->place.line);
  cta.tensor.latestColumns = columns;
  stampAllocation(warp, cta, column, columns);
}

/// What both CTAs of the pair asked for. False: it cannot be done yet.
bool meet(Warp &warp, Cta &own, Cta &peer) {
  Meeting &mine = own.tensor.meeting, &theirs = peer.tensor.meeting;
  if (mine.kind != theirs.kind || mine.columns != theirs.columns || mine.address != theirs.address)
    throw FaultError(FaultKind::TensorMemory,
                     "the CTAs of a pair execute different tcgen05 allocation instructions");
  if (mine.kind == Meeting::Kind::Allocate) {
    std::optional<uint32_t> column = own.tensor.findFree(mine.columns);
    if (!column) return false;
    mine.address = theirs.address = *column;
    for (Cta *cta : {&own, &peer})
      allocateIn(warp, *cta, *column, mine.columns);
  }
  if (mine.kind == Meeting::Kind::Release)
    for (Cta *cta : {&own, &peer})
      releaseColumns(warp, *cta, mine.address, mine.columns);
  mine.isDone = theirs.isDone = true;
  return true;
}

Outcome blocked(Warp &warp, const char *what, uint32_t columns) {
  warp.wait = {Wait::Kind::Other, what, 0, columns};
  return Outcome::Blocked;
}

/// Blocks until the peer's warp comes. True: done, with the result in `result`.
bool meetPeer(Warp &warp, Meeting request, Meeting &result) {
  Cta &own = *warp.cta, &peer = peerOf(own);
  Meeting &mine = own.tensor.meeting;
  if (warp.split().token == 0) {
    if (mine.kind != Meeting::Kind::None) return false; // another warp of this CTA is at it
    mine = request;
    warp.split().token = 1;
  }
  if (!mine.isDone) {
    const Meeting &theirs = peer.tensor.meeting;
    if (theirs.kind == Meeting::Kind::None || theirs.isDone || !meet(warp, own, peer)) return false;
  }
  result = mine;
  mine = {};
  return true;
}

void publish(Warp &warp, const Instruction &i, uint32_t column) {
  int lane = __builtin_ctz(warp.mask);
  ptx::Space space = i.small[kIsSharedSpace] ? ptx::Space::Shared : ptx::Space::Generic;
  uint64_t address = addressOf(warp, i.address, lane);
  std::memcpy(access(warp, space, address, 4, AccessKind::Write, lane), &column, 4);
}

Outcome allocHandler(Warp &warp, const Instruction &i) {
  constexpr const char *kWhat = "free columns of tensor memory, at tcgen05.alloc of";
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  uint32_t columns = columnsOf(warp, i);
  if (i.small[kIsPair]) {
    Meeting result;
    if (!meetPeer(warp, {Meeting::Kind::Allocate, columns}, result)) return blocked(warp, kWhat, columns);
    publish(warp, i, result.address);
    return Outcome::Next;
  }
  checkPermit(warp, *warp.cta, columns);
  std::optional<uint32_t> column = warp.cta->tensor.findFree(columns);
  if (!column) return blocked(warp, kWhat, columns);
  allocateIn(warp, *warp.cta, *column, columns);
  publish(warp, i, *column);
  return Outcome::Next;
}

Outcome deallocHandler(Warp &warp, const Instruction &i) {
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  uint32_t columns = columnsOf(warp, i);
  uint32_t address = lanes<uint32_t>(warp, i.rows[kTensorAddress])[__builtin_ctz(warp.mask)];
  if (warp.split().token == 0)
    requireTensorRelease(warp, {warp.cta->rank,
                                {0, TensorMemory::kLanes, tensorColumn(address), columns},
                                true,
                                "what tcgen05.dealloc frees"});
  if (!i.small[kIsPair]) {
    releaseColumns(warp, *warp.cta, address, columns);
    return Outcome::Next;
  }
  Meeting result;
  if (!meetPeer(warp, {Meeting::Kind::Release, columns, tensorColumn(address)}, result))
    return blocked(warp, "the other CTA of the pair, at tcgen05.dealloc of", columns);
  return Outcome::Next;
}

Outcome relinquishHandler(Warp &warp, const Instruction &) {
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  warp.cta->tensor.mayAllocate = false;
  return Outcome::Next;
}

} // namespace

void decodeTcgen05Alloc(Decoder &d, Instruction &out) {
  out.small[kIsPair] = takeCtaGroup(d);
  takeSyncAligned(d);
  if (d.take("relinquish_alloc_permit")) {
    out.handler = relinquishHandler;
    return d.finish();
  }
  d.ignore({"b32"});
  if (d.take("alloc")) {
    out.small[kIsSharedSpace] = !d.takeOneOf({"shared::cta", "shared"}).empty();
    out.address = d.address(0);
    out.handler = allocHandler;
  } else {
    d.take("dealloc");
    out.rows[kTensorAddress] = d.read(0, kTypeB32);
    out.handler = deallocHandler;
  }
  out.rows[kColumns] = d.read(1, kTypeB32);
  d.finish();
}

} // namespace mxc::sim
