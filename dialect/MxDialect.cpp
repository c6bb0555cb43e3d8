#include "dialect/MxOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialect/MxDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/MxTypes.cpp.inc"

namespace {
// Constants of a scalar region stay in it: an mx.kernel holds nothing but its one operation.
struct MxFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const override {
    return isa<mxc::mx::KernelOpInterface>(region->getParentOp());
  }
};
} // namespace

void mxc::mx::MxDialect::initialize() {
  addInterfaces<MxFoldInterface>();
  addOperations<
#define GET_OP_LIST
#include "dialect/MxKernelOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/MxPipelineOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/MxTileOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/MxTypes.cpp.inc"
      >();
  registerAttributes();
}
