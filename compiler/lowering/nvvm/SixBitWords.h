// Codes of 6 bits in words: packed, four in three bytes, and a byte for each, as conversions have them.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

inline constexpr int kSixBitRun = 4; // codes that are whole bytes

/// `count` words of packed codes, from words of four bytes with a code each; zeros past the last one.
llvm::SmallVector<mlir::Value> wordsOfSixBits(const ValueBuilder &v, llvm::ArrayRef<mlir::Value> bytes,
                                              int count);
/// The runs of four codes that are whole in words of packed codes: the lowest 24 bits each.
llvm::SmallVector<mlir::Value> runsOfSixBits(const ValueBuilder &v, mlir::ValueRange words);
/// Four bytes with a code of a run each.
mlir::Value bytesOfSixBits(const ValueBuilder &v, mlir::Value run);

} // namespace mxc::nvvm
