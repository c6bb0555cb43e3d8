// Sums in the registers of warps, 16 rows of a tile at a time, as wgmma and mma.sync leave them: through the
// epilogue to c.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// Stores a tile's accumulators. Each is of as many rows of the tile as the role's warps have, 16 a warp: the
/// first one of the tile's first rows. Where a tile has slices these are a slice's, which meet in a workspace
/// (SliceSums.h).
void storeAccumulators(const TileEntry &e, const ValueBuilder &v, const TileRecord &tile,
                       mlir::ValueRange accumulators);

/// The same of b a^T: the accumulator of a warp has 16 rows of b, which are columns of c, and all rows of the
/// tile; boxes leave by tensor maps.
struct TransposedBoxes {
  int rows, tileRows; // of a box, of the tile
};
void storeTransposed(const TransposedBoxes &boxes, const TileEntry &e, const ValueBuilder &v,
                     const TileRecord &tile, mlir::Value accumulator);

/// The end of a role that stores: its boxes have left.
void drainResults(const TileEntry &e, const ValueBuilder &v);

} // namespace mxc
