// mx.encode_scale and mx.decode_scale: the integer rules of docs/semantics.md, the same on every chip.
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/ScaleRounding.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "dialect/MxOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int64_t kInfBits = 0x7f800000, kNanBits = 0x7fffffff;
const int64_t kNanByte = info(ScaleFormat::UE8M0).nan;

struct LowerEncodeScale : OpRewritePattern<mx::EncodeScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mx::EncodeScaleOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    const ElementFormatInfo &format = info(*mx::elementFormatOf(op.getElement()));
    Value amax = op.getAmax();
    Value exponent = v.shru(v.add(amax, roundingBias(format, op.getRounding())), 23);
    Value byte = arith::MaxSIOp::create(rewriter, op.getLoc(), v.sub(exponent, v.i32(format.emax)), v.i32(0));
    if (op.getTiny() == mx::TinyMode::ByteOne) byte = atLeastOne(v, format, amax, byte);
    Value multiplier = v.shl(v.sub(v.i32(254), byte), 23); // the bits of 2^(127-byte); byte 254 follows below
    Value isSpecial = v.cmp(ValueBuilder::Predicate::uge, amax, v.i32(kInfBits));
    int64_t specialByte = op.getSpecial() == mx::SpecialMode::Saturate ? kNanByte - 1 : kNanByte;
    int64_t specialBits = op.getSpecial() == mx::SpecialMode::Propagate  ? kNanBits
                          : op.getSpecial() == mx::SpecialMode::Saturate ? 0x00400000 // 2^-127, a subnormal
                                                                         : 0;
    byte = v.select(isSpecial, v.i32(specialByte), byte);
    multiplier = v.select(isSpecial, v.i32(specialBits), multiplier);
    rewriter.replaceOp(op, {byte, nvvm::bitcast(v, rewriter.getF32Type(), multiplier)});
    return success();
  }

  // A block whose maximum over max_finite does not round to zero in f32 has byte 1 or more.
  static Value atLeastOne(const ValueBuilder &v, const ElementFormatInfo &format, Value amax, Value byte) {
    // A / max > 2^-150, the tie rounding to zero: bits of the subnormal max * 2^-150 = (max/2) * 2^-149.
    int64_t threshold = static_cast<int64_t>(format.maxFinite / 2);
    Value raised = arith::MaxSIOp::create(v.b, v.loc, byte, v.i32(1));
    return v.select(v.cmp(ValueBuilder::Predicate::ugt, amax, v.i32(threshold)), raised, v.i32(0));
  }
};

struct LowerDecodeScale : OpRewritePattern<mx::DecodeScaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::DecodeScaleOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    Value bits = v.shl(op.getByte(), 23);
    bits = v.select(v.equal(op.getByte(), v.i32(0)), v.i32(0x00400000), bits); // 2^-127 is subnormal
    bits = v.select(v.equal(op.getByte(), v.i32(kNanByte)), v.i32(kNanBits), bits);
    rewriter.replaceOp(op, nvvm::bitcast(v, rewriter.getF32Type(), bits));
    return success();
  }
};

} // namespace

void populateScaleCodePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerEncodeScale, LowerDecodeScale>(patterns.getContext());
}

} // namespace mxc
