// What `fastmath<afn>` allows in a prologue: the special-function unit's approximations, a few ulp off
// and without subnormals, but for tanh: 2^-11 off, subnormals kept.
#include "compiler/lowering/ops/ApproximateMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;

namespace mxc {

namespace {

bool allowsApproximation(arith::FastMathFlags flags) {
  return arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

Value callIntrinsic(PatternRewriter &rewriter, Location loc, StringRef name, Value x) {
  return LLVM::CallIntrinsicOp::create(rewriter, loc, x.getType(), rewriter.getStringAttr(name),
                                       ValueRange{x})
      .getResult(0);
}

Value scaled(PatternRewriter &rewriter, Location loc, Value x, float factor) {
  Value constant = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(factor));
  return arith::MulFOp::create(rewriter, loc, x, constant);
}

// One math operation as an intrinsic, its operand or result multiplied by a constant.
template <typename Op> struct Approximate : OpRewritePattern<Op> {
  Approximate(MLIRContext *context, StringRef intrinsic, float before, float after)
      : OpRewritePattern<Op>(context), intrinsic(intrinsic), before(before), after(after) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!allowsApproximation(op.getFastmath()) || !op.getType().isF32()) return failure();
    Value x = op.getOperand();
    if (before != 1) x = scaled(rewriter, op.getLoc(), x, before);
    Value result = callIntrinsic(rewriter, op.getLoc(), intrinsic, x);
    if (after != 1) result = scaled(rewriter, op.getLoc(), result, after);
    rewriter.replaceOp(op, result);
    return success();
  }

  StringRef intrinsic;
  float before, after;
};

// LLVM has no intrinsic of NVVM for it: the general one under the flag.
struct ApproximateTangent : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    if (!allowsApproximation(op.getFastmath()) || !op.getType().isF32()) return failure();
    auto call = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), op.getType(),
                                              rewriter.getStringAttr("llvm.tanh.f32"), op->getOperands());
    call.setFastmathFlags(LLVM::FastmathFlags::afn);
    rewriter.replaceOp(op, call);
    return success();
  }
};

struct ApproximateDivision : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    if (!allowsApproximation(op.getFastmath()) || !op.getType().isF32()) return failure();
    Value reciprocal = callIntrinsic(rewriter, op.getLoc(), "llvm.nvvm.rcp.approx.ftz.f", op.getRhs());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), reciprocal);
    return success();
  }
};

} // namespace

bool mayBeApproximated(Operation *op) {
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags = math ? math.getFastMathFlagsAttr() : nullptr; // null of a conversion
  return flags && allowsApproximation(flags.getValue());
}

void populateApproximateMath(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  constexpr float log2e = std::numbers::log2e_v<float>, ln2 = std::numbers::ln2_v<float>;
  patterns.add<Approximate<math::ExpOp>>(context, "llvm.nvvm.ex2.approx.ftz.f32", log2e, 1.0f);
  patterns.add<Approximate<math::Exp2Op>>(context, "llvm.nvvm.ex2.approx.ftz.f32", 1.0f, 1.0f);
  patterns.add<Approximate<math::LogOp>>(context, "llvm.nvvm.lg2.approx.ftz.f", 1.0f, ln2);
  patterns.add<Approximate<math::Log2Op>>(context, "llvm.nvvm.lg2.approx.ftz.f", 1.0f, 1.0f);
  patterns.add<Approximate<math::RsqrtOp>>(context, "llvm.nvvm.rsqrt.approx.ftz.f", 1.0f, 1.0f);
  patterns.add<ApproximateDivision, ApproximateTangent>(context);
}

} // namespace mxc
