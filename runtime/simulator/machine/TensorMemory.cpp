#include "runtime/simulator/machine/TensorMemory.h"

#include "runtime/simulator/machine/Warp.h"
#include "runtime/simulator/report/Fault.h"

#include <algorithm>

namespace mxc::sim {

namespace {

constexpr uint32_t kUnits = TensorMemory::kColumns / TensorMemory::kUnit;

std::string columnsText(uint32_t column, uint32_t columns) {
  return columns == 1 ? "column " + std::to_string(column)
                      : "columns " + std::to_string(column) + " to " + std::to_string(column + columns - 1);
}

} // namespace

std::optional<uint32_t> TensorMemory::findFree(uint32_t columns) const {
  if (allocated.empty()) return 0;
  uint32_t units = columns / kUnit;
  for (uint32_t first = 0; first + units <= kUnits; ++first)
    if (std::all_of(&allocated[first], &allocated[first] + units, [](uint32_t owner) { return owner == 0; }))
      return first * kUnit;
  return std::nullopt;
}

void TensorMemory::allocate(uint32_t column, uint32_t columns, uint32_t line) {
  if (cells.empty()) {
    cells.resize(kLanes * kColumns);
    written.resize(kLanes * kColumns);
    allocated.resize(kUnits);
  }
  ++allocations;
  lines.push_back(line);
  std::fill_n(&allocated[column / kUnit], columns / kUnit, allocations);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    std::fill_n(writtenRow(lane, column), columns, 0);
}

void TensorMemory::release(uint32_t column, uint32_t columns) {
  uint32_t first = column / kUnit, units = columns / kUnit;
  uint32_t owner = allocated.empty() || column % kUnit || first + units > kUnits ? 0 : allocated[first];
  uint32_t owned = owner ? uint32_t(std::ranges::count(allocated, owner)) : 0;
  bool isFirst = owner && (first == 0 || allocated[first - 1] != owner);
  if (!isFirst || owned != units)
    throw FaultError(FaultKind::TensorMemory, "tcgen05.dealloc of " + columnsText(column, columns) +
                                                  ", which no tcgen05.alloc of that size gave");
  std::fill_n(&allocated[first], units, 0);
}

void TensorMemory::check(const TensorRegion &region, const char *what) const {
  bool isInside = region.column + region.columns <= kColumns && region.lane + region.lanes <= kLanes;
  if (!isInside)
    throw FaultError(FaultKind::TensorMemory, std::string(what) + ": " +
                                                  columnsText(region.column, region.columns) + " of lanes " +
                                                  std::to_string(region.lane) + " to " +
                                                  std::to_string(region.lane + region.lanes - 1) +
                                                  " are outside of tensor memory (512 columns, 128 lanes)");
  for (uint32_t unit = region.column / kUnit; unit * kUnit < region.column + region.columns; ++unit)
    if (allocated.empty() || !allocated[unit])
      throw FaultError(FaultKind::TensorMemory,
                       std::string(what) + ": " + columnsText(region.column, region.columns) +
                           " of tensor memory are not all allocated (column " +
                           std::to_string(std::max(unit * kUnit, region.column)) + " is not)");
}

void checkTensorMemoryReleased(Cta &cta) {
  const std::vector<uint32_t> &allocated = cta.tensor.allocated;
  auto leak = std::ranges::find_if(allocated, [](uint32_t owner) { return owner != 0; });
  if (leak == allocated.end() || cta.cluster->grid->options->leavesOut(Finding::TensorLeak)) return;
  uint32_t units = uint32_t(std::ranges::count(allocated, *leak));
  FaultError error(
      FaultKind::TensorMemory, Finding::TensorLeak,
      columnsText(uint32_t(leak - allocated.begin()) * TensorMemory::kUnit, units * TensorMemory::kUnit) +
          " of tensor memory are still allocated at the CTA's end (no tcgen05.dealloc)");
  error.fault.line = cta.tensor.lines[*leak - 1];
  throw error;
}

} // namespace mxc::sim
