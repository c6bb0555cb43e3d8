// The inverse of scaleOffset: whose scale a byte is.
#pragma once

#include "dialect/formats/ScaleLayout.h"

namespace mxc {

struct ScalePlace {
  int64_t row = 0, block = 0;
  bool isPadding = false; // of a whole tile: outside the matrix, always 0x00
};

/// `offset` lies within scaleBytes(layout, rows, blocks); nothing is checked.
ScalePlace scalePlace(ScaleLayout layout, int64_t offset, int64_t rows, int64_t blocks);

} // namespace mxc
