#include "runtime/simulator/Trace.h"

#include "runtime/simulator/instructions/Lanes.h"

#include <cstdio>

namespace mxc::sim {

/// "5:2": the CTA's number in the grid (x fastest), the warp's in the CTA.
static bool isTraced(const Warp &warp, const std::string &filter) {
  const std::array<uint32_t, 3> &grid = warp.cta->cluster->grid->launch->grid, &at = warp.cta->position;
  uint64_t cta = at[0] + uint64_t(grid[0]) * (at[1] + uint64_t(grid[1]) * at[2]);
  return filter == std::to_string(cta) + ":" + std::to_string(warp.index);
}

void trace(Warp &warp, const Instruction &instruction) {
  const std::string &filter = gridOf(warp).options->traceFilter;
  if (filter.empty() || !instruction.source || !isTraced(warp, filter)) return;
  std::string line = gridOf(warp).program->module->line(instruction.source->place.line);
  int lane = __builtin_ctz(warp.mask);
  std::string values;
  char text[32];
  for (Row row : instruction.reads) {
    uint64_t bits = row.bytes ? laneBits(warp, row, lane) : predicate(warp, row.offset) >> lane & 1;
    std::snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(bits));
    values += text;
  }
  std::fprintf(stderr, "%5u %08x  %-60s  lane %d reads%s\n", instruction.source->place.line, warp.mask,
               line.c_str(), lane, values.c_str());
}

} // namespace mxc::sim
