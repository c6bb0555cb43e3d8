// Where groups of rows lie by their ends, and their scales: what every search for a group computes of them.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/formats/ScaleLayout.h"

namespace mxc {

/// An end (i32, as it is in memory) as it counts: within 0 and `most`.
inline mlir::Value endWithin(const ValueBuilder &v, mlir::Value end, mlir::Value most) {
  return v.minu(mlir::arith::MaxSIOp::create(v.b, v.loc, end, v.i32(0)), most);
}

/// The first tile row of scales of a group that begins at row `begin`, where groups lie side by side (align =
/// 1) and have tiles of their own: each group before it has at most one that is not full.
inline mlir::Value firstScaleTile(const ValueBuilder &v, mlir::Value begin, mlir::Value group) {
  return v.add(v.divu(begin, kScaleTileRows), group);
}

} // namespace mxc
