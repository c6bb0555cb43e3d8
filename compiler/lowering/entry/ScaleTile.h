// Where a row's four scales lie in a whole tile of them (dialect/formats/ScaleLayout.h, Tcgen05).
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc {

/// Bytes from the tile's beginning to the word of row `row`, of those of any tile.
inline mlir::Value wordInScaleTile(const ValueBuilder &v, mlir::Value row) {
  return v.add(v.mul(v.bitAnd(row, 31), 16), v.mul(v.bitAnd(v.shru(row, 5), 3), 4));
}

} // namespace mxc
