// A matrix of tiles as a grid of CTAs.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "compiler/lowering/ValueBuilder.h"
#include "dialect/MxOps.h"

#include <string>

namespace mxc {

inline constexpr int64_t kMaximumGridHeight = 65535; // of y and of z

/// x goes through the tiles in `order`, y and z together through the slower direction. Supergroups (of more
/// than one row of tiles) have their rows in x, the columns in y, and themselves in z.
struct TileGrid {
  mx::TileOrder order = mx::TileOrder::Columns;
  unsigned supergroup = 1;

  /// `rows` and `columns` of tiles are expressions of the launch.
  void cover(AbiVariant &variant, const std::string &rows, const std::string &columns) const;

  struct Place {
    mlir::Value row, column; // in tiles
    bool mayBeBelow;         // the grid may overshoot the rows; else the columns; beyond 2^31 too
  };
  /// Of this CTA. Rows and columns are counted as `index` makes them of i32.
  Place place(const ValueBuilder &v, llvm::function_ref<mlir::Value(mlir::Value)> index) const;
};

} // namespace mxc
