// Which rows and columns a lane works on, and how a grid covers the matrix (#mx.quantize_tile).
#pragma once

#include "compiler/lowering/EntryFunction.h"
#include "compiler/targets/Target.h"

#include <functional>

namespace mxc {

/// A lane's place. Rows are `rows[0] + 32 j`; the fragment begins at `column`.
struct TilePosition {
  mlir::Value lane, warp;                  // i32
  mlir::Value ctaColumn, ctaRow;           // i64: the CTA's first column and first row
  mlir::Value column;                      // i64: of this lane's fragment
  mlir::SmallVector<mlir::Value> rows;     // i64: one a fragment
  mlir::SmallVector<mlir::Value> rowValid; // i1: row < M
  mlir::Value columnValid;                 // i1: column < K
  mlir::Value block, blocks;               // i64: the fragment's block, and how many a row has
};

/// Emits the position, then `body` for the CTAs that have work (a grid may overshoot in its third dimension).
void atTilePosition(EntryFunction &entry, mx::QuantizeTileAttr tile,
                    const std::function<void(const TilePosition &)> &body);

/// The grid that covers the matrix with this tile, and the block.
void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile);

/// Joins conditions of the ABI ("" = always).
std::string both(const std::string &a, const std::string &b);

/// "K is a multiple of `divisor`" as a condition; "" when it is known to hold, "0" when it is known not to.
std::string multipleOf(const Extent &extent, int64_t divisor);

} // namespace mxc
