// The quantizing steps on values in registers: block maxima, scales, codes, and the scales' way to memory.
#pragma once

#include "compiler/lowering/quantize/TilePosition.h"

namespace mxc {

struct EncodedBlocks {
  llvm::SmallVector<mlir::Value> codes;  // vector<n x i32>, words of packed codes, one a row of elements
  llvm::SmallVector<mlir::Value> scales; // i32, the code of the block's scale, in all of its lanes
};

/// MLIR's types of a copy's codes and scales.
struct CopyTypes {
  mlir::Type element, scale;
  explicit CopyTypes(const mx::QuantizedCopy &copy);
};

/// Codes and scales of `rows`, vectors of bf16, f16 or f32 whose maxima are of `lanesPerBlock` neighbouring
/// lanes. Rows that are not `valid` (i1, one a row) count as zeros. `tensorScale`: f32, of
/// formats that have one. `join`: makes of the rows' maxima (i32) those of blocks of several rows. `random`:
/// makes the words of random bits of the row that is asked for, one for four elements; null: to nearest.
EncodedBlocks encodeBlocks(const ValueBuilder &v, const QuantizeRule &rule, CopyTypes types,
                           llvm::ArrayRef<mlir::Value> rows, llvm::ArrayRef<mlir::Value> valid,
                           int lanesPerBlock, mlir::Value tensorScale = {},
                           llvm::function_ref<void(llvm::MutableArrayRef<mlir::Value>)> join = {},
                           llvm::function_ref<llvm::SmallVector<mlir::Value>(size_t row)> random = {});

/// The rule has bytes for blocks of zeros that are not 0, as padding is, or a scale for several blocks.
bool mustClear(const QuantizeRule &rule);

/// Where that is so: 0 for those outside the matrix.
void clearOutside(const ValueBuilder &v, const QuantizeRule &rule, const TilePosition &at,
                  llvm::MutableArrayRef<mlir::Value> scales);

/// The f32 bit patterns (i32) of the largest magnitudes of the columns of `rows`, one vector of adjacent
/// columns a row.
llvm::SmallVector<mlir::Value> columnMaxima(const ValueBuilder &v, const QuantizeRule &rule,
                                            llvm::ArrayRef<mlir::Value> rows);

/// The same as encodeBlocks of blocks along columns, of which a lane has `rows`; `maxima` are its columns'
/// blocks', those of the first rows first. `scales`: the same of them. `codes`: one vector a column, or if
/// not `isTransposed` a row. `random`: the words of a column's rows, from `firstRow` to the block's end.
EncodedBlocks
encodeColumns(const ValueBuilder &v, const QuantizeRule &rule, CopyTypes types,
              llvm::ArrayRef<mlir::Value> rows, llvm::ArrayRef<mlir::Value> maxima, bool isTransposed,
              mlir::Value tensorScale = {},
              llvm::function_ref<llvm::SmallVector<mlir::Value>(int column, int firstRow)> random = {});

/// Where scales are in the layout tcgen05 a lane has a word, four blocks of a row: which of the warp's rows
/// that is (i32), and the first of the blocks.
mlir::Value rowOfWord(const ValueBuilder &v, const TilePosition &at, int lanesPerBlock);
mlir::Value firstBlockOfWord(const ValueBuilder &v, const TilePosition &at);

/// Rows and blocks of a matrix of scales; a layout asks for one of them.
struct ScaleExtent {
  mlir::Value rows, blocks;
};
/// How many scales lie before that of (row, block). i64.
mlir::Value scaleOffset(const ValueBuilder &v, mx::ScaleLayoutKind layout, mlir::Value row, mlir::Value block,
                        ScaleExtent extent);

/// Stores the scales of the rows and the block of `at` to `scales` (global pointer); nothing outside the
/// matrix is written but padding inside the layout's tiles. `codes`: of scales of type `scale`, one a row.
void storeScales(const ValueBuilder &v, mlir::Value scales, mlir::Type scale, mx::ScaleLayoutKind layout,
                 const TilePosition &at, int lanesPerBlock, llvm::ArrayRef<mlir::Value> codes);

} // namespace mxc
