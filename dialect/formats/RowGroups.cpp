#include "dialect/formats/RowGroups.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/ScaleLayout.h"

#include <algorithm>

namespace mxc {

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::string faultOfEnds(std::span<const int32_t> ends, int64_t rows, int64_t align) {
  const auto named = [&](size_t g) { return "ends[" + std::to_string(g) + "] = " + std::to_string(ends[g]); };
  for (size_t g = 0; g < ends.size(); ++g) {
    const int64_t before = g ? ends[g - 1] : 0, begin = roundUp(before, align);
    if (ends[g] < before)
      return named(g) + " falls below " + (g ? named(g - 1) : "0") + ": expected ends that never fall";
    if (ends[g] > before && ends[g] < begin)
      return named(g) + " lies in the padding after " + named(g - 1) + ": expected " +
             std::to_string(before) + " (an empty group), or at least " + std::to_string(begin) +
             ", where the group begins";
    if (ends[g] > rows)
      return named(g) + " lies after the last row: expected at most " + std::to_string(rows);
  }
  return {};
}

std::vector<RowGroup> rowGroups(std::span<const int32_t> ends, int64_t rows, int64_t align) {
  if (const std::string fault = faultOfEnds(ends, rows, align); !fault.empty())
    throw Error(ErrorKind::InvalidInput, "groups of rows: " + fault);
  std::vector<RowGroup> groups;
  for (size_t g = 0; g < ends.size(); ++g) {
    const int64_t begin = roundUp(g ? ends[g - 1] : 0, align);
    const int64_t tile = begin / kScaleTileRows + (align == 1 ? int64_t(g) : 0);
    groups.push_back({begin, ends[g], tile * kScaleTileRows});
  }
  return groups;
}

std::string faultOfIndex(std::span<const int32_t> index, int64_t rows, std::span<const RowGroup> groups) {
  for (const RowGroup &group : groups)
    for (int64_t r = group.begin; r < group.end; ++r)
      if (index[size_t(r)] < -1 || index[size_t(r)] >= rows)
        return "entry " + std::to_string(r) + " is " + std::to_string(index[size_t(r)]) +
               ", no row of the input: expected -1 to " + std::to_string(rows - 1);
  return {};
}

int64_t scaleRowsOf(int64_t rows, int64_t groups, int64_t align) {
  if (align != 1) return rows;
  return std::max<int64_t>(0, roundUp(rows, kScaleTileRows) + kScaleTileRows * (groups - 1));
}

} // namespace mxc
