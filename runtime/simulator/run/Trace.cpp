#include "runtime/simulator/run/Trace.h"

#include "dialect/formats/PrintableText.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/PlacedModule.h"

#include <cstdio>

namespace mxc::sim {

static bool isNamed(std::string_view name, uint64_t number) {
  return name == "*" || name == std::to_string(number);
}

bool isTraced(std::string_view filter, uint64_t cta, uint32_t warp) {
  if (filter == "*") return true;
  size_t colon = filter.find(':');
  return isNamed(filter.substr(0, colon), cta) && isNamed(filter.substr(colon + 1), warp);
}

static uint64_t numberOf(const Cta &cta) {
  const std::array<uint32_t, 3> &grid = cta.cluster->grid->launch->grid, &at = cta.position;
  return at[0] + uint64_t(grid[0]) * (at[1] + uint64_t(grid[1]) * at[2]);
}

void trace(Warp &warp, const Instruction &instruction) {
  const std::string &filter = gridOf(warp).options->traceFilter;
  if (filter.empty() || !instruction.source || !isTraced(filter, numberOf(*warp.cta), warp.index)) return;
  std::string line = printable(gridOf(warp).program->module->line(instruction.source->place.line));
  int lane = __builtin_ctz(warp.mask);
  std::string values;
  char text[32];
  for (Row row : instruction.reads) {
    uint64_t bits = row.bytes ? laneBits(warp, row, lane) : predicate(warp, row.offset) >> lane & 1;
    std::snprintf(text, sizeof text, " %llx", static_cast<unsigned long long>(bits));
    values += text;
  }
  const std::array<uint32_t, 3> &cta = warp.cta->position;
  std::fprintf(stderr, "(%u, %u, %u):%u %5u %08x  %-60s  lane %d reads%s\n", cta[0], cta[1], cta[2],
               warp.index, instruction.source->place.line, warp.mask, line.c_str(), lane, values.c_str());
}

} // namespace mxc::sim
