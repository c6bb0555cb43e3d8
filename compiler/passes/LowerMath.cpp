#include "compiler/lowering/ops/ApproximateMath.h"
#include "compiler/lowering/ops/NarrowingFence.h"
#include "compiler/passes/Passes.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXLOWERMATH
#include "compiler/passes/Passes.h.inc"

namespace {

struct LowerMath : impl::MxLowerMathBase<LowerMath> {
  using MxLowerMathBase::MxLowerMathBase;

  void runOnOperation() override {
    if (hasMath(getOperation())) lowerMath();
    fenceNarrowing(getOperation());
  }

  // Most kernels have none.
  static bool hasMath(Operation *root) {
    return root
        ->walk([](Operation *op) {
          const bool isMath = isa<arith::RemFOp>(op) || mayBeApproximated(op) ||
                              isa_and_nonnull<math::MathDialect>(op->getDialect());
          return isMath ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void lowerMath() {
    RewritePatternSet approximations(&getContext());
    populateApproximateMath(approximations);
    if (failed(applyPatternsGreedily(getOperation(), std::move(approximations)))) return signalPassFailure();

    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    populateLibDeviceConversionPatterns(types, patterns);
    ConversionTarget legal(getContext());
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    legal.addIllegalDialect<math::MathDialect>();
    legal.addIllegalOp<arith::RemFOp>(); // LLVM's own is x - trunc(x / y) * y, right for small quotients only
    // The chip has these as instructions, or exact sequences that LLVM knows: convert-math-to-llvm takes
    // them.
    legal.addLegalOp<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp, math::CeilOp, math::FloorOp,
                     math::TruncOp, math::RoundEvenOp, math::SqrtOp, math::CountLeadingZerosOp,
                     math::CtPopOp>();
    if (failed(applyPartialConversion(getOperation(), legal, std::move(patterns)))) signalPassFailure();
  }
};

} // namespace
} // namespace mxc
