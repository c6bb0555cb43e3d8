// The tiles of a chip's table as attributes. The tables are text in compiler/targets, which knows nothing of
// MLIR; from here on no tile is text before it leaves the compiler.
#pragma once

#include "dialect/MxOps.h"

#include <span>
#include <string_view>
#include <vector>

namespace mxc {

using Tiles = std::vector<mx::TileAttrInterface>;

Tiles tilesOf(std::span<const std::string_view> table, mlir::MLIRContext *context);

} // namespace mxc
