// mx.tiles over rows in groups: every warp walks for itself, 32 groups at a time.
#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

// The body for a tile; inside a group supergroups as NumberedTiles has them. `whole`: tiles of a full one.
static void emitGroupTile(const ValueBuilder &v, mx::TilesOp op, const GroupCut &cut, const GroupOfTile &of,
                          const Divisor &whole) {
  const int64_t size = cast<mx::GroupScheduleAttr>(op.getSchedule()).getSupergroup();
  auto [supergroup, within] = whole.divide(v, of.number);
  Value left = v.sub(of.rows, v.mul(supergroup, size)); // rows of tiles, from this supergroup on
  Divisor height = Divisor::of(v, v.minu(left, v.i32(size)));
  auto [column, row] = height.divide(v, within);
  Value inGroup = v.mul(v.add(v.mul(supergroup, size), row), op.getTileM());
  emitTile(v, op,
           {of.group, v.i32(0), v.add(of.begin, inGroup), v.mul(column, op.getTileN()), of.end,
            of.scaleRow(v, cut, inGroup), v.i32(0), op.getK(), v.i32(0)});
}

void walkGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  auto schedule = cast<mx::GroupScheduleAttr>(op.getSchedule());
  const GroupCut cut = {.ends = op.getGroups(),
                        .groups = op.getBatches(),
                        .rows = op.getM(),
                        .columns = op.getColumns(),
                        .lane = pipeline.lane(),
                        .align = schedule.getAlign(),
                        .tileM = op.getTileM()};
  Divisor whole = Divisor::of(v, v.mul(cut.columns, schedule.getSupergroup()));
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
  emitGroupTile(v, op, cut, window.find(v, loop.getInductionVar()), whole);
}

} // namespace mxc
