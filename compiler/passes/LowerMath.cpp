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
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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

  // MLIR's own message says what a conversion is, and not what a kernel may hold.
  LogicalResult refuseOthers(const llvm::StringSet<> &lowered) {
    Operation *other = nullptr;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !lowered.contains(op->getName().getStringRef()))
        other = op;
    });
    if (!other) return success();
    InFlightDiagnostic error = other->emitOpError("is not compiled, expected ");
    if (isa<math::ClampFOp>(other)) return error << "arith.maximumf and arith.minimumf in its place";
    SmallVector<StringRef> known(lowered.keys());
    llvm::erase_if(known, [](StringRef name) { return !name.starts_with("math."); });
    llvm::sort(known);
    return error << llvm::join(known, ", ");
  }

  // The chip has these as instructions, or exact sequences that LLVM knows: convert-math-to-llvm takes them.
  template <typename... Ops> static void keep(ConversionTarget &legal, llvm::StringSet<> &lowered) {
    legal.addLegalOp<Ops...>();
    (lowered.insert(Ops::getOperationName()), ...);
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
    llvm::StringSet<> lowered;
    keep<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp, math::CeilOp, math::FloorOp,
         math::TruncOp, math::RoundEvenOp, math::SqrtOp, math::CountLeadingZerosOp, math::CtPopOp>(legal,
                                                                                                   lowered);
    for (const std::unique_ptr<RewritePattern> &pattern : patterns.getNativePatterns())
      if (std::optional<OperationName> root = pattern->getRootKind()) lowered.insert(root->getStringRef());
    if (failed(refuseOthers(lowered))) return signalPassFailure();
    if (failed(applyPartialConversion(getOperation(), legal, std::move(patterns)))) signalPassFailure();
  }
};

} // namespace
} // namespace mxc
