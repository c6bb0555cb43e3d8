#include "runtime/simulator/memory/RecentAllocation.h"

namespace mxc::sim {

namespace {

struct Recent {
  uint64_t grid = 0; // Grid::id, which no two launches share
  const Allocation *allocations[6] = {};
  uint32_t next = 0;
};
thread_local Recent recent;

} // namespace

const Allocation *recentAllocation(const Grid &grid, uint64_t address, uint64_t bytes) {
  Recent &own = recent;
  if (own.grid != grid.id) own = {grid.id, {}, 0};
  for (const Allocation *allocation : own.allocations)
    if (allocation && allocation->holds(address, bytes)) return allocation;
  const Allocation *found = grid.memory->find(address, bytes);
  if (found) {
    own.allocations[own.next] = found;
    own.next = (own.next + 1) % std::size(own.allocations);
  }
  return found;
}

} // namespace mxc::sim
