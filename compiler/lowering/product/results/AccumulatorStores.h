// Sums in the registers of warps, 16 rows of a tile each, as wgmma and mma.sync leave them.
#pragma once

#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

/// Hands the accumulator of a tile to the sink, box by box, from the role that made it.
void storeAccumulator(const ProductEntry &e, const ClusterTilePlan &plan, const ResultSink &results,
                      const ValueBuilder &v, const TileRecord &tile, mlir::Value accumulator);

} // namespace mxc
