// cvt: between f32, f16 and element codes.
#pragma once

#include "compiler/lowering/ValueBuilder.h"
#include "dialect/formats/ElementFormat.h"

namespace mxc::nvvm {

using mlir::Value;

/// Codes of (low, high) as an i16: cvt.rn.satfinite.e4m3x2.f32 or e5m2x2.
Value encodePair(const ValueBuilder &v, ElementFormat format, Value low, Value high);
/// The same of vector<2xbf16>: cvt.rn.satfinite.e4m3x2.bf16x2, PTX 9.1.
Value encodePackedPair(const ValueBuilder &v, ElementFormat format, Value pair);
/// vector<2xf16> of an i16 of codes.
Value decodePair(const ValueBuilder &v, ElementFormat format, Value codes);

} // namespace mxc::nvvm
