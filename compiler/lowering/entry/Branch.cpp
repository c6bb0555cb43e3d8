#include "compiler/lowering/entry/Branch.h"

#include "compiler/lowering/nvvm/Memory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

void ifThen(const ValueBuilder &v, Value condition, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(v.b, v.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(op.thenBlock());
  body();
}

Value loadIf(const ValueBuilder &v, Value condition, Type type, Value address, unsigned alignment) {
  auto branch = scf::IfOp::create(v.b, v.loc, type, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(v.b, v.loc, nvvm::load(v, type, address, alignment));
  v.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(v.b, v.loc, arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type)).getResult());
  return branch.getResult(0);
}

} // namespace mxc
