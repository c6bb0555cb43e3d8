#include "compiler/reference/GroupedReference.h"

#include <algorithm>

namespace mxc {

static constexpr uint8_t kUntouched = 0xA5; // no code or scale that a test's data makes often

std::vector<RowGroup> groupsOf(const ReferenceRun &run, int64_t rows) {
  return rowGroups(run.integers(ArgumentRole::Ends), rows, run.argument(ArgumentRole::Ends).groupRows);
}

GroupedReference::GroupedReference(const ReferenceRun &run, int64_t rows, bool areGathered)
    : valueRows_(rows) {
  if (areGathered) index_ = run.integers(ArgumentRole::Index);
  std::vector<RowGroup> groups = {{0, rows, 0}};
  bool hasPaddingRows = false;
  const AbiArgument *cut = run.kernel.argumentOf(ArgumentRole::Ends),
                    *index = areGathered ? run.kernel.argumentOf(ArgumentRole::Index) : nullptr;
  hasGroups_ = cut != nullptr;
  if (hasGroups_) {
    const int64_t align = cut->groupRows;
    const std::vector<int32_t> ends = run.integers(ArgumentRole::Ends);
    groups = rowGroups(ends, rows, align);
    hasPaddingRows = align != 1;
    valueRows_ = scaleRowsOf(rows, int64_t(ends.size()), align);
    placeOfRow_.assign(size_t(rows), -1);
  }
  isGathered_ = index != nullptr;
  if (isGathered_) {
    const AbiArgument &input = argumentOf(run.kernel, index->of);
    if (std::string fault = faultOfIndex(index_, run.extent(input).rows, groups); !fault.empty())
      throw Error(ErrorKind::InvalidInput, "kernel '" + run.kernel.name + "': gather: " + fault);
  }
  rowOfPlace_.assign(size_t(valueRows_), -1);
  tiles_.assign(size_t(valueRows_ + kScaleTileRows - 1) / kScaleTileRows, 0);
  for (const RowGroup &group : groups)
    for (int64_t r = group.begin; r < group.end; ++r) {
      const int64_t place = hasGroups_ ? group.scaleRow + r - group.begin : r;
      if (hasGroups_) placeOfRow_[size_t(r)] = place;
      rowOfPlace_[size_t(place)] = r;
      tiles_[size_t(place / kScaleTileRows)] = 1;
    }
  for (int64_t r = 0; hasPaddingRows && r < rows; ++r) // rows that zeros fill
    if (hasTile(r)) placeOfRow_[size_t(r)] = r;
}

int64_t GroupedReference::sourceOf(int64_t place) const {
  const int64_t row = rowOfPlace_[size_t(place)];
  return row >= 0 && isGathered_ ? index_[size_t(row)] : row;
}

std::vector<float> GroupedReference::place(std::span<const float> inputs, int64_t columns) const {
  std::vector<float> values(size_t(valueRows_ * columns), 0.0f);
  for (int64_t place = 0; place < valueRows_; ++place) {
    const int64_t row = sourceOf(place);
    if (row >= 0) std::copy_n(inputs.begin() + row * columns, columns, values.begin() + place * columns);
  }
  return values;
}

std::vector<float> GroupedReference::spread(std::span<const float> ofRows, int64_t columns) const {
  std::vector<float> values(size_t(valueRows_ * columns), 0.0f);
  for (int64_t place = 0; place < valueRows_; ++place)
    if (const int64_t row = rowOfPlace_[size_t(place)]; row >= 0)
      std::fill_n(values.begin() + place * columns, columns, ofRows[size_t(row)]);
  return values;
}

void GroupedReference::clearPadding(std::span<float> values, int64_t columns) const {
  for (int64_t place = 0; place < valueRows_; ++place)
    if (sourceOf(place) < 0) std::fill_n(values.begin() + place * columns, columns, 0.0f);
}

void GroupedReference::leave(ReferenceRun &run, const AbiArgument &data, const AbiArgument &scales,
                             const CopyShape &shape, BlockFormat blockFormat) const {
  if (!hasGroups_) return;
  auto leaveWhere = [&](const AbiArgument &argument, auto isLeft) {
    std::vector<uint8_t> &bytes = run.result.outputs[argument.name];
    std::vector<uint8_t> &untouched = run.result.untouched[argument.name];
    untouched.assign(bytes.size(), 0);
    for (size_t i = 0; i < bytes.size(); ++i)
      if (isLeft(int64_t(i))) untouched[i] = 1, bytes[i] = kUntouched;
  };
  const int bits = info(info(blockFormat).element).bits();
  leaveWhere(data, [&](int64_t byte) { // all of its codes are of one row
    auto [line, place] = shape.placeOf(byte * 8 / bits);
    const int64_t row = shape.alongColumns ? place : line;
    return row < 0 || (!shape.alongColumns && !isRowOf(row));
  });
  const ScaleLayout layout = scaleLayoutOf(scales);
  const HostExtent extent = run.extent(scales);
  const BlockFormatInfo &format = info(blockFormat);
  // Rows past a group's end have the scale 0, whatever that of zeros is.
  std::vector<uint8_t> &scaleBytes = run.result.outputs[scales.name];
  for (size_t i = 0; i < scaleBytes.size(); ++i) {
    const ScalePlace place =
        scalePlace(layout, int64_t(i) / info(format.scale).bytes(), extent.rows, extent.columns);
    const int64_t first = shape.alongColumns ? place.block * format.blockColumns : place.row;
    if (!place.isPadding && !isRowOf(first)) scaleBytes[i] = 0;
  }
  leaveWhere(scales, [&](int64_t byte) {
    const int64_t offset = byte / info(format.scale).bytes();
    ScalePlace place = scalePlace(layout, offset, extent.rows, extent.columns);
    if (shape.alongColumns) return !hasTile(place.block * format.blockColumns);
    return layout == ScaleLayout::Dense ? !isRowOf(place.row) : !hasTile(place.row);
  });
}

} // namespace mxc
