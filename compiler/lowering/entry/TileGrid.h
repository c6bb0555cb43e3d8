// A matrix of tiles as a grid of CTAs.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/MxOps.h"

#include <string>

namespace mxc {

/// x goes through the tiles in `order`, y and z together through the slower direction; whole clusters in
/// both.
struct TileGrid {
  mx::TileOrder order = mx::TileOrder::Columns;
  unsigned clusterRows = 1, clusterColumns = 1; // of tiles

  /// `rows` and `columns` of tiles are expressions of the launch.
  void cover(AbiVariant &variant, const std::string &rows, const std::string &columns) const;

  struct Place {
    mlir::Value row, column; // in tiles
    bool mayBeBelow; // the grid may overshoot the rows; else the columns; beyond 2^31 too. To make clusters
                     // whole, both
  };
  /// The place of this CTA. Rows and columns are counted as `index` makes them of i32.
  Place place(const ValueBuilder &v, llvm::function_ref<mlir::Value(mlir::Value)> index) const;
};

} // namespace mxc
