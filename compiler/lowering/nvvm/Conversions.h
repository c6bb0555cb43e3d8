// cvt: between f32, f16 and element codes.
#pragma once

#include "compiler/lowering/entry/ValueBuilder.h"
#include "dialect/formats/ElementFormat.h"

namespace mxc::nvvm {

using mlir::Value;

/// Whether there are conversions, and so those below, of the format's elements: of 8 bits.
bool converts(ElementFormat format);

/// Codes of (low, high) as an i16: cvt.rn.satfinite.e4m3x2.f32 or e5m2x2. `element`: MLIR's type of the
/// codes.
Value encodePair(const ValueBuilder &v, mlir::Type element, Value low, Value high);
/// The same of vector<2xbf16>: cvt.rn.satfinite.e4m3x2.bf16x2, PTX 9.1.
Value encodePackedPair(const ValueBuilder &v, mlir::Type element, Value pair);
/// vector<2xbf16> of an i16 of codes, times the ue8m0 `scales` (an i16 of two):
/// cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2, PTX 9.2.
Value decodeScaledPair(const ValueBuilder &v, mlir::Type element, Value codes, Value scales);
/// vector<2xf16> of an i16 of codes.
Value decodePair(const ValueBuilder &v, mlir::Type element, Value codes);

} // namespace mxc::nvvm
