// Blocks of several rows: a CTA's 128 rows share a maximum for every 128 columns.
#pragma once

#include "compiler/lowering/entry/SharedLayout.h"
#include "compiler/lowering/quantize/TilePosition.h"

namespace mxc {

/// Whether a tile's CTA has the rows of such a block whole: 32 warps, four rows each.
bool hasWholeBlocks(mx::QuantizeTileAttr tile, BlockShape block);

/// The shared memory through which the warps of a CTA agree.
void placeMaxima(SharedLayout &shared, mx::QuantizeTileAttr tile, int lanesPerBlock);

/// Makes of `maxima` (i32, of a lane's rows, in all lanes of a block's columns) those of the CTA's rows. All
/// threads of the CTA come by.
void joinRows(const ValueBuilder &v, mlir::Value shared, const TilePosition &at, mx::QuantizeTileAttr tile,
              int lanesPerBlock, llvm::MutableArrayRef<mlir::Value> maxima);

/// Where one of the warps stores the CTA's scales.
TilePosition scalesOfBlocks(const ValueBuilder &v, const TilePosition &at);

} // namespace mxc
