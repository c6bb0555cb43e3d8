// Which rows and columns a lane works on, and how a grid covers the matrix (#mx.quantize_tile).
#pragma once

#include "compiler/lowering/EntryFunction.h"

namespace mxc {

/// A CTA's place. Rows and columns are counted in i32 with vector access (half the instructions; such tiles
/// take extents up to kNarrowExtent) and in i64 with element access. Byte offsets are always 64-bit.
struct CtaPosition {
  mlir::Value lane, warp;            // i32
  mlir::Value ctaColumn, ctaRow;     // the CTA's first column and first row
  mlir::Value columnCount, rowCount; // K, M
  mlir::Value hasWork;               // i1: a grid may overshoot in its third dimension
};

/// A lane's place. Rows are `rows[0] + 32 j`; its elements begin at `column`.
struct TilePosition : CtaPosition {
  mlir::Value column;                      // of this lane's first element
  mlir::SmallVector<mlir::Value> rows;     // one a vector of elements
  mlir::SmallVector<mlir::Value> rowValid; // i1: row < M
  mlir::Value columnValid;                 // i1: column < K
  mlir::Value block, blocks;               // the elements' block, and how many a row has
};

CtaPosition ctaPosition(EntryFunction &entry, mx::QuantizeTileAttr tile);
TilePosition tilePosition(const ValueBuilder &v, mx::QuantizeTileAttr tile, const BlockFormatInfo &format,
                          const CtaPosition &cta);

/// The grid that covers the matrix with this tile, and the block.
void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile);

} // namespace mxc
