// mx.tiles: which tile a cluster works on next, and where in c it lies.
#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <functional>

using namespace mlir;

namespace mxc {

namespace {
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

void emitTile(const ValueBuilder &v, mx::TilesOp op, ArrayRef<Value> fields) {
  for (Operation *user : llvm::make_early_inc_range(op.getBody().getArgument(0).getUsers())) {
    user->replaceAllUsesWith(fields);
    user->erase();
  }
  Operation *place = v.i32(0).getDefiningOp(); // what the body stands in front of
  op.getBody().front().eraseArguments(0, 1);
  inlineBody(place, op.getBody(), {});
  place->erase();
}

namespace {
// Tiles by number: the slices of one follow each other, then tiles of a batch in supergroups.
class NumberedTiles {
public:
  /// `parts`: of K that each batch has, by the fields k_begin and k_end; null: all of it.
  using Parts = std::function<std::pair<Value, Value>(const ValueBuilder &v, Value batch)>;
  NumberedTiles(const ValueBuilder &v, mx::TilesOp op, int supergroup, int slices, Parts parts = {})
      : op_(op), slices_(slices), parts_(std::move(parts)),
        supergroups_(v, op.getRows(), op.getColumns(), supergroup) {
    Value perBatch = v.mul(op.getRows(), op.getColumns());
    batch_ = Divisor::of(v, perBatch);
    isBatched_ = !matchPattern(op.getBatches(), m_One());
    if (slices > 1) steps_ = v.ceilDivu(op.getK(), op.getTileK());
  }

  Value count(const ValueBuilder &v) const { return v.mul(v.mul(batch_.number, op_.getBatches()), slices_); }

  // The body for tile `number`, at the place of `v`.
  void emit(const ValueBuilder &v, Value number) {
    Value slice = slices_ == 1 ? v.i32(0) : v.remu(number, slices_);
    std::pair<Value, Value> inBatch = {v.i32(0), v.divu(number, slices_)};
    if (isBatched_) inBatch = batch_.divide(v, inBatch.second);
    auto [row, column] = supergroups_.tile(v, inBatch.second);
    bool isWhole = slices_ == 1;
    Value firstRow = v.mul(row, op_.getTileM()), firstColumn = v.mul(column, op_.getTileN());
    std::pair<Value, Value> part = {isWhole ? v.i32(0) : beginOf(v, slice),
                                    isWhole ? op_.getK() : beginOf(v, v.add(slice, 1))};
    if (parts_) part = parts_(v, inBatch.first);
    emitTile(v, op_,
             {v.i32(0), inBatch.first, firstRow, firstColumn, op_.getM(), firstRow, part.first, part.second,
              slice});
  }

private:
  // Where a slice begins along K, in elements.
  Value beginOf(const ValueBuilder &v, Value slice) const {
    Value step = v.divu(v.mul(slice, steps_), slices_);
    return arith::MulIOp::create(v.b, v.loc, step, v.i32(op_.getTileK()), arith::IntegerOverflowFlags::nuw);
  }

  mutable mx::TilesOp op_; // accessors of operations are not const
  int slices_;
  Parts parts_;
  Supergroups supergroups_;
  Divisor batch_;
  bool isBatched_;
  Value steps_;
};
} // namespace

// Every so many-th tile.
static void walkInTurn(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline, NumberedTiles tiles) {
  Value count = tiles.count(v);
  Value first = nvvm::ctaId(v, nvvm::Dim::X), step = nvvm::gridSize(v, nvvm::Dim::X);
  if (pipeline.isTwo()) first = v.shru(first, 1), step = v.shru(step, 1);
  auto loop = scf::ForOp::create(v.b, v.loc, first, count, step);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  tiles.emit(v, loop.getInductionVar());
}

static void walkStatic(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  auto schedule = cast<mx::StaticScheduleAttr>(op.getSchedule());
  walkInTurn(v, op, pipeline, NumberedTiles(v, op, schedule.getSupergroup(), schedule.getSlices()));
}

static void walkKGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  auto schedule = cast<mx::KGroupScheduleAttr>(op.getSchedule());
  auto parts = [op, align = int64_t(schedule.getAlign())](const ValueBuilder &v, Value group) mutable {
    Value isFirst = v.equal(group, v.i32(0));
    Value before = groupEnd(v, op.getEnds(), v.select(isFirst, group, v.sub(group, v.i32(1))), op.getK());
    Value begin = v.bitAnd(v.add(v.select(isFirst, group, before), align - 1), -align);
    Value end = groupEnd(v, op.getEnds(), group, op.getK());
    Value isThere = v.cmp(ValueBuilder::Predicate::ult, begin, end);
    return std::pair(v.select(isThere, begin, v.i32(0)), v.select(isThere, end, v.i32(0)));
  };
  walkInTurn(v, op, pipeline, NumberedTiles(v, op, schedule.getSupergroup(), /*slices=*/1, parts));
}

static void walkTakenOver(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  auto schedule = cast<mx::ClcScheduleAttr>(op.getSchedule());
  NumberedTiles tiles(v, op, schedule.getSupergroup(), schedule.getSlices());
  walkQueuedTiles(v, op, pipeline, [&](Value number) { tiles.emit(v, number); });
}

void populateTileLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.addSchedule<mx::StaticScheduleAttr>(walkStatic);
  lowerings.addSchedule<mx::ClcScheduleAttr>(walkTakenOver);
  lowerings.addSchedule<mx::GroupScheduleAttr>(walkGroups);
  lowerings.addSchedule<mx::KGroupScheduleAttr>(walkKGroups);
  lowerings.add(lowerTakeOver);
}

} // namespace mxc
