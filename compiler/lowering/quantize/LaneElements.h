// A lane's elements of row-major matrices: how they are loaded and stored, whole or one by one.
#pragma once

#include "compiler/lowering/quantize/TilePosition.h"
#include "compiler/targets/Target.h"

namespace mxc {

/// The widest access that `bytes` of a lane allow on this chip, and so the alignment that rows need: a power
/// of two.
int accessBytes(const Target &target, int64_t bytes);

/// The lane's elements of `argument`, a vector<n x element> for every row of `at`; those below 8 bits as the
/// bytes that hold them, vector<n x i8>. Outside the matrix: with vector access, whatever a valid place holds
/// (mask with rowValid and columnValid); with element access, zeros beyond the row's end.
llvm::SmallVector<mlir::Value> loadLaneElements(EntryFunction &entry, const TilePosition &at,
                                                mx::QuantizeTileAttr tile, llvm::StringRef argument,
                                                mlir::Type element, const Target &target);

/// The words (`words`: their type) of a lane's codes, which may be fewer bytes.
mlir::Value wordsOfLane(const ValueBuilder &v, mlir::Value codes, mlir::VectorType words);

/// Stores one vector a row, of elements or of the words that hold them (of whole bytes); nothing outside the
/// matrix is written.
void storeLaneElements(EntryFunction &entry, const TilePosition &at, mx::QuantizeTileAttr tile,
                       llvm::StringRef argument, mlir::Type element, llvm::ArrayRef<mlir::Value> rows,
                       const Target &target);

/// The f32 of row `row` (i64) after `values` (global pointer), or where there is no such row (i1) that of
/// row 0, which is there.
mlir::Value loadRowValue(const ValueBuilder &v, mlir::Value values, mlir::Value row, mlir::Value isRow);

/// i1: the lane's element `index` lies before the row's end.
mlir::Value elementValid(EntryFunction &entry, const TilePosition &at, int index);

} // namespace mxc
