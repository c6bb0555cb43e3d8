// From tile-level operations to arith, LLVM and NVVM: one populate function a file of patterns.
#pragma once

#include "compiler/lowering/nvvm/Conversions.h"

#include "mlir/IR/PatternMatch.h"

namespace mxc {

// `isPacked`, or `forms`: where the chip converts bf16 two a register; blocks of columns of 8 bits, which
// gain nothing by packed arithmetic alone, take it then only.
void populateBlockAmaxPatterns(mlir::RewritePatternSet &patterns);  // mx.block_amax
void populateScaleCodePatterns(mlir::RewritePatternSet &patterns);  // mx.encode_scale, mx.decode_scale
void populateScaleStorePatterns(mlir::RewritePatternSet &patterns); // mx.gather_scales, mx.scale_offset
void populateConvertPatterns(mlir::RewritePatternSet &patterns,
                             nvvm::ConversionForms forms); // mx.convert_pack, mx.convert_unpack
/// Conversions to bf16 whose scale is decoded right before them, as one instruction a pair: before the
/// patterns.
void lowerScaledConversions(mlir::Operation *root);
/// Notes which mx.convert_pack and mx.convert_columns have a NaN product only where their multiplier is NaN:
/// scales propagate it. Before scales are lowered.
void markNanByMultiplier(mlir::Operation *root);
inline constexpr llvm::StringLiteral kNanByMultiplier = "mx.nan_by_multiplier"; // the note
/// Where mx.block_amax and mx.column_amax are lowered, and the rest is not yet: scales whose maxima are
/// halves of one register are encoded two at a time.
void pairScales(mlir::Operation *root);
void populateColumnAmaxPatterns(mlir::RewritePatternSet &patterns, bool isPacked); // mx.column_amax
void populateConvertColumnsPatterns(mlir::RewritePatternSet &patterns,
                                    nvvm::ConversionForms forms); // mx.convert_columns
void populateBlockErrorPatterns(mlir::RewritePatternSet &patterns,
                                nvvm::ConversionForms forms);         // mx.block_error
void populateHadamardPatterns(mlir::RewritePatternSet &patterns);     // mx.hadamard, mx.hadamard_columns
void populateRandomWordsPatterns(mlir::RewritePatternSet &patterns);  // mx.random_words
void populateSharedMemoryPatterns(mlir::RewritePatternSet &patterns); // mx.shared_memory

} // namespace mxc
