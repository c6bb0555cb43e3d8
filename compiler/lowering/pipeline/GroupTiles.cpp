// mx.tiles over rows in groups: every warp walks for itself, 32 groups at a time.
#include "compiler/lowering/pipeline/GroupTiles.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

GroupTiles::GroupTiles(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline)
    : op_(op), schedule_(cast<mx::GroupScheduleAttr>(op.getSchedule())), cut_{.ends = op.getGroups(),
                                                                              .groups = op.getBatches(),
                                                                              .rows = op.getM(),
                                                                              .columns = op.getColumns(),
                                                                              .lane = pipeline.lane(),
                                                                              .align = schedule_.getAlign(),
                                                                              .tileM = op.getTileM()},
      whole_(Divisor::of(v, v.mul(cut_.columns, schedule_.getSupergroup()))) {}

void GroupTiles::emit(const ValueBuilder &v, const GroupOfTile &of) {
  const int64_t size = schedule_.getSupergroup();
  auto [supergroup, within] = whole_.divide(v, of.number);
  Value left = v.sub(of.rows, v.mul(supergroup, size)); // rows of tiles, from this supergroup on
  Divisor height = Divisor::of(v, v.minu(left, v.i32(size)));
  auto [column, row] = height.divide(v, within);
  Value inGroup = v.mul(v.add(v.mul(supergroup, size), row), op_.getTileM());
  emitTile(v, op_,
           {of.group, v.i32(0), v.add(of.begin, inGroup), v.mul(column, op_.getTileN()), of.end,
            of.scaleRow(v, cut_, inGroup), v.i32(0), op_.getK(), v.i32(0)});
}

// Every so many-th tile.
static void walkInTurn(const ValueBuilder &v, GroupTiles &tiles, Pipeline &pipeline) {
  const GroupCut &cut = tiles.cut();
  auto [first, step] = clusterInGrid(v, pipeline);
  // What goes on from window to window: this cluster's next tile, counted from the window's first one, and
  // the end of the group before.
  auto windows = scf::ForOp::create(v.b, v.loc, v.i32(0), cut.groups, v.i32(GroupWindow::kGroups),
                                    ValueRange{first, v.i32(0)});
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToEnd(windows.getBody());
  Value mine = windows.getRegionIterArg(0);
  const GroupWindow window(v, cut, windows.getInductionVar(), windows.getRegionIterArg(1));
  Value count = window.tiles(v), lastEnd = window.lastEnd(v);
  auto loop = scf::ForOp::create(v.b, v.loc, mine, count, step, mine);
  scf::YieldOp::create(v.b, v.loc, ValueRange{v.sub(loop.getResult(0), count), lastEnd});
  v.b.setInsertionPointToStart(loop.getBody());
  Value next = v.add(loop.getInductionVar(), step);
  scf::YieldOp::create(v.b, v.loc, next);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  tiles.emit(v, window.find(v, loop.getInductionVar()));
}

void walkGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  GroupTiles tiles(v, op, pipeline);
  if (op.getQueue()) return walkQueuedGroups(v, op, tiles, pipeline);
  walkInTurn(v, tiles, pipeline);
}

} // namespace mxc
