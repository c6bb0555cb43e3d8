// wgmma: products of a warpgroup whose operands lie in shared memory, on sm_90a.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Type;
using mlir::Value;

/// The accumulator of 64 x n elements in a warpgroup: a struct of n / 2 f32 a thread.
Type warpgroupAccumulator(const ValueBuilder &v, int n);
int registersOf(Type accumulator); // of a thread
Value zeroAccumulator(const ValueBuilder &v, Type type);
Value accumulatorOf(const ValueBuilder &v, Type type, mlir::ValueRange elements);
Value accumulatorElement(const ValueBuilder &v, Value accumulator, int index); // f32

/// One group of `steps` bf16 products of K = 16 each, committed: accumulator + a b. Descriptors of K-major
/// operands in 128-byte rows, a step 32 bytes after the other. The result counts once waitWarpgroup has seen
/// the group.
Value warpgroupMma(const ValueBuilder &v, Value accumulator, Value a, Value b, int steps);
/// The same with a in registers, four words a step.
Value fragmentMma(const ValueBuilder &v, Value accumulator, mlir::ValueRange fragments, Value b);
/// Blocks of 128 FP8 elements of K, four wgmma of K = 32 each, whose products alone lie side by side in the
/// accumulator.
struct FullRateBlocks {
  llvm::StringRef elementA, elementB;    // "e4m3" or "e5m2"
  int count = 1, unitsA = 0, unitsB = 0; // 16 bytes from a block's operand to the next one's
};
/// The products alone of those blocks, of operands as above, whose descriptors have one high word, committed
/// as one group. `after`, if not null, is a product that has been read: this one takes its registers.
Value fullRateProduct(const ValueBuilder &v, Type accumulator, const FullRateBlocks &blocks, Value a, Value b,
                      uint32_t highWord, Value after);
/// Such a product when it is there, and its operands have been read: the only group under way.
Value awaitFullRateProduct(const ValueBuilder &v, Value product);
/// What follows in the program comes after `accumulator` has its value.
Value pinAccumulator(const ValueBuilder &v, Value accumulator);
/// All groups but the last `pending` are done.
void waitWarpgroup(const ValueBuilder &v, int pending);
/// All groups are done, `accumulator` among them: nothing of what is returned is read before.
Value finishWarpgroup(const ValueBuilder &v, Value accumulator);

/// Registers of a thread from here on, by all four warps of a warpgroup; `more` than at launch, or fewer.
void setRegisters(const ValueBuilder &v, int registers, bool more);

} // namespace mxc::nvvm
