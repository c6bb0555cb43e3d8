// mx.random_words: Philox4x32-10 in registers. What rows share, the first rounds of their column and all
// keys, LLVM computes once.
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

namespace {

struct LowerRandomWords : OpRewritePattern<mx::RandomWordsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mx::RandomWordsOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    auto [seedLow, seedHigh] = halvesOf(v, op.getSeed());
    auto [offsetLow, offsetHigh] = halvesOf(v, op.getOffset());
    Value key[] = {seedLow, seedHigh}, counter[] = {offsetLow, offsetHigh, op.getRun(), op.getRow()};
    for (int round = 0; round < kPhiloxRounds; ++round) {
      auto [firstLow, firstHigh] = product(v, counter[0], kPhiloxMultipliers[0]);
      auto [secondLow, secondHigh] = product(v, counter[2], kPhiloxMultipliers[1]);
      counter[0] = v.bitXor(v.bitXor(secondHigh, counter[1]), key[0]);
      counter[2] = v.bitXor(v.bitXor(firstHigh, counter[3]), key[1]);
      counter[1] = secondLow, counter[3] = firstLow;
      for (int half : {0, 1})
        key[half] = v.add(key[half], v.i32(int32_t(kPhiloxKeySteps[half])));
    }
    rewriter.replaceOp(op, ValueRange(counter));
    return success();
  }

private:
  static std::pair<Value, Value> halvesOf(const ValueBuilder &v, Value i64) {
    return {v.toI32(i64), v.toI32(v.shru(i64, 32))};
  }
  // In 64 bits: one multiplication.
  static std::pair<Value, Value> product(const ValueBuilder &v, Value x, uint32_t y) {
    return halvesOf(v, v.mul(v.toI64(x), int64_t(y)));
  }
};

} // namespace

void populateRandomWordsPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRandomWords>(patterns.getContext());
}

} // namespace mxc
