#include "runtime/simulator/async/RowOverrun.h"

#include "runtime/simulator/memory/RecentAllocation.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

namespace {

/// Whether rows of the map may overlap: then what lies past one row may be another's.
bool mayRowsMeet(const TensorMap &map) {
  std::vector<std::pair<uint64_t, uint64_t>> steps; // bytes, how many
  for (unsigned d = 1; d < map.rank; ++d)
    if (map.size[d] > 1) steps.emplace_back(map.strideBytes[d - 1], map.size[d] - 1);
  std::ranges::sort(steps);
  // Each dimension steps over all that the ones below it cover.
  auto covered = (static_cast<unsigned __int128>(map.size[0]) * map.elementBits() + 7) / 8;
  for (auto [stride, count] : steps) {
    if (stride < covered) return true;
    covered += static_cast<unsigned __int128>(stride) * count;
  }
  return false;
}

void checkOverrun(const Grid &grid, const TensorMap &map, const Allocation &allocation, uint64_t end,
                  const std::byte *before, const std::byte *after, uint32_t bytes) {
  const Checks checks = grid.options->checks;
  if (checks == Checks::Off || mayRowsMeet(map)) return;
  const uint8_t *states = grid.memory->shadow(end);
  for (uint32_t i = 0; i < bytes; ++i) {
    if (before[i] == after[i] || (checks == Checks::Standard && !(states[i] & kWritten))) continue;
    uint64_t rowBytes = (map.size[0] * map.elementBits() + 7) / 8;
    return report(*grid.options, Finding::RowOverrun, FaultKind::OutOfBounds,
                  "a tensor store changes byte " + std::to_string(end + i - allocation.address) + " of " +
                      allocation.name + " (" + hexadecimal(end + i) + "), " + std::to_string(i + 1) +
                      (i ? " bytes" : " byte") + " after the end of a row of the tensor map: a row has " +
                      std::to_string(rowBytes) +
                      " bytes, and stores are clipped to whole pieces of 16 alone");
  }
}

} // namespace

void overrunRow(Cluster &cluster, const TensorMap &map, uint64_t end, const std::byte *from, uint32_t bytes,
                BulkReduction reduction) {
  const Grid &grid = *cluster.grid;
  const Allocation *allocation = recentAllocation(grid, end - 1, 1);
  if (!allocation || allocation->end() <= end) return;
  const auto owned = uint32_t(std::min<uint64_t>(bytes, allocation->end() - end));
  std::byte *to = grid.memory->host(end);
  alignas(8) std::byte before[kStorePieceBytes]{}, after[kStorePieceBytes];
  std::memcpy(before, to, owned);
  std::memcpy(after, before, sizeof after);
  if (reduction)
    reduction(after, from, bytes);
  else
    std::memcpy(after, from, bytes);
  checkOverrun(grid, map, *allocation, end, before, after, owned);
  if (reduction && owned == bytes)
    reduction(to, from, bytes); // other host threads may add to the same bytes
  else
    std::memcpy(to, after, owned);
}

} // namespace mxc::sim
