// mx.tiles over rows in groups: every warp walks for itself, 32 groups at a time.
#include "compiler/lowering/pipeline/GroupTiles.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

GroupTiles::GroupTiles(const ValueBuilder &v, const TileCut &cut, Pipeline &pipeline)
    : k_(cut.k), tileN_(cut.tileN), supergroup_(cast<mx::GroupScheduleAttr>(cut.schedule).getSupergroup()),
      cut_{.ends = cut.groups,
           .groups = cut.batches,
           .rows = cut.m,
           .columns = cut.columns,
           .lane = pipeline.lane(),
           .align = cast<mx::GroupScheduleAttr>(cut.schedule).getAlign(),
           .tileM = cut.tileM},
      whole_(Divisor::of(v, v.mul(cut_.columns, supergroup_))) {}

TileFields GroupTiles::fields(const ValueBuilder &v, const GroupOfTile &of) const {
  auto [supergroup, within] = whole_.divide(v, of.number);
  Value left = v.sub(of.rows, v.mul(supergroup, supergroup_)); // rows of tiles, from this supergroup on
  Divisor height = Divisor::ofTile(v, v.minu(left, v.i32(supergroup_)));
  auto [column, row] = height.divide(v, within);
  Value inGroup = v.mul(v.add(v.mul(supergroup, supergroup_), row), cut_.tileM);
  return {of.group,
          v.i32(0),
          v.add(of.begin, inGroup),
          v.mul(column, tileN_),
          of.end,
          of.scaleRow(v, cut_, inGroup),
          v.i32(0),
          k_,
          v.i32(0)};
}

// Every so many-th tile.
void walkGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  const GroupTiles tiles(v, TileCut::of(op), pipeline);
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
  // Tiles of the window from this cluster's on: of what a tile is found by nothing else stays in registers.
  Value left = v.sub(window.tiles(v), mine);
  auto loop = scf::WhileOp::create(
      v.b, v.loc, TypeRange{left.getType()}, ValueRange{left},
      [&](OpBuilder &, Location, ValueRange at) { // builds with v.b
        scf::ConditionOp::create(v.b, v.loc, v.less(v.i32(0), at[0]), at);
      },
      [&](OpBuilder &, Location, ValueRange at) {
        auto next = scf::YieldOp::create(v.b, v.loc, v.sub(at[0], step));
        OpBuilder::InsertionGuard inBody(v.b);
        v.b.setInsertionPoint(next);
        emitTile(v, op, tiles.fields(v, window.find(v, v.sub(window.tiles(v), at[0]))));
      });
  Value lastEnd = window.lastEnd(v);
  scf::YieldOp::create(v.b, v.loc, ValueRange{v.sub(v.i32(0), loop.getResult(0)), lastEnd});
}

} // namespace mxc
