// mx.block_amax. 16-bit formats stay packed: magnitudes of bf16 and f16 order like integers (NaN above Inf),
// two elements a register, and two rows' maxima share one register before the shuffles, so four shuffles
// serve four rows.
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/PairMagnitudes.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

namespace {

class AmaxBuilder {
public:
  AmaxBuilder(mx::BlockAmaxOp op, PatternRewriter &rewriter) : op_(op), v_{rewriter, op.getLoc()} {}

  SmallVector<Value> build() {
    Type element = cast<VectorType>(op_.getValues().front().getType()).getElementType();
    return element.isF32() ? wide() : packed(element);
  }

private:
  // f32 maxima, one shuffle tree a row.
  SmallVector<Value> wide() {
    SmallVector<Value> results;
    for (auto [values, valid] : llvm::zip(op_.getValues(), op_.getValid())) {
      SmallVector<Value> elements;
      for (int i = 0, n = cast<VectorType>(values.getType()).getNumElements(); i < n; ++i)
        elements.push_back(nvvm::element(v_, values, i));
      // Bit patterns of magnitudes order as their values, NaN on top.
      Value bits = v_.select(valid, largestBits(v_, elements, op_.getSpecial()), v_.i32(0));
      for (unsigned distance = op_.getStride(); distance < op_.getLanes() * op_.getStride(); distance *= 2)
        bits = nvvm::maxUnsigned(v_, bits, nvvm::shuffleXor(v_, bits, distance));
      results.push_back(bits);
    }
    return results;
  }

  SmallVector<Value> packed(Type element) {
    Type pairs = VectorType::get(2, v_.b.getI16Type());
    SmallVector<Value> maxima; // vector<2xi16> a row: of the even and of the odd elements
    for (Value values : op_.getValues())
      maxima.push_back(pairMaximum(values, element));
    SmallVector<Value> results;
    for (unsigned j = 0; j < maxima.size(); j += 2) {
      bool isPair = j + 1 < maxima.size();
      Value merged = isPair ? mergeRows(maxima[j], maxima[j + 1]) : mergeRows(maxima[j], maxima[j]);
      Value mask = v_.select(op_.getValid()[j], v_.i32(0xffff), v_.i32(0));
      if (isPair) mask = v_.bitOr(mask, v_.select(op_.getValid()[j + 1], v_.i32(0xffff0000), v_.i32(0)));
      Value bits = v_.bitAnd(merged, mask);
      for (unsigned distance = op_.getStride(); distance < op_.getLanes() * op_.getStride(); distance *= 2) {
        Value other = nvvm::shuffleXor(v_, bits, distance);
        Value larger = nvvm::maxUnsigned(v_, nvvm::bitcast(v_, pairs, bits), nvvm::bitcast(v_, pairs, other));
        bits = nvvm::bitcast(v_, v_.b.getI32Type(), larger);
      }
      results.push_back(wideBits(v_, bits, element, /*upper=*/false));
      if (isPair) results.push_back(wideBits(v_, bits, element, /*upper=*/true));
    }
    return results;
  }

  // Maximum over the pairs of a row's elements.
  Value pairMaximum(Value values, Type element) {
    int count = cast<VectorType>(values.getType()).getNumElements() / 2;
    Value words = nvvm::bitcast(v_, VectorType::get(count, v_.b.getI32Type()), values);
    SmallVector<Value> pairs;
    for (int i = 0; i < count; ++i)
      pairs.push_back(nvvm::element(v_, words, i));
    return largestPair(v_, pairs, element, op_.getSpecial(), /*isPacked=*/true);
  }

  // Two rows' (even, odd) maxima as one register (row a low, row b high).
  Value mergeRows(Value a, Value b) {
    Type i32 = v_.b.getI32Type(), pairs = a.getType();
    Value x = nvvm::bitcast(v_, i32, a), y = nvvm::bitcast(v_, i32, b);
    Value even = nvvm::permuteBytes(v_, x, y, v_.i32(0x5410)),
          odd = nvvm::permuteBytes(v_, x, y, v_.i32(0x7632));
    return nvvm::bitcast(
        v_, i32, nvvm::maxUnsigned(v_, nvvm::bitcast(v_, pairs, even), nvvm::bitcast(v_, pairs, odd)));
  }

  mx::BlockAmaxOp op_;
  ValueBuilder v_;
};

struct LowerBlockAmax : OpRewritePattern<mx::BlockAmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::BlockAmaxOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, AmaxBuilder(op, rewriter).build());
    return success();
  }
};

} // namespace

void populateBlockAmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerBlockAmax>(patterns.getContext());
}

} // namespace mxc
