// Formats whose products run at the tensor cores' full rate: blocks of 128 elements along K with f32 scales,
// which are multiplied in after each block.
#pragma once

#include "dialect/formats/BlockFormat.h"

namespace mxc {

inline bool isBlockwise(BlockFormat format) {
  constexpr int kColumns = 128;
  return info(format).scale == ScaleFormat::F32 && info(format).blockColumns == kColumns;
}

} // namespace mxc
