// wgmma: the tensor core of sm_90. Four warps hold 64 rows of the sums in registers: an LLVM struct of n / 2
// floats, in which 4j and 4j + 1 are row lane / 4, columns 8j + 2 (lane % 4) and the next, and 4j + 2, 4j + 3
// are the same columns of row + 8.
#pragma once

#include "compiler/lowering/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

mlir::Type wgmmaSumsType(mlir::MLIRContext *context, int n);
Value wgmmaSum(const ValueBuilder &v, Value sums, int index); // f32

void wgmmaFence(const ValueBuilder &v); // before the first of a group: registers and shared memory are ready
/// sums (+)= a b^T: 64 x n x 16, bf16 operands in shared memory by descriptor (i64), K-major. `accumulate`
/// (i1) false: the sums' old content is not read. Asynchronous.
Value wgmmaBf16(const ValueBuilder &v, Value sums, Value a, Value b, Value accumulate, int n);
void wgmmaCommit(const ValueBuilder &v); // what was issued so far is a group
/// Waits until at most `pending` groups are under way; the sums that are read behind it are those it returns.
Value wgmmaWait(const ValueBuilder &v, Value sums, int pending);

void setMaxRegisters(const ValueBuilder &v, int count, bool increase);

} // namespace mxc::nvvm
