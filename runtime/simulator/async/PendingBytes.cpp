#include "runtime/simulator/async/PendingBytes.h"

#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/LaneMeetings.h"
#include "runtime/simulator/memory/ReadObservation.h"
#include "runtime/simulator/memory/SharedRaces.h"

namespace mxc::sim {

std::string sharedText(uint32_t address) {
  return "shared " + hexadecimal(address & ((1u << kSharedRankShift) - 1)) + " of CTA " +
         std::to_string(address >> kSharedRankShift);
}

void setMarks(Cluster &cluster, uint32_t address, uint32_t bytes, ByteState mark) {
  if (uint8_t *state = sharedState(cluster, address))
    for (uint32_t i = 0; i < bytes; ++i)
      state[i] |= mark;
}

void clearMarks(Cluster &cluster, uint32_t address, uint32_t bytes, ByteState mark) {
  if (uint8_t *state = sharedState(cluster, address))
    for (uint32_t i = 0; i < bytes; ++i)
      state[i] &= uint8_t(~mark);
}

/// f(count, states) for each 16 bytes.
template <class F> static void forReaders(Cluster &cluster, uint32_t address, uint32_t bytes, F f) {
  SharedMemory &shared = cluster.ctas[address >> kSharedRankShift]->shared;
  if (shared.state.empty()) return;
  if (shared.readers.empty()) shared.readers.resize(shared.bytes.size() / 16 + 1);
  uint32_t offset = (address & ((1u << kSharedRankShift) - 1)) - kSharedBase;
  for (uint32_t at = offset; at < offset + bytes; at += 16)
    f(shared.readers[at / 16], &shared.state[at]);
}

void holdReads(Cluster &cluster, uint32_t address, uint32_t bytes) {
  forReaders(cluster, address, bytes, [](uint16_t &count, uint8_t *states) {
    if (count++ == 0)
      for (int i = 0; i < 16; ++i)
        states[i] |= kAsyncReads;
  });
}

void dropReads(Cluster &cluster, uint32_t address, uint32_t bytes) {
  forReaders(cluster, address, bytes, [](uint16_t &count, uint8_t *states) {
    if (--count == 0)
      for (int i = 0; i < 16; ++i)
        states[i] &= uint8_t(~kAsyncReads);
  });
}

void settleAsyncWrite(Cluster &cluster, uint32_t address, uint32_t bytes) {
  Cta &cta = *cluster.ctas[address >> kSharedRankShift];
  const uint32_t offset = (address & ((1u << kSharedRankShift) - 1)) - kSharedBase;
  forgetAccesses(cta.shared, offset, bytes);
  forgetCopies(cta.shared, offset, bytes);
  forgetAsyncReads(cta.shared, offset, bytes);
  if (uint8_t *state = sharedState(cluster, address))
    for (uint32_t i = 0; i < bytes; ++i)
      state[i] = uint8_t((state[i] & ~(kAsyncWrites | kGenericDirty | kResponse | kResponseRead)) | kWritten);
}

void requireAsyncSource(Warp &warp, uint32_t address, uint32_t bytes, int lane) {
  Cluster &cluster = clusterOf(warp);
  try {
    sharedBytes(cluster, address, bytes, true);
  } catch (FaultError &error) {
    error.fault.lane = lane;
    throw;
  }
  const uint8_t *state = sharedState(cluster, address);
  if (!state) return;
  uint8_t seen = 0;
  for (uint32_t i = 0; i < bytes; ++i)
    seen |= state[i];
  if (isStrict(warp)) {
    const Cta &cta = *cluster.ctas[address >> kSharedRankShift];
    const uint32_t offset = (address & ((1u << kSharedRankShift) - 1)) - kSharedBase;
    requireObserved(warp, cta, offset, bytes, lane);
    requireLanesMet(warp, cta, offset, bytes, lane);
  }
  if (!(seen & (kAsyncWrites | kGenericDirty))) return;
  uint32_t first = 0;
  if (seen & kAsyncWrites) {
    while (!(state[first] & kAsyncWrites))
      ++first;
    report(*cluster.grid->options, Finding::Unfinished, FaultKind::Unfinished,
           "the source holds " + sharedText(address + first) + ", which a pending operation is to write",
           lane);
  }
  if (!isStrict(warp) || !(seen & kGenericDirty)) return;
  first = 0;
  while (!(state[first] & kGenericDirty))
    ++first;
  report(*gridOf(warp).options, Finding::ProxyFence, FaultKind::ProxyOrder,
         "the async proxy is to read " + sharedText(address + first) +
             ", written through the generic proxy without a fence.proxy.async by the writer",
         lane);
}

/// Strict checks: the reads before are over, and whoever issues this knows it. What lies outside of shared
/// memory is sharedBytes' fault.
static void requireEarlierReads(Warp &warp, uint32_t address, uint32_t bytes, int lane) {
  Cluster &cluster = clusterOf(warp);
  const uint32_t rank = address >> kSharedRankShift,
                 offset = (address & ((1u << kSharedRankShift) - 1)) - kSharedBase;
  if (!isStrict(warp) || rank >= cluster.ctas.size()) return;
  Cta &cta = *cluster.ctas[rank];
  if (offset > cta.shared.bytes.size() || bytes > cta.shared.bytes.size() - offset) return;
  requireReadsObserved(warp, cta, offset, bytes, lane);
  requireReadsOrdered(warp, cta, offset, bytes, lane);
  requireReadsMetByCopy(warp, cta, offset, bytes, lane);
}

void requireAsyncDestination(Warp &warp, uint32_t address, uint32_t bytes, int lane, bool isReduction) {
  requireEarlierReads(warp, address, bytes, lane); // sharedBytes forgets them
  try {
    sharedBytes(clusterOf(warp), address, bytes, false);
  } catch (FaultError &error) {
    error.fault.lane = lane;
    throw;
  }
  const uint8_t *state = sharedState(clusterOf(warp), address);
  const uint8_t taken = isReduction ? kAsyncReads : kAsyncReads | kAsyncWrites;
  for (uint32_t i = 0; state && i < bytes; ++i)
    if (state[i] & taken)
      report(*gridOf(warp).options, Finding::Unfinished,
             state[i] & kAsyncReads ? FaultKind::Unfinished : FaultKind::Race,
             "the async proxy is to write " + sharedText(address + i) + ", which a pending operation is to " +
                 (state[i] & kAsyncReads ? "read" : "write"),
             lane);
}

} // namespace mxc::sim
