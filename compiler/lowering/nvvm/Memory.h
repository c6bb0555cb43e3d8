// Pointers, loads and stores of a thread.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Type;
using mlir::Value;

Type pointerType(mlir::MLIRContext *context, unsigned space); // 0 generic, 1 global, 3 shared
Value offsetBytes(const ValueBuilder &v, Value pointer, Value bytes);
Value nullPointer(const ValueBuilder &v, Type type);
Value differs(const ValueBuilder &v, Value pointer, Value other); // i1
Value load(const ValueBuilder &v, Type type, Value pointer, unsigned alignment);
void store(const ValueBuilder &v, Value value, Value pointer, unsigned alignment);
/// `words` (vector of i32) to global memory where `condition` holds, in predicated stores of `pieceBytes`:
/// what computes the words stays in one basic block with the rest, which branches would part.
void storeIf(const ValueBuilder &v, Value condition, Value words, Value pointer, unsigned pieceBytes);

/// The same i32, of which LLVM knows nothing: it takes no two comparisons with it for one.
Value opaque(const ValueBuilder &v, Value number);
/// The address of shared memory as the instructions' descriptors count it: 32 bits, a cluster's rank in the
/// highest.
Value addressOf(const ValueBuilder &v, Value shared);
/// The same where LLVM does not see whose it is: sums of constants with it are made once, in front of loops.
Value opaqueAddress(const ValueBuilder &v, Value shared);
Value pointerTo(const ValueBuilder &v, Value address, unsigned space); // of an i32: 3 or 7, shared memory
/// A variable of the thread at the function's beginning, which LLVM turns into a register.
Value variable(const ValueBuilder &v, Type type);

/// Address of the launch's dynamic shared memory, one symbol of the module around `op`, aligned to the
/// largest of what its users ask for.
Value dynamicShared(const ValueBuilder &v, mlir::Operation *op, unsigned alignment);

} // namespace mxc::nvvm
