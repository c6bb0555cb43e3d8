#include "compiler/passes/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXLOWERTOLLVM
#include "compiler/passes/Passes.h.inc"

namespace {

// MLIR's own passes for these dialects are four conversions, each over every operation, and leave what they
// do not know.
struct LowerToLlvm : impl::MxLowerToLlvmBase<LowerToLlvm> {
  using MxLowerToLlvmBase::MxLowerToLlvmBase;

  void runOnOperation() override {
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
      auto assembly = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
      return !assembly || assembly.hasIntrinsic();
    });
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateNVVMToLLVMConversionPatterns(patterns);
    ConversionConfig config;
    config.allowPatternRollback = false; // nothing is undone: rewrites take place at once
    config.foldingMode = DialectConversionFoldingMode::Never; // the canonicalizer follows
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns), config))) signalPassFailure();
  }
};

} // namespace
} // namespace mxc
