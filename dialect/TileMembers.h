// What tile attributes are made of: members that are printed whether or not they have their defaults, so that
// a tile's text says all of it and means the same where defaults change.
#pragma once

#include "dialect/MxEnums.h.inc"
#include "mlir/IR/BuiltinAttributes.h"

namespace mxc::mx {

/// The default of a member that was not written. It equals no value: printers elide what equals a default.
template <typename T> struct Unwritten {
  T value;
  operator T() const { return value; }
  friend bool operator==(T, Unwritten) { return false; }
};

/// Of #mx.matmul_tile: MatmulTileAttr::get(context, {.n = 256, .slices = 2}).
struct MatmulTileMembers {
  unsigned m = 128, n = 128, stages = 4, ctas = 1, supergroup = 8, buffers = 2;
  OperandLoad load = OperandLoad::Tensor;
  ResultStore store = ResultStore::Tensor;
  unsigned slices = 1;
  TileScheduler scheduler = TileScheduler::Static;
  LeftOperand a = LeftOperand::Copied;
  mlir::StringAttr when = {};
};

} // namespace mxc::mx
