// mx.hadamard and mx.hadamard_columns: sums and differences in registers, two at a time where the chip adds
// two f32 an instruction; what lies in other lanes comes by shuffles.
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/ops/WideElements.h"
#include "dialect/MxOps.h"
#include "dialect/formats/Hadamard.h"

#include <bit>

using namespace mlir;

namespace mxc {

namespace {

Value add(const ValueBuilder &v, Value x, Value y) { return arith::AddFOp::create(v.b, v.loc, x, y); }
Value sub(const ValueBuilder &v, Value x, Value y) { return arith::SubFOp::create(v.b, v.loc, x, y); }
Value mul(const ValueBuilder &v, Value x, Value y) { return arith::MulFOp::create(v.b, v.loc, x, y); }
Value minus(const ValueBuilder &v, Value x) { return arith::NegFOp::create(v.b, v.loc, x); }

Value pairOf(const ValueBuilder &v, Value x, Value y) {
  return nvvm::fromElements(v, VectorType::get(2, v.b.getF32Type()), {x, y});
}

Value constantFactor(const ValueBuilder &v, int index) {
  const float factor = kHadamardSigns >> index & 1 ? -kHadamardFactor : kHadamardFactor;
  return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(factor));
}

bool isOf16Bits(Value elements) { return !cast<VectorType>(elements.getType()).getElementType().isF32(); }

// The stages of pairs whose members do not meet: sums and differences of those a power of two apart, up to
// `pairs`. What the factor makes of 16 bits is exact, so a multiply-add rounds as the first stage's sum does.
void transformPairs(const ValueBuilder &v, MutableArrayRef<Value> pairs, ArrayRef<Value> factors,
                    bool isExact) {
  auto scaledSums = [&](size_t i) {
    Value a = pairs[i], scaled = mul(v, pairs[i + 1], factors[i + 1]);
    if (isExact)
      return std::pair(nvvm::multiplyAdd(v, a, factors[i], scaled),
                       nvvm::multiplyAdd(v, a, factors[i], minus(v, scaled)));
    a = mul(v, a, factors[i]);
    return std::pair(add(v, a, scaled), sub(v, a, scaled));
  };
  for (size_t distance = 1; distance < pairs.size(); distance *= 2)
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (i & distance) continue;
      Value a = pairs[i], b = pairs[i + distance];
      std::tie(pairs[i], pairs[i + distance]) =
          distance == 1 ? scaledSums(i) : std::pair(add(v, a, b), sub(v, a, b));
    }
}

class Transform {
public:
  Transform(const ValueBuilder &v, mx::HadamardOp op)
      : v_(v), op_(op), lanes_(int(op.getLanes())), count_(kHadamardElements / lanes_) {}

  Value run() {
    SmallVector<Value> values = wideElements(v_, op_.getValues()), words;
    for (ArrayRef<Value> rest = values; !rest.empty(); rest = rest.drop_front(count_)) {
      const SmallVector<Value> results = acrossLanes(inLane(rest.take_front(count_)));
      for (int i = 0; i < count_; i += 2)
        words.push_back(nvvm::packBf16(v_, results[i], results[i + 1]));
    }
    Value all = nvvm::fromElements(v_, VectorType::get(words.size(), v_.b.getI32Type()), words);
    return nvvm::bitcast(v_, op_.getType(), all);
  }

private:
  // Plus or minus the factor, as element `index` of the lane has it.
  Value factorOf(int index) const {
    if (lanes_ == 1) return constantFactor(v_, index);
    Value first = v_.mul(v_.bitAnd(op_.getLane(), lanes_ - 1), count_);
    Value sign = v_.shl(v_.shru(v_.i32(kHadamardSigns), v_.add(first, index)), 31);
    return nvvm::bitcast(v_, v_.b.getF32Type(),
                         v_.bitOr(sign, v_.i32(std::bit_cast<int32_t>(kHadamardFactor))));
  }

  // Elements that lie half of the lane's apart make a pair, so that all stages but the last one are of pairs.
  SmallVector<Value> inLane(ArrayRef<Value> values) const {
    const int half = count_ / 2;
    SmallVector<Value> pairs, factors, results(count_);
    for (int i = 0; i < half; ++i) {
      pairs.push_back(pairOf(v_, values[i], values[i + half]));
      factors.push_back(pairOf(v_, factorOf(i), factorOf(i + half)));
    }
    transformPairs(v_, pairs, factors, isOf16Bits(op_.getValues()));
    for (int i = 0; i < half; ++i) {
      Value a = nvvm::element(v_, pairs[i], 0), b = nvvm::element(v_, pairs[i], 1);
      results[i] = add(v_, a, b), results[i + half] = sub(v_, a, b);
    }
    return results;
  }

  SmallVector<Value> acrossLanes(SmallVector<Value> values) const {
    Type i32 = v_.b.getI32Type(), f32 = v_.b.getF32Type();
    for (int distance = 1; distance < lanes_; distance *= 2) {
      Value isUpper = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(op_.getLane(), distance), v_.i32(0));
      for (Value &value : values) {
        Value other = nvvm::shuffleXor(v_, nvvm::bitcast(v_, i32, value), distance);
        value = add(v_, nvvm::bitcast(v_, f32, other), v_.select(isUpper, minus(v_, value), value));
      }
    }
    return values;
  }

  ValueBuilder v_;
  mutable mx::HadamardOp op_; // accessors of operations are not const
  int lanes_, count_;         // that share 16 elements; of each of them
};

struct LowerHadamard : OpRewritePattern<mx::HadamardOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::HadamardOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Transform(ValueBuilder{rewriter, op.getLoc()}, op).run());
    return success();
  }
};

// A pair is of two columns, which never meet.
struct LowerHadamardColumns : OpRewritePattern<mx::HadamardColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::HadamardColumnsOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    SmallVector<Value> factors, results;
    for (int i = 0; i < kHadamardElements; ++i)
      factors.push_back(pairOf(v, constantFactor(v, i), constantFactor(v, i)));
    for (ValueRange rest = op.getRows(); !rest.empty(); rest = rest.drop_front(kHadamardElements)) {
      SmallVector<Value> pairs;
      for (Value row : rest.take_front(kHadamardElements)) {
        const SmallVector<Value> columns = wideElements(v, row);
        pairs.push_back(pairOf(v, columns[0], columns[1]));
      }
      transformPairs(v, pairs, factors, isOf16Bits(rest.front()));
      for (Value pair : pairs) {
        Value word = nvvm::packBf16(v, nvvm::element(v, pair, 0), nvvm::element(v, pair, 1));
        results.push_back(nvvm::bitcast(v, op.getTransformed().front().getType(), word));
      }
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateHadamardPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerHadamard, LowerHadamardColumns>(patterns.getContext());
}

} // namespace mxc
