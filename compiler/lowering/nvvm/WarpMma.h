// mma.sync with scales of blocks, products of a warp on the chips 12.x; and matrices to and from its
// registers.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/MxOps.h"

namespace mxc::nvvm {

using mlir::Value;

/// Four matrices of 8 rows of 16 bytes (ldmatrix.x4), a word of each; `address`: i32, of the row in shared
/// memory that this lane names, lanes 8 i to 8 i + 7 those of matrix i.
llvm::SmallVector<Value> loadMatrices(const ValueBuilder &v, Value address);
/// The same of rows that hold 16 elements of 4 or 6 bits, packed at their beginning: a byte each in the
/// words, as warpMma takes them.
llvm::SmallVector<Value> loadPaddedMatrices(const ValueBuilder &v, Value address, ElementFormat element);

/// Two or four matrices of 8 rows of 16 bytes (stmatrix), of which this lane has words; `address` as above.
void storeMatrices(const ValueBuilder &v, mlir::ValueRange words, Value address);

/// Four of them, each stored transposed: the words are of its columns.
void storeMatricesTransposed(const ValueBuilder &v, mlir::ValueRange words, Value address);

/// An operand's words of scales: which byte of them the instruction's first block has, and which lane of
/// four (of a: which two) holds them.
struct ScaleWord {
  Value word; // i32
  int byte, thread;
};

/// accumulator + a b, 16 x 8 f32 of which a lane has four; 32 bytes of K of each row (PTX ISA, "Block scaling
/// for mma.sync"). `a` are four words, `b` two.
llvm::SmallVector<Value> warpMma(const ValueBuilder &v, mx::BlockMmaKind kind, ElementFormat elementA,
                                 ElementFormat elementB, mlir::ValueRange accumulator, mlir::ValueRange a,
                                 mlir::ValueRange b, ScaleWord scaleA, ScaleWord scaleB);

} // namespace mxc::nvvm
