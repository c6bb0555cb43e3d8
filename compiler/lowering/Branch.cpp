#include "compiler/lowering/Branch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

void ifThen(const ValueBuilder &v, Value condition, llvm::function_ref<void()> body) {
  auto op = scf::IfOp::create(v.b, v.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(op.thenBlock());
  body();
}

} // namespace mxc
