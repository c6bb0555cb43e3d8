// cvt: between f32, f16 and element codes.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/formats/ElementFormat.h"

namespace mxc::nvvm {

using mlir::Value;

/// What a chip's cvt takes beside pairs of f32 and of f16, at the PTX version in use.
struct ConversionForms {
  bool packedBf16 = false; // from bf16 two a register
  bool narrow = false;     // elements below 8 bits; without it they are converted by arithmetic
  bool stochastic = false; // these by random bits, four at a time
};

/// Whether code is generated for the format's elements: of 8 bits by encodePair, of 6 and 4 by encodeWords.
bool converts(ElementFormat format);

/// Codes of (low, high) as an i16: cvt.rn.satfinite.e4m3x2.f32 or e5m2x2. `element`: MLIR's type of the
/// codes.
Value encodePair(const ValueBuilder &v, mlir::Type element, Value low, Value high);
/// The same of vector<2xbf16>: cvt.rn.satfinite.e4m3x2.bf16x2, PTX 9.1.
Value encodePackedPair(const ValueBuilder &v, mlir::Type element, Value pair);
/// vector<2xbf16> of an i16 of codes, times the ue8m0 `scales` (an i16 of two):
/// cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2, PTX 9.2.
Value decodeScaledPair(const ValueBuilder &v, mlir::Type element, Value codes, Value scales);
/// i32 of two f32 as bf16, to nearest even: cvt.rn.bf16x2.f32.
Value packBf16(const ValueBuilder &v, Value low, Value high);
/// vector<2xf16> of an i16 of codes.
Value decodePair(const ValueBuilder &v, mlir::Type element, Value codes);

/// The words of codes of 6 or 4 bits, the first in the lowest bits, zeros after the last:
/// cvt.rn.satfinite.e2m1x2.f32 and its like where `forms` has them, else (of 6 bits) the same by arithmetic.
/// NaN among `values` is positive, as products on the device are.
llvm::SmallVector<Value> encodeWords(const ValueBuilder &v, mlir::Type element, mlir::ValueRange values,
                                     ConversionForms forms);
/// The same of 4 bits by arithmetic, as NarrowArithmetic.h says, of any number of values; `random`: a word
/// for four of them, empty: to nearest.
bool encodesFourBitsByArithmetic(mlir::Type element, ConversionForms forms);
llvm::SmallVector<Value> encodeFourBits(const ValueBuilder &v, mlir::ValueRange values,
                                        mlir::ValueRange signs, Value multiplier,
                                        mlir::ValueRange random = {});
/// The same of 4 bits rounded by `random`: cvt.rs.satfinite.e2m1x4.f32.
llvm::SmallVector<Value> encodeStochastic(const ValueBuilder &v, mlir::ValueRange values,
                                          mlir::ValueRange random);
/// The same of vector<2xbf16>, where that is shorter: cvt.rn.satfinite.e2m1x2.bf16x2 (PTX 9.1) or, of 4 bits,
/// arithmetic on pairs.
bool encodesPairs(mlir::Type element, ConversionForms forms);
llvm::SmallVector<Value> encodePackedWords(const ValueBuilder &v, mlir::Type element, mlir::ValueRange pairs,
                                           ConversionForms forms);
/// vector<2xf16> of every pair of codes of 6 or 4 bits that is whole in the words.
llvm::SmallVector<Value> decodeWords(const ValueBuilder &v, mlir::Type element, mlir::ValueRange words,
                                     ConversionForms forms);

} // namespace mxc::nvvm
