#include "compiler/Dialects.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "dialect/MxOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;

void mxc::registerDialects(DialectRegistry &registry) {
  registry.insert<mx::MxDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  cf::ControlFlowDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, DLTIDialect>();
  registerKernelLowerings(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}
