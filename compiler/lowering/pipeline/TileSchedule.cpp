// mx.tiles: which tile a cluster works on next, and where in c it lies.
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/pipeline/TilesByNumber.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

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

std::pair<Value, Value> clusterInGrid(const ValueBuilder &v, Pipeline &pipeline) {
  Value cluster = nvvm::ctaId(v, nvvm::Dim::X), clusters = nvvm::gridSize(v, nvvm::Dim::X);
  if (!pipeline.isTwo()) return {cluster, clusters};
  return {v.shru(cluster, 1), v.shru(clusters, 1)};
}

// Every so many-th tile.
static void walkStatic(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  const NumberedTiles tiles(v, TileCut::of(op));
  Value count = tiles.count(v);
  auto [first, step] = clusterInGrid(v, pipeline);
  auto loop = scf::ForOp::create(v.b, v.loc, first, count, step);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  const SmallVector<Value> fields = tiles.fields(v, loop.getInductionVar());
  emitTile(v, op, fields);
  if (op->hasAttr(steps::kFetchesAhead)) fetchAhead(loop, fields);
}

// Cluster c of C takes tiles c, 2 C - 1 - c, 2 C + c, ..: two distances in turn, which make 2 C.
static void walkInTurns(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  const NumberedTiles tiles(v, TileCut::of(op));
  Value count = tiles.count(v);
  auto [first, clusters] = clusterInGrid(v, pipeline);
  Value both = v.mul(clusters, 2), back = v.add(v.mul(first, 2), 1);
  Type i32 = v.b.getI32Type();
  auto loop = scf::WhileOp::create(v.b, v.loc, TypeRange{i32, i32}, ValueRange{first, v.sub(both, back)});
  OpBuilder::InsertionGuard guard(v.b);
  Block *before = v.b.createBlock(&loop.getBefore(), {}, {i32, i32}, {v.loc, v.loc});
  Value exists = v.cmp(ValueBuilder::Predicate::ult, before->getArgument(0), count);
  scf::ConditionOp::create(v.b, v.loc, exists, before->getArguments());
  Block *turn = v.b.createBlock(&loop.getAfter(), {}, {i32, i32}, {v.loc, v.loc});
  Value number = turn->getArgument(0), distance = turn->getArgument(1);
  auto next = scf::YieldOp::create(v.b, v.loc, ValueRange{v.add(number, distance), v.sub(both, distance)});
  v.b.setInsertionPoint(next);
  emitTile(v, op, tiles.fields(v, number));
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

void populateTileLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.addSchedule<mx::StaticScheduleAttr>(walkStatic);
  lowerings.addSchedule<mx::GroupScheduleAttr>(walkGroups);
  lowerings.addSchedule<mx::KGroupScheduleAttr>(walkInTurns);
  lowerings.add(lowerHandOut);
  lowerings.add(lowerOrderGroups);
}

} // namespace mxc
