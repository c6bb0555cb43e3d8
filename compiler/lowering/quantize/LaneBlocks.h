// Lanes that have two whole blocks of each of their rows.
#pragma once

#include "compiler/lowering/quantize/EncodeBlocks.h"

namespace mxc {

/// Equal parts of vectors, each of whole words; those of one vector side by side.
llvm::SmallVector<mlir::Value> splitVectors(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> vectors,
                                            int parts);
/// vector<n x i32> of the words of every `parts` vectors.
llvm::SmallVector<mlir::Value> joinWords(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> vectors,
                                         int parts);

/// The same as storeScales of four rows of two blocks a lane, those of a row side by side in `codes`. Words
/// are stored 8 bytes at a time.
void storeBlockPairs(const ValueBuilder &v, mlir::Value scales, mlir::Type scale, mx::ScaleLayoutKind layout,
                     const TilePosition &at, llvm::ArrayRef<mlir::Value> codes);

} // namespace mxc
