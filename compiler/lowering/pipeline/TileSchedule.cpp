// mx.tiles: which tile a cluster works on next, and where in c it lies.
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "compiler/lowering/pipeline/Steps.h"

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
  struct Part {
    Value batch, begin, end; // of K, the fields k_begin and k_end
  };
  /// `parts`: the batch that comes at a place, and its part of K; null: they come in order and have all.
  using Parts = std::function<Part(const ValueBuilder &v, Value place)>;
  NumberedTiles(const ValueBuilder &v, mx::TilesOp op, int supergroup, int slices, Parts parts = {})
      : op_(op), slices_(slices), parts_(std::move(parts)),
        supergroups_(v, op.getRows(), op.getColumns(), supergroup) {
    Value perBatch = v.mul(op.getRows(), op.getColumns());
    batch_ = Divisor::of(v, perBatch);
    isBatched_ = !matchPattern(op.getBatches(), m_One());
    if (slices > 1) steps_ = v.ceilDivu(op.getK(), op.getTileK());
  }

  Value count(const ValueBuilder &v) const { return v.mul(v.mul(batch_.number, op_.getBatches()), slices_); }

  // The body for tile `number`, at the place of `v`; returns the fields.
  SmallVector<Value> emit(const ValueBuilder &v, Value number) {
    Value slice = slices_ == 1 ? v.i32(0) : v.remu(number, slices_);
    std::pair<Value, Value> inBatch = {v.i32(0), v.divu(number, slices_)};
    if (isBatched_) inBatch = batch_.divide(v, inBatch.second);
    auto [row, column] = supergroups_.tile(v, inBatch.second);
    bool isWhole = slices_ == 1;
    Value firstRow = v.mul(row, op_.getTileM()), firstColumn = v.mul(column, op_.getTileN());
    Part part = {inBatch.first, isWhole ? v.i32(0) : beginOf(v, slice),
                 isWhole ? op_.getK() : beginOf(v, v.add(slice, 1))};
    if (parts_) part = parts_(v, inBatch.first);
    SmallVector<Value> fields = {v.i32(0), part.batch, firstRow, firstColumn, op_.getM(),
                                 firstRow, part.begin, part.end, slice};
    emitTile(v, op_, fields);
    return fields;
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

std::pair<Value, Value> clusterInGrid(const ValueBuilder &v, Pipeline &pipeline) {
  Value cluster = nvvm::ctaId(v, nvvm::Dim::X), clusters = nvvm::gridSize(v, nvvm::Dim::X);
  if (!pipeline.isTwo()) return {cluster, clusters};
  return {v.shru(cluster, 1), v.shru(clusters, 1)};
}

// Every so many-th tile.
static void walkStatic(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  auto schedule = cast<mx::StaticScheduleAttr>(op.getSchedule());
  NumberedTiles tiles(v, op, schedule.getSupergroup(), schedule.getSlices());
  Value count = tiles.count(v);
  auto [first, step] = clusterInGrid(v, pipeline);
  auto loop = scf::ForOp::create(v.b, v.loc, first, count, step);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  const SmallVector<Value> fields = tiles.emit(v, loop.getInductionVar());
  if (op->hasAttr(steps::kFetchesAhead)) fetchAhead(loop, fields);
}

// Cluster c of C takes tiles c, 2 C - 1 - c, 2 C + c, ..: two distances in turn, which make 2 C.
static void walkKGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  auto schedule = cast<mx::KGroupScheduleAttr>(op.getSchedule());
  auto parts = [op](const ValueBuilder &v, Value rank) mutable -> NumberedTiles::Part {
    const OrderedGroup group = groupOfRank(v, op.getGroups(), rank);
    return {group.group, group.begin, group.end};
  };
  NumberedTiles tiles(v, op, schedule.getSupergroup(), /*slices=*/1, parts);
  Value count = tiles.count(v);
  auto [first, clusters] = clusterInGrid(v, pipeline);
  Value both = v.mul(clusters, 2), back = v.add(v.mul(first, 2), 1);
  Type i32 = v.b.getI32Type();
  auto loop = scf::WhileOp::create(v.b, v.loc, TypeRange{i32, i32}, ValueRange{first, v.sub(both, back)});
  OpBuilder::InsertionGuard guard(v.b);
  Block *before = v.b.createBlock(&loop.getBefore(), {}, {i32, i32}, {v.loc, v.loc});
  Value isThere = v.cmp(ValueBuilder::Predicate::ult, before->getArgument(0), count);
  scf::ConditionOp::create(v.b, v.loc, isThere, before->getArguments());
  Block *turn = v.b.createBlock(&loop.getAfter(), {}, {i32, i32}, {v.loc, v.loc});
  Value number = turn->getArgument(0), distance = turn->getArgument(1);
  auto next = scf::YieldOp::create(v.b, v.loc, ValueRange{v.add(number, distance), v.sub(both, distance)});
  v.b.setInsertionPoint(next);
  tiles.emit(v, number);
}

static void lowerOrderGroups(mx::OrderGroupsOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  if (pipeline.hasEarlyRoles()) nvvm::waitForPrerequisites(v); // for the ends
  Value records = v.mul(v.toI64(nvvm::ctaId(v, nvvm::Dim::X)), v.toI64(op.getGroups()));
  Value order = nvvm::offsetBytes(v, op.getOrders(), v.mul(records, kOrderBytes));
  writeGroupOrder(v, {op.getEnds(), op.getGroups(), op.getK(), op.getSlab()}, order, nvvm::threadIdX(v),
                  nvvm::ctaSize(v));
  nvvm::syncThreads(v);
  op.replaceAllUsesWith(order);
  op.erase();
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
  lowerings.add(lowerOrderGroups);
}

} // namespace mxc
