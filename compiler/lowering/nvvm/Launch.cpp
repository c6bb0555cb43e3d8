#include "compiler/lowering/nvvm/Launch.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

Value ctaId(const ValueBuilder &v, Dim dim) {
  Type i32 = v.b.getI32Type();
  if (dim == Dim::X) return NVVM::BlockIdXOp::create(v.b, v.loc, i32);
  return dim == Dim::Y ? Value(NVVM::BlockIdYOp::create(v.b, v.loc, i32))
                       : NVVM::BlockIdZOp::create(v.b, v.loc, i32);
}

Value gridSize(const ValueBuilder &v, Dim dim) {
  Type i32 = v.b.getI32Type();
  if (dim == Dim::X) return NVVM::GridDimXOp::create(v.b, v.loc, i32);
  return dim == Dim::Y ? Value(NVVM::GridDimYOp::create(v.b, v.loc, i32))
                       : NVVM::GridDimZOp::create(v.b, v.loc, i32);
}

Value ctaSize(const ValueBuilder &v) { return NVVM::BlockDimXOp::create(v.b, v.loc, v.b.getI32Type()); }

void launchDependents(const ValueBuilder &v) {
  NVVM::GriddepcontrolOp::create(v.b, v.loc, NVVM::GridDepActionKind::launch_dependents);
}

void waitForPrerequisites(const ValueBuilder &v) {
  NVVM::GriddepcontrolOp::create(v.b, v.loc, NVVM::GridDepActionKind::wait);
}

} // namespace mxc::nvvm
