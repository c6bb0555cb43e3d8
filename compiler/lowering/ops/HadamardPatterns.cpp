// mx.hadamard: sums and differences in registers, two at a time where the chip adds two f32 an instruction;
// what lies in other lanes comes by shuffles.
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

class Transform {
public:
  Transform(const ValueBuilder &v, mx::HadamardOp op)
      : v_(v), op_(op), lanes_(int(op.getLanes())), count_(kHadamardElements / lanes_),
        isExact_(!cast<VectorType>(op.getValues().getType()).getElementType().isF32()) {}

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
  Value constant(float x) const { return arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(x)); }
  Value pairOf(Value x, Value y) const {
    return nvvm::fromElements(v_, VectorType::get(2, v_.b.getF32Type()), {x, y});
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(v_.b, v_.loc, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(v_.b, v_.loc, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(v_.b, v_.loc, x, y); }
  Value minus(Value x) const { return arith::NegFOp::create(v_.b, v_.loc, x); }

  // Plus or minus the factor, as element `index` of the lane has it.
  Value factorOf(int index) const {
    if (lanes_ == 1) return constant(kHadamardSigns >> index & 1 ? -kHadamardFactor : kHadamardFactor);
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
      pairs.push_back(pairOf(values[i], values[i + half]));
      factors.push_back(pairOf(factorOf(i), factorOf(i + half)));
    }
    for (int distance = 1; distance < half; distance *= 2)
      for (int i = 0; i < half; ++i) {
        if (i & distance) continue;
        Value a = pairs[i], b = pairs[i + distance];
        std::tie(pairs[i], pairs[i + distance]) =
            distance == 1 ? scaledSums(a, factors[i], b, factors[i + 1]) : std::pair(add(a, b), sub(a, b));
      }
    for (int i = 0; i < half; ++i) {
      Value a = nvvm::element(v_, pairs[i], 0), b = nvvm::element(v_, pairs[i], 1);
      results[i] = add(a, b), results[i + half] = sub(a, b);
    }
    return results;
  }

  // The first stage. What the factor makes of 16 bits is exact, so a multiply-add rounds as the sum does.
  std::pair<Value, Value> scaledSums(Value a, Value factorOfA, Value b, Value factorOfB) const {
    Value scaled = mul(b, factorOfB);
    if (isExact_)
      return {nvvm::multiplyAdd(v_, a, factorOfA, scaled),
              nvvm::multiplyAdd(v_, a, factorOfA, minus(scaled))};
    a = mul(a, factorOfA);
    return {add(a, scaled), sub(a, scaled)};
  }

  SmallVector<Value> acrossLanes(SmallVector<Value> values) const {
    Type i32 = v_.b.getI32Type(), f32 = v_.b.getF32Type();
    for (int distance = 1; distance < lanes_; distance *= 2) {
      Value isUpper = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(op_.getLane(), distance), v_.i32(0));
      for (Value &value : values) {
        Value other = nvvm::shuffleXor(v_, nvvm::bitcast(v_, i32, value), distance);
        value = add(nvvm::bitcast(v_, f32, other), v_.select(isUpper, minus(value), value));
      }
    }
    return values;
  }

  ValueBuilder v_;
  mutable mx::HadamardOp op_; // accessors of operations are not const
  int lanes_, count_;         // that share 16 elements; of each of them
  bool isExact_;
};

struct LowerHadamard : OpRewritePattern<mx::HadamardOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::HadamardOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Transform(ValueBuilder{rewriter, op.getLoc()}, op).run());
    return success();
  }
};

} // namespace

void populateHadamardPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerHadamard>(patterns.getContext());
}

} // namespace mxc
