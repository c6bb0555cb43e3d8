// The role of two warpgroups, 64 rows of the tile, or of each of its halves: products of 128 elements of K,
// multiplied by their scales and added in f32, while the tensor core is the other warpgroup's; then through
// the epilogue to c.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/product/warpgroups/WarpgroupResults.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;

namespace mxc {

namespace {
// The scales of what a lane has of a product, in the accumulator's order: of 8 columns each, two of two rows.
class LaneScales {
public:
  LaneScales(const BlockwiseEntry &e, const ValueBuilder &v, const TileRecord &tile) : e_(e), v_(v) {
    thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
    if (e.plan.hasScaleRowsB) return;
    Value blocks = v.ceilDivu(e.k, kStepK), lines = v.ceilDivu(e.n, kStepK);
    for (int column = 0; column < columns(); column += pieceColumns()) { // those past N are not stored
      Value line = v.minu(v.divu(v.add(tile.column, column), kStepK), v.sub(lines, v.i32(1)));
      Value first = v.mul(v.toI64(line), v.toI64(blocks));
      if (e.isBatched())
        first = v.add(first, v.mul(v.toI64(tile.batch), v.mul(v.toI64(lines), v.toI64(blocks))));
      pieces_.push_back(
          nvvm::offsetBytes(v, e.function.pointer(e.nameOf(e.op.getScalesB())), v.mul(first, 4)));
    }
  }

  // Of step `step` along K, whose stage holds scales.
  void load(Value stage, Value step) {
    Value row = v_.add(v_.mul(v_.shru(thread_, 5), e_.plan.storeRows), v_.shru(v_.bitAnd(thread_, 31), 2));
    rows_.clear();
    for (int half = 0; half < e_.plan.halves(); ++half)
      for (int i : {0, 8})
        rows_.push_back(loadAt(address(stage, kPartScalesA), v_.add(row, half * kHalfRows + i), 1));
    stage_ = stage;
    blocks_.clear();
    for (Value piece : pieces_)
      blocks_.push_back(
          nvvm::load(v_, v_.b.getF32Type(), nvvm::offsetBytes(v_, piece, v_.mul(v_.toI64(step), 4)), 4));
  }

  // Of the product of one half.
  Value of(int half) const {
    SmallVector<Value> scales;
    Value first = rows_[2 * half], second = rows_[2 * half + 1];
    if (!e_.plan.hasScaleRowsB) {
      for (Value block : blocks_) {
        Value ofFirst = multiply(first, block), ofSecond = multiply(second, block);
        for (int column = 0; column < pieceColumns(); column += 8)
          scales.append({ofFirst, ofFirst, ofSecond, ofSecond});
      }
      return vectorOf(scales);
    }
    Value inEight = v_.mul(v_.bitAnd(thread_, 3), 2), lines = address(stage_, kPartScalesB);
    for (int column = 0; column < columns(); column += 8) {
      Value two = loadAt(lines, v_.add(inEight, column), 2), x = nvvm::element(v_, two, 0),
            y = nvvm::element(v_, two, 1);
      scales.append({multiply(first, x), multiply(first, y), multiply(second, x), multiply(second, y)});
    }
    return vectorOf(scales);
  }

private:
  int columns() const { return e_.plan.ctaColumns(); }
  int pieceColumns() const {
    return std::gcd(columns(), kStepK);
  } // of one block of b, wherever the tile begins
  Value multiply(Value x, Value y) const { return arith::MulFOp::create(v_.b, v_.loc, x, y); }
  Value vectorOf(ArrayRef<Value> scales) const {
    return nvvm::fromElements(v_, VectorType::get(int64_t(scales.size()), v_.b.getF32Type()), scales);
  }
  Value address(Value stage, OperandPart part) const {
    return mx::StageAddressOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), e_.operands,
                                      stage, v_.b.getI32IntegerAttr(part));
  }
  Value loadAt(Value base, Value index, int count) const {
    Type type = v_.b.getF32Type();
    if (count > 1) type = VectorType::get(count, type);
    return nvvm::load(v_, type, nvvm::offsetBytes(v_, base, v_.toI64(v_.mul(index, 4))), 4 * count);
  }

  const BlockwiseEntry &e_;
  const ValueBuilder &v_;
  Value thread_, stage_;
  SmallVector<Value> pieces_;        // where the scales of b's blocks lie, a line of blocks along K each
  SmallVector<Value> rows_, blocks_; // scales
};
} // namespace

// All steps along K of a tile: a sum a half.
static SmallVector<Value> multiplyAndPromote(const BlockwiseEntry &e, const ValueBuilder &v,
                                             const TileRecord &tile) {
  const int halves = e.plan.halves();
  Type type = mx::AccumulatorType::get(v.b.getContext(), e.plan.ctaColumns());
  auto elementOf = [](Value operand) { return TypeAttr::get(getElementTypeOrSelf(operand.getType())); };
  SmallVector<Value> zeros(halves, mx::ZeroAccumulatorOp::create(v.b, v.loc, type));
  LaneScales scales(e, v, tile);
  auto loop =
      scf::ForOp::create(v.b, v.loc, tile.beginStep(v, kStepK), tile.endStep(v, kStepK), v.i32(1), zeros);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> sums = steps::use(v, e.operands, SmallVector<Type>(halves, type), [&](Value stage) {
    SmallVector<Value> sums(loop.getRegionIterArgs());
    scales.load(stage, loop.getInductionVar());
    Value product;
    for (int half = 0; half < halves; ++half) {
      product =
          mx::FullRateProductOp::create(v.b, v.loc, type, e.operands, stage, v.b.getI32IntegerAttr(half),
                                        elementOf(e.op.getA()), elementOf(e.op.getB()), product);
      if (half + 1 == halves && !e.plan.hasScaleRowsB)
        mx::ReleaseOp::create(v.b, v.loc, e.operands, /*ahead=*/true);
      sums[half] = mx::PromoteOp::create(v.b, v.loc, type, sums[half], product, scales.of(half));
    }
    return sums;
  });
  scf::YieldOp::create(v.b, v.loc, sums);
  return SmallVector<Value>(loop.getResults());
}

void emitMultiplyAndPromote(const BlockwiseEntry &e) {
  emitRole(
      e, e.tiles, "multiply", 0, e.plan.storeWarps, /*leader=*/false,
      [&](const ValueBuilder &v, const TileRecord &tile) {
        storeAccumulators(e.plan, e, e.results, v, tile, multiplyAndPromote(e, v, tile));
      },
      [&](const ValueBuilder &v) { drainResults(e.plan, v); });
}

} // namespace mxc
