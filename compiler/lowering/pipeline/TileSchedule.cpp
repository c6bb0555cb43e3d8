// mx.tiles: which tile a cluster works on next, and where in c it lies.
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mxc {

namespace {
// Unsigned division by a number that many are divided by: x * floor((2^32 - 1) / d) / 2^32 is the quotient or
// one below.
struct Divisor {
  Value number, inverse;

  static Divisor of(const ValueBuilder &v, Value number) { return {number, v.divu(v.i32(-1), number)}; }

  std::pair<Value, Value> divide(const ValueBuilder &v, Value x) const { // quotient, remainder
    Value estimate = arith::MulUIExtendedOp::create(v.b, v.loc, x, inverse).getHigh();
    Value rest = v.sub(x, v.mul(estimate, number));
    Value isBelow = v.cmp(ValueBuilder::Predicate::uge, rest, number);
    return {v.select(isBelow, v.add(estimate, 1), estimate), v.select(isBelow, v.sub(rest, number), rest)};
  }
};

// Tiles of a batch in supergroups of S rows (docs/semantics.md has no say in it: order changes no bit). Of
// tile i: g = i / (S * columns), w = i % (S * columns), height = min(S, rows - g * S): row g * S + w %
// height, column w / height.
class Supergroups {
public:
  Supergroups(const ValueBuilder &v, Value rows, Value columns, int size)
      : size_(size), group_(Divisor::of(v, v.mul(columns, size))), full_(Divisor::of(v, v.i32(size))) {
    groups_ = v.divu(rows, size);
    Value rest = v.remu(rows, size);
    last_ = Divisor::of(v, v.select(v.equal(rest, v.i32(0)), v.i32(size), rest));
  }

  std::pair<Value, Value> tile(const ValueBuilder &v, Value i) const {
    auto [group, within] = group_.divide(v, i);
    Value isFull = v.cmp(ValueBuilder::Predicate::ult, group, groups_);
    Divisor height = {v.select(isFull, full_.number, last_.number),
                      v.select(isFull, full_.inverse, last_.inverse)};
    auto [column, row] = height.divide(v, within);
    return {v.add(v.mul(group, size_), row), column};
  }

private:
  Value groups_; // full ones
  int size_;
  Divisor group_, full_, last_;
};
} // namespace

// Clusters take each so many-th.
static void walkTiles(const ValueBuilder &v, Value count, Pipeline &pipeline,
                      function_ref<void(Value tile)> body) {
  Value first = nvvm::ctaId(v, nvvm::Dim::X), step = nvvm::gridSize(v, nvvm::Dim::X);
  if (pipeline.isTwo()) first = v.shru(first, 1), step = v.shru(step, 1);
  auto loop = scf::ForOp::create(v.b, v.loc, first, count, step);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void lowerTiles(mx::TilesOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  bool isBatched = !matchPattern(op.getBatches(), m_One());
  Supergroups supergroups(v, op.getRows(), op.getColumns(), op.getSupergroup());
  Value perBatch = v.mul(op.getRows(), op.getColumns());
  Divisor batch = Divisor::of(v, perBatch);
  int64_t slices = op.getSlices();
  auto tile = [&](Value number) {
    Value slice = slices == 1 ? v.i32(0) : v.remu(number, slices);
    std::pair<Value, Value> inBatch = {v.i32(0), v.divu(number, slices)};
    if (isBatched) inBatch = batch.divide(v, inBatch.second);
    auto [row, column] = supergroups.tile(v, inBatch.second);
    Operation *place = v.i32(0).getDefiningOp(); // what the body stands in front of
    inlineBody(place, op.getBody(), {inBatch.first, row, column, slice});
    place->erase();
  };
  if (op.getQueue())
    walkQueuedTiles(v, op, pipeline, tile);
  else
    walkTiles(v, v.mul(v.mul(perBatch, op.getBatches()), slices), pipeline, tile);
  op.erase();
}

} // namespace mxc
