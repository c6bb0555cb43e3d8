#include "compiler/lowering/quantize/StoreWidth.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

void withWidestStore(const ValueBuilder &v, ArrayRef<Value> places, int64_t least,
                     function_ref<void(int64_t bytes)> emit, int64_t widest) {
  OpBuilder::InsertionGuard guard(v.b);
  Value bits;
  for (Value place : least < widest ? places : ArrayRef<Value>())
    bits = bits ? v.bitOr(bits, place) : place;
  int64_t bytes = widest;
  for (; bytes > least; bytes /= 2) {
    Value divides = v.equal(v.bitAnd(bits, bytes - 1), v.i64(0));
    auto branch = scf::IfOp::create(v.b, v.loc, divides, /*withElseRegion=*/true);
    v.b.setInsertionPointToStart(branch.thenBlock());
    emit(bytes);
    v.b.setInsertionPointToStart(branch.elseBlock());
  }
  emit(bytes);
}

} // namespace mxc
