#include "runtime/simulator/memory/Traffic.h"

#include <algorithm>
#include <array>

namespace mxc::sim {

/// The sorted, different values of f(lane, k) for the lanes of `mask` and k < count.
template <class F>
static size_t distinct(uint32_t mask, uint32_t count, std::array<uint64_t, 8 * kLanes> &values, F f) {
  size_t size = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    for (uint32_t k = 0; k < count; ++k)
      values[size++] = f(__builtin_ctz(left), k);
  std::sort(values.begin(), values.begin() + size);
  return size_t(std::unique(values.begin(), values.begin() + size) - values.begin());
}

uint32_t sectorsOf(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  std::array<uint64_t, 8 * kLanes> sectors;
  uint32_t each = (bytes + 31) / 32; // accesses are aligned to their size
  return uint32_t(
      distinct(mask, each, sectors, [&](int lane, uint32_t k) { return addresses[lane] / 32 + k; }));
}

Wavefronts wavefrontsOf(const uint64_t *addresses, uint32_t mask, uint32_t bytes) {
  Wavefronts result;
  uint32_t words = std::max(1u, bytes / 4), lanes = kLanes / words;
  for (uint32_t first = 0; first < kLanes; first += lanes) {
    uint32_t group = mask & uint32_t(((uint64_t(1) << lanes) - 1) << first);
    if (!group) continue;
    std::array<uint64_t, 8 * kLanes> touched;
    size_t count =
        distinct(group, words, touched, [&](int lane, uint32_t k) { return addresses[lane] / 4 + k; });
    std::array<uint32_t, 32> perBank{};
    for (size_t i = 0; i < count; ++i)
      ++perBank[touched[i] % 32];
    result.actual += *std::max_element(perBank.begin(), perBank.end());
    ++result.ideal;
  }
  return result;
}

void countTraffic(Warp &warp, ptx::Space space, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                  AccessKind kind) {
  if (space == ptx::Space::Generic) {
    for (ptx::Space one : {ptx::Space::Global, ptx::Space::Shared}) {
      uint32_t part = 0;
      for (uint32_t left = mask; left; left &= left - 1)
        if (spaceOf(addresses[__builtin_ctz(left)]) == one) part |= left & -left;
      if (part) countTraffic(warp, one, addresses, part, bytes, kind);
    }
    return;
  }
  Statistics &statistics = *warp.statistics;
  uint64_t asked = uint64_t(__builtin_popcount(mask)) * bytes;
  bool isLoad = kind == AccessKind::Read || kind == AccessKind::Load;
  if (space == ptx::Space::Global) {
    (isLoad ? statistics.globalLoadBytes : statistics.globalStoreBytes) += asked;
    (isLoad ? statistics.globalLoadSectors : statistics.globalStoreSectors) +=
        sectorsOf(addresses, mask, bytes);
  } else if (space == ptx::Space::Shared) {
    (isLoad ? statistics.sharedLoadBytes : statistics.sharedStoreBytes) += asked;
    Wavefronts wavefronts = wavefrontsOf(addresses, mask, bytes);
    statistics.sharedWavefronts += wavefronts.actual;
    statistics.sharedIdealWavefronts += wavefronts.ideal;
  }
}

} // namespace mxc::sim
