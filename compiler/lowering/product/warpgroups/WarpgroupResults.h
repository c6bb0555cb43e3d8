// Results of warpgroups: accumulators in registers, through the epilogue to c.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// Stores a tile's accumulators. Each is of 128 rows of the tile, of which a warp of the role has 16: the
/// first of them of the tile's first 128 rows, and so on.
void storeAccumulators(const ClusterTilePlan &plan, const ProductEntry &e, const ResultSink &results,
                       const ValueBuilder &v, const TileRecord &tile, mlir::ValueRange accumulators);

/// The end of a role that stores: its boxes have left.
void drainResults(const ClusterTilePlan &plan, const ValueBuilder &v);

} // namespace mxc
