// Which rows and columns a lane works on, and how a grid covers the matrix (#mx.quantize_tile).
#pragma once

#include "compiler/lowering/EntryFunction.h"
#include "compiler/targets/Target.h"

#include <functional>

namespace mxc {

/// A lane's place. Rows are `rows[0] + 32 j`; the fragment begins at `column`. Rows and columns are counted
/// in i32 with vector access (half the instructions; such tiles take extents up to kNarrowExtent) and in
/// i64 with element access. Byte offsets are always 64-bit.
struct TilePosition {
  mlir::Value lane, warp;                  // i32
  mlir::Value ctaColumn, ctaRow;           // the CTA's first column and first row
  mlir::Value column;                      // of this lane's fragment
  mlir::Value columnCount;                 // K
  mlir::SmallVector<mlir::Value> rows;     // one a fragment
  mlir::SmallVector<mlir::Value> rowValid; // i1: row < M
  mlir::Value columnValid;                 // i1: column < K
  mlir::Value block, blocks;               // the fragment's block, and how many a row has
};

/// Emits the position, then `body` for the CTAs that have work (a grid may overshoot in its third dimension).
void atTilePosition(EntryFunction &entry, mx::QuantizeTileAttr tile,
                    const std::function<void(const TilePosition &)> &body);

/// The grid that covers the matrix with this tile, and the block.
void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile);

} // namespace mxc
