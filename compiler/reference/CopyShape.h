// How the codes of one copy of a quantized matrix lie beside its values: blocks run along the copy's lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mxc {

struct CopyShape {
  int64_t rows = 0, columns = 0; // of the values
  bool alongColumns = false;     // lines are columns of the values, else rows
  bool isTransposed = false;     // codes are [columns, rows]
  // For data in groups: among the values, where groups begin at multiples of 128, the place of each of its
  // rows; -1: of none. Without: the same.
  std::optional<std::vector<int64_t>> placeOfRow = {};

  int64_t lines() const { return alongColumns ? columns : rows; }
  int64_t length() const { return alongColumns ? rows : columns; }
  int64_t dataRows() const { return placeOfRow ? int64_t(placeOfRow->size()) : rows; }

  /// Where element `place` of a line lies among the values.
  int64_t valueIndex(int64_t line, int64_t place) const {
    return alongColumns ? place * columns + line : line * columns + place;
  }

  struct Place {
    int64_t line, place;
  };
  /// Whose code lies at `index` of the data; -1 for the row: nobody's.
  Place placeOf(int64_t index) const {
    if (!alongColumns) return {row(index / columns), index % columns};
    if (!isTransposed) return {index % columns, row(index / columns)};
    return {index / dataRows(), row(index % dataRows())};
  }
  int64_t row(int64_t dataRow) const { return placeOfRow ? (*placeOfRow)[size_t(dataRow)] : dataRow; }
};

/// to[c][r] = from[r][c], in squares that stay in the cache.
template <typename T>
void transpose(std::span<const T> from, std::span<T> to, int64_t rows, int64_t columns) {
  constexpr int64_t square = 32;
  for (int64_t r0 = 0; r0 < rows; r0 += square)
    for (int64_t c0 = 0; c0 < columns; c0 += square)
      for (int64_t r = r0; r < std::min(r0 + square, rows); ++r)
        for (int64_t c = c0; c < std::min(c0 + square, columns); ++c)
          to[size_t(c * rows + r)] = from[size_t(r * columns + c)];
}

} // namespace mxc
