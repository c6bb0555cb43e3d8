// The NVVM and LLVM operations that lowerings create, behind free functions: their headers cost ten seconds a
// file.
#pragma once

#include "compiler/lowering/ValueBuilder.h"

#include "dialect/formats/ElementFormat.h"

namespace mxc::nvvm {

using mlir::Type;
using mlir::Value;

enum class Dim { X, Y, Z };
Value threadIdX(const ValueBuilder &v);         // i32
Value ctaId(const ValueBuilder &v, Dim dim);    // i32
Value gridSize(const ValueBuilder &v, Dim dim); // i32, in CTAs

void launchDependents(const ValueBuilder &v);     // griddepcontrol: a dependent grid may start
void waitForPrerequisites(const ValueBuilder &v); // griddepcontrol: earlier grids' writes are visible

Value shuffleXor(const ValueBuilder &v, Value i32, int laneMask);
Value permuteBytes(const ValueBuilder &v, Value a, Value b, Value selector); // prmt

/// Codes of (low, high) as an i16: cvt.rn.satfinite.e4m3x2.f32 or e5m2x2.
Value encodePair(const ValueBuilder &v, ElementFormat format, Value low, Value high);
/// vector<2xf16> of an i16 of codes.
Value decodePair(const ValueBuilder &v, ElementFormat format, Value codes);

// Pointers, memory and vectors (LLVM dialect).
Type pointerType(mlir::MLIRContext *context, unsigned space); // 0 generic, 1 global, 3 shared
Value offsetBytes(const ValueBuilder &v, Value pointer, Value bytes);
Value load(const ValueBuilder &v, Type type, Value pointer, unsigned alignment);
void store(const ValueBuilder &v, Value value, Value pointer, unsigned alignment);
Value bitcast(const ValueBuilder &v, Type type, Value value);
Value element(const ValueBuilder &v, Value vector, int index);
Value fromElements(const ValueBuilder &v, Type vectorType, mlir::ValueRange elements);

// Maxima of magnitudes.
Value absolute(const ValueBuilder &v, Value floats);
Value maxPropagatingNan(const ValueBuilder &v, Value x, Value y); // floats
Value maxIgnoringNan(const ValueBuilder &v, Value x, Value y);    // floats
Value maxUnsigned(const ValueBuilder &v, Value x, Value y);       // integers and vectors of them

// The bulk copy of a tile (mx.bulk_load).
Value dynamicShared(const ValueBuilder &v, mlir::Operation *inModule, unsigned alignment);
void initBarrier(const ValueBuilder &v, Value barrier,
                 int arrivals); // and make it visible to the async proxy
void arriveExpectBytes(const ValueBuilder &v, Value barrier, int64_t bytes);
void copyBox(const ValueBuilder &v, Value shared, Value map, Value barrier, Value column, Value row);
void syncThreads(const ValueBuilder &v);
Value tryWaitParity(const ValueBuilder &v, Value barrier, int parity); // i1

} // namespace mxc::nvvm
