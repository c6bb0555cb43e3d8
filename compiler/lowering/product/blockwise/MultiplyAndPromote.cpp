// The role of warpgroups, 64 rows of the tile, or of each of its halves: products of 128 elements of K,
// multiplied by their scales and added in f32, while the tensor core is the other warpgroup's; then through
// the epilogue to c.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/product/results/AccumulatorStores.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
      if (e.hasSeveralB())
        first = v.add(first, v.mul(v.toI64(tile.batchOfB(e)), v.mul(v.toI64(lines), v.toI64(blocks))));
      pieces_.push_back(
          nvvm::offsetBytes(v, e.function.pointer(e.nameOf(e.op.getScalesB())), v.mul(first, 4)));
    }
  }

  // b's, where they do not lie in the stage. A lane has those of one step in 32 of these and of the 32 to
  // come: memory is asked long before they are needed, and not at every step. i32, two a piece.
  SmallVector<Value> firstBlocks(Value begin, Value end) const {
    SmallVector<Value> words;
    for (Value piece : pieces_) {
      Value step = v_.add(begin, lane());
      words.append({loadBlock(piece, step, end), loadBlock(piece, v_.add(step, 32), end)});
    }
    for (Value word : words)
      if (e_.plan.fetchesAhead()) word.getDefiningOp()->setAttr(steps::kIsFetched, v_.b.getUnitAttr());
    return words;
  }

  // The blocks of step `step` of those from `begin` on.
  SmallVector<Value> blocksOf(ValueRange words, Value begin, Value step) const {
    SmallVector<Value> blocks;
    for (size_t i = 0; i < words.size(); i += 2) {
      Value bits = nvvm::shuffleFrom(v_, words[i], v_.bitAnd(v_.sub(step, begin), 31));
      blocks.push_back(arith::BitcastOp::create(v_.b, v_.loc, v_.b.getF32Type(), bits));
    }
    return blocks;
  }

  SmallVector<Value> blocksAfter(ValueRange words, Value begin, Value step, Value end) const {
    SmallVector<Value> next;
    const int blocks = e_.plan.blocks();
    Value isLast = v_.equal(v_.bitAnd(v_.sub(step, begin), 31), v_.i32(32 - blocks));
    for (auto [number, piece] : llvm::enumerate(pieces_)) {
      Value now = words[2 * number], ahead = words[2 * number + 1];
      Value loaded = steps::whereElseZero(v_, isLast, v_.b.getI32Type(), [&] {
        return loadBlock(piece, v_.add(v_.add(step, 32 + blocks), lane()), end);
      });
      next.append({v_.select(isLast, ahead, now), v_.select(isLast, loaded, ahead)});
    }
    return next;
  }

  // Those of the stage's block number `inStage`, which is block `step` of K, and `blocks` as blocksOf gave
  // them.
  LaneScales at(Value stage, int inStage, Value step, ValueRange blocks) const {
    LaneScales scales = *this;
    Value row = v_.add(v_.mul(v_.shru(thread_, 5), e_.plan.storeRows), v_.shru(v_.bitAnd(thread_, 31), 2));
    for (int half = 0; half < e_.plan.halves(); ++half)
      for (int i : {0, 8})
        scales.rows_.push_back(rowScale(stage, inStage, step, v_.add(row, half * e_.plan.halfRows() + i)));
    scales.stage_ = stage, scales.inStage_ = inStage;
    scales.blocks_.assign(blocks.begin(), blocks.end());
    return scales;
  }

  // The scales of the product of one half.
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
    Value inEight = v_.mul(v_.bitAnd(thread_, 3), 2), lines = address(stage_, kRegionScalesB);
    for (int column = 0; column < columns(); column += 8) {
      Value two = loadAt(lines, v_.add(inEight, inStage_ * columns() + column), 2),
            x = nvvm::element(v_, two, 0), y = nvvm::element(v_, two, 1);
      scales.append({multiply(first, x), multiply(first, y), multiply(second, x), multiply(second, y)});
    }
    return vectorOf(scales);
  }

private:
  // Rows that the tile has not get the last one's. A block past K is zeros of codes and scales: its product
  // must leave sums of -0, too, as they are, which +0 * -0 does.
  Value rowScale(Value stage, int inStage, Value step, Value row) const {
    const int rows = e_.plan.ctaRows();
    if (e_.plan.hasSpareRows()) row = v_.minu(row, v_.i32(rows - 1));
    Value scale = loadAt(address(stage, kRegionScalesA), inStage ? v_.add(row, inStage * rows) : row, 1);
    if (!inStage) return scale;
    Value none = arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(-0.0f));
    return v_.select(v_.less(step, v_.ceilDivu(e_.k, kStepK)), scale, none);
  }
  Value lane() const { return v_.bitAnd(thread_, 31); }
  Value loadBlock(Value piece, Value step, Value end) const {
    return steps::whereElseZero(v_, v_.cmp(ValueBuilder::Predicate::ult, step, end), v_.b.getI32Type(), [&] {
      return nvvm::load(v_, v_.b.getI32Type(), nvvm::offsetBytes(v_, piece, v_.mul(v_.toI64(step), 4)), 4);
    });
  }
  int columns() const { return e_.plan.ctaColumns(); }
  int pieceColumns() const {
    return std::gcd(columns(), kStepK);
  } // of one block of b, wherever the tile begins
  Value multiply(Value x, Value y) const { return arith::MulFOp::create(v_.b, v_.loc, x, y); }
  Value vectorOf(ArrayRef<Value> scales) const {
    return nvvm::fromElements(v_, VectorType::get(int64_t(scales.size()), v_.b.getF32Type()), scales);
  }
  Value address(Value stage, OperandRegion region) const {
    return mx::StageAddressOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), e_.operands(),
                                      stage, v_.b.getI32IntegerAttr(region));
  }
  Value loadAt(Value base, Value index, int count) const {
    Type type = v_.b.getF32Type();
    if (count > 1) type = VectorType::get(count, type);
    return nvvm::load(v_, type, nvvm::offsetBytes(v_, base, v_.toI64(v_.mul(index, 4))), 4 * count);
  }

  const BlockwiseEntry &e_;
  const ValueBuilder &v_;
  Value thread_, stage_;
  int inStage_ = 0;
  SmallVector<Value> pieces_;        // where the scales of b's blocks lie, a line of blocks along K each
  SmallVector<Value> rows_, blocks_; // scales
};
} // namespace

// All steps along K of a tile: a sum a half.
static SmallVector<Value> multiplyAndPromote(const BlockwiseEntry &e, const ValueBuilder &v,
                                             const TileRecord &tile) {
  const int halves = e.plan.halves(), blocksOfStage = e.plan.blocks();
  Type type = mx::AccumulatorType::get(v.b.getContext(), e.plan.ctaColumns());
  auto elementOf = [](Value operand) { return TypeAttr::get(getElementTypeOrSelf(operand.getType())); };
  const LaneScales scales(e, v, tile);
  Value begin = tile.beginStep(v, kStepK), end = tile.endStep(v, kStepK);
  SmallVector<Value> carried(halves, mx::ZeroAccumulatorOp::create(v.b, v.loc, type));
  llvm::append_range(carried, scales.firstBlocks(begin, end));
  if (e.plan.fetchesAhead()) LLVM::AssumeOp::create(v.b, v.loc, v.less(begin, end)); // K > 0 (conditions)
  auto loop = scf::ForOp::create(v.b, v.loc, begin, end, v.i32(blocksOfStage), carried);
  if (e.plan.fetchesAhead()) steps::keepRolled(loop);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToEnd(loop.getBody());
  ValueRange sumsSoFar = loop.getRegionIterArgs().take_front(halves),
             words = loop.getRegionIterArgs().drop_front(halves);
  Value step = loop.getInductionVar();
  Type productType = mx::AccumulatorType::get(v.b.getContext(), blocksOfStage * e.plan.ctaColumns());
  SmallVector<Value> sums = steps::use(v, e.operands(), SmallVector<Type>(halves, type), [&](Value stage) {
    SmallVector<Value> sums(sumsSoFar);
    SmallVector<LaneScales> ofStage;
    const bool areEarly = e.plan.multipliesScalesEarly();
    Value product;
    for (int half = 0; half < halves; ++half) {
      product = mx::FullRateProductOp::create(
          v.b, v.loc, productType, e.operands(), stage, v.b.getI32IntegerAttr(half), elementOf(e.op.getA()),
          elementOf(e.op.getB()), product, v.b.getI32IntegerAttr(blocksOfStage));
      // While the tensor core multiplies.
      for (int block = 0; half == 0 && block < blocksOfStage; ++block) {
        Value at = block ? v.add(step, int64_t(block)) : step;
        ofStage.push_back(scales.at(stage, block, at, scales.blocksOf(words, begin, at)));
      }
      SmallVector<Value> ofHalf;
      for (int block = 0; areEarly && block < blocksOfStage; ++block)
        ofHalf.push_back(ofStage[block].of(half));
      product =
          mx::FinishOp::create(v.b, v.loc, productType, e.operands(), product, /*last=*/v.b.getUnitAttr());
      if (half == 0) product.getDefiningOp()->setAttr(steps::kIsIdle, v.b.getUnitAttr());
      if (half + 1 == halves && areEarly) mx::ReleaseOp::create(v.b, v.loc, e.operands(), /*ahead=*/true);
      for (int block = 0; block < blocksOfStage; ++block) {
        Value ofBlock = product;
        if (blocksOfStage > 1)
          ofBlock = mx::AccumulatorBlockOp::create(v.b, v.loc, type, product, v.b.getI32IntegerAttr(block));
        sums[half] = mx::PromoteOp::create(v.b, v.loc, type, sums[half], ofBlock,
                                           areEarly ? ofHalf[block] : ofStage[block].of(half));
      }
    }
    return sums;
  });
  llvm::append_range(sums, scales.blocksAfter(words, begin, step, end));
  scf::YieldOp::create(v.b, v.loc, sums);
  return SmallVector<Value>(loop.getResults().take_front(halves));
}

void emitMultiplyAndPromote(const BlockwiseEntry &e) {
  emitRole(
      e, e.tiles, "multiply", 0, e.plan.storeWarps, /*leader=*/false,
      [&](const ValueBuilder &v, const TileRecord &tile) {
        if (e.plan.fetchesAhead()) steps::fetchAhead(v);
        storeAccumulators(e, v, tile, multiplyAndPromote(e, v, tile));
      },
      [&](const ValueBuilder &v) { drainResults(e, v); });
}

} // namespace mxc
