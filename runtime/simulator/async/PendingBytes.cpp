#include "runtime/simulator/async/PendingBytes.h"

#include "runtime/simulator/memory/SharedRaces.h"

#include <cstdio>

namespace mxc::sim {

std::string sharedText(uint32_t address) {
  char text[48];
  std::snprintf(text, sizeof text, "shared 0x%x of CTA %u", address & ((1u << kSharedRankShift) - 1),
                address >> kSharedRankShift);
  return text;
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

void settleAsyncWrite(Cluster &cluster, uint32_t address, uint32_t bytes) {
  Cta &cta = *cluster.ctas[address >> kSharedRankShift];
  forgetAccesses(cta.shared, (address & ((1u << kSharedRankShift) - 1)) - kSharedBase, bytes);
  if (uint8_t *state = sharedState(cluster, address))
    for (uint32_t i = 0; i < bytes; ++i)
      state[i] = uint8_t((state[i] & ~(kAsyncWrites | kGenericDirty)) | kWritten);
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
  if (!(seen & (kAsyncWrites | kGenericDirty))) return;
  uint32_t first = 0;
  if (seen & kAsyncWrites) {
    while (!(state[first] & kAsyncWrites))
      ++first;
    throw FaultError(
        FaultKind::Unfinished,
        "the source holds " + sharedText(address + first) + ", which a pending operation is to write", lane);
  }
  if (!isStrict(warp)) return;
  while (!(state[first] & kGenericDirty))
    ++first;
  throw FaultError(FaultKind::ProxyOrder,
                   "the async proxy is to read " + sharedText(address + first) +
                       ", written through the generic proxy without a fence.proxy.async by the writer",
                   lane);
}

void requireAsyncDestination(Warp &warp, uint32_t address, uint32_t bytes, int lane) {
  try {
    sharedBytes(clusterOf(warp), address, bytes, false);
  } catch (FaultError &error) {
    error.fault.lane = lane;
    throw;
  }
}

} // namespace mxc::sim
