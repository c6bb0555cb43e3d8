// Rows of weights, a slab at a time.
#pragma once

#include "runtime/files/Safetensors.h"

#include <algorithm>

namespace mxc {

/// The bytes of some rows of a matrix, which is a weight's elements, codes or scales.
inline std::span<const std::byte> rowsOf(const Tensor &matrix, int64_t first, int64_t rows) {
  const size_t bytesOfRow = matrix.data.size() / size_t(matrix.shape[0]);
  return matrix.data.subspan(size_t(first) * bytesOfRow, size_t(rows) * bytesOfRow);
}

/// Calls work(first row, rows) for all rows of a matrix: so many at once as have `slabElements` elements, at
/// least one. A matrix without columns has nothing to do, however many rows it claims.
template <typename Work> void overSlabs(int64_t rows, int64_t columns, int64_t slabElements, Work work) {
  if (columns == 0) return;
  const int64_t most = std::max<int64_t>(1, slabElements / columns);
  for (int64_t first = 0; first < rows; first += most)
    work(first, std::min(most, rows - first));
}

} // namespace mxc
