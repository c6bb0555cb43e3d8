// Which rows and columns a lane works on, and how a grid covers the matrix (#mx.quantize_tile).
#pragma once

#include "compiler/lowering/entry/EntryFunction.h"

namespace mxc {

/// A CTA's place. Rows and columns are counted in i32 with vector access (half the instructions; such tiles
/// take extents up to kNarrowExtent) and in i64 with element access. Byte offsets are always 64-bit.
struct CtaPosition {
  mlir::Value lane, warp;            // i32
  mlir::Value ctaColumn, ctaRow;     // the CTA's first column and first row
  mlir::Value columnCount, rowCount; // K, M
  mlir::Value hasWork;               // i1: a grid may overshoot in its third dimension
  mlir::Value rowBlock;              // the first row of the CTA's 128
  mlir::Value scaleRowCount;         // rows of scales, whatever group the CTA's rows are of
};

/// A lane's place. Rows are `rows[0] + rowsApart * j`; its elements begin at `column`.
struct TilePosition : CtaPosition {
  mlir::Value column;                      // of this lane's first element
  mlir::SmallVector<mlir::Value> rows;     // one a vector of elements
  mlir::SmallVector<mlir::Value> rowValid; // i1: row < M
  mlir::SmallVector<mlir::Value> scaleRows;
  int rowsApart = 32;             // or 1: adjacent ones, from a multiple of as many on
  bool storesPadding = true;      // mn_major: 0 as the scales of rows that are not valid
  bool hasWords = true;           // tcgen05: a warp has the four blocks of a word
  bool hasHalfWords = false;      // or two of them, of tiles of scales that are the CTA's rows
  mlir::Value wordRow, wordValid; // tcgen05: of the row that the lane's word of scales is of, where the
                                  // rows' scales do not lie 32 apart; i1: there is one
  mlir::SmallVector<mlir::Value> sources;     // i64, of gathered inputs: the row of each; empty: `rows`
  mlir::SmallVector<mlir::Value> sourceValid; // i1: there is one
  mlir::Value columnValid;                    // i1: column < K
  mlir::Value block, blocks;                  // the elements' block, and how many a row has
};

/// With `asksForWarps` the CTA has as many warps as it is launched with, a power of two up to 32; else the
/// tile's.
CtaPosition ctaPosition(EntryFunction &entry, mx::QuantizeTileAttr tile, bool asksForWarps);
TilePosition tilePosition(const ValueBuilder &v, mx::QuantizeTileAttr tile, const BlockFormatInfo &format,
                          const CtaPosition &cta, int rowsApart);

/// The grid that covers `tileRows` (an expression) blocks of 128 rows with this tile, and the block.
void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile,
                    llvm::StringRef tileRows);

} // namespace mxc
