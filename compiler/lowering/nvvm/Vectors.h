// Registers of several elements: parts, bytes, maxima.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Type;
using mlir::Value;

Value bitcast(const ValueBuilder &v, Type type, Value value);
Value element(const ValueBuilder &v, Value vector, int index);
Value fromElements(const ValueBuilder &v, Type vectorType, mlir::ValueRange elements);
/// i64 of two i32 whose bits LLVM does not see: sums with it stay 64-bit additions.
Value packWords(const ValueBuilder &v, Value low, Value high);
Value permuteBytes(const ValueBuilder &v, Value a, Value b, Value selector); // prmt

Value absolute(const ValueBuilder &v, Value floats);
Value maxPropagatingNan(const ValueBuilder &v, Value x, Value y);    // floats
Value maxIgnoringNan(const ValueBuilder &v, Value x, Value y);       // floats
Value multiplyAdd(const ValueBuilder &v, Value x, Value y, Value z); // x * y + z, rounded once
Value approximateReciprocal(const ValueBuilder &v, Value x);         // f32: rcp.approx.ftz
Value minIgnoringNan(const ValueBuilder &v, Value x, Value y);       // floats
/// vector<2xbf16> of the larger magnitudes, with any sign: max.xorsign.abs. NaN wins, or is left out.
Value maxMagnitude(const ValueBuilder &v, Value x, Value y, bool nanWins);
Value maxUnsigned(const ValueBuilder &v, Value x, Value y); // integers and vectors of them

} // namespace mxc::nvvm
