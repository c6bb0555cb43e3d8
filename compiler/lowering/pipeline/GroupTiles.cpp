// mx.tiles over rows in groups, whose ends lie on the device. Every warp walks for itself. Its lanes look at
// 32 groups at a time: their first row and end, and by a sum over the lanes how many tiles lie before them.
//
//   groups of a window        lane 0 | lane 1 | lane 2 | ..
//   tiles, its rows' x columns     6 |      0 |      4 | ..
//   tiles up to its end            6 |      6 |     10 | ..   tile t of the window is the first lane's whose
//                                                            number here is above t
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "dialect/formats/ScaleLayout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static constexpr int kWindow = 32; // groups that a warp looks at at a time

namespace {
// The groups of a window, one a lane; all i32.
struct GroupWindow {
  Value first;           // group of lane 0
  Value begin, end;      // rows of the lane's group
  Value before, upTo;    // tiles of the window before the group, and with it
  Value fullSupergroups; // of its tiles
  Divisor last;          // height of what is left, or of a full one where nothing is
};

class GroupTiles {
public:
  GroupTiles(const ValueBuilder &v, mx::TilesOp op, Value lane)
      : op_(op), schedule_(cast<mx::GroupScheduleAttr>(op.getSchedule())), lane_(lane),
        supergroup_(Divisor::of(v, v.mul(op.getColumns(), schedule_.getSupergroup()))) {}

  // `endBefore`: of the group before the window.
  GroupWindow window(const ValueBuilder &v, Value first, Value endBefore) {
    GroupWindow w;
    w.first = first;
    w.end = endOf(v, v.add(first, lane_));
    Value isFirst = v.equal(lane_, v.i32(0));
    Value previous = v.select(isFirst, endBefore, nvvm::shuffleFrom(v, w.end, v.sub(lane_, v.i32(1))));
    const int64_t align = schedule_.getAlign();
    w.begin = align == 1 ? previous : v.bitAnd(v.add(previous, align - 1), -align);
    Value isThere = v.cmp(ValueBuilder::Predicate::ult, w.begin, w.end);
    Value rows = v.select(isThere, v.sub(w.end, w.begin), v.i32(0));
    Value tiles = v.ceilDivu(rows, op_.getTileM());
    w.upTo = sumOverLanes(v, v.mul(tiles, op_.getColumns()));
    w.before = v.sub(w.upTo, v.mul(tiles, op_.getColumns()));
    const int64_t size = schedule_.getSupergroup();
    w.fullSupergroups = v.divu(tiles, size);
    Value rest = v.remu(tiles, size);
    w.last = Divisor::of(v, v.select(v.equal(rest, v.i32(0)), v.i32(size), rest));
    return w;
  }

  // The body for tile `number` of the window.
  void emit(const ValueBuilder &v, const GroupWindow &w, Value number) {
    Value isBefore = v.cmp(ValueBuilder::Predicate::ule, w.upTo, number);
    Value lane = nvvm::countLanes(v, isBefore);
    auto of = [&](Value x) { return nvvm::shuffleFrom(v, x, lane); };
    Value begin = of(w.begin), end = of(w.end), group = v.add(w.first, lane);
    auto [supergroup, within] = supergroup_.divide(v, v.sub(number, of(w.before)));
    Value isFull = v.cmp(ValueBuilder::Predicate::ult, supergroup, of(w.fullSupergroups));
    const int64_t size = schedule_.getSupergroup();
    Divisor full = Divisor::of(v, v.i32(size));
    Divisor height = {v.select(isFull, full.number, of(w.last.number)),
                      v.select(isFull, full.inverse, of(w.last.inverse))};
    auto [column, row] = height.divide(v, within);
    Value inGroup = v.mul(v.add(v.mul(supergroup, size), row), op_.getTileM());
    Value firstRow = v.add(begin, inGroup), scaleRow = firstRow;
    if (schedule_.getAlign() == 1) {
      Value tile = v.add(v.divu(begin, kScaleTileRows), group);
      scaleRow = v.add(v.mul(tile, kScaleTileRows), inGroup);
    }
    emitTile(v, op_,
             {group, v.i32(0), firstRow, v.mul(column, op_.getTileN()), end, scaleRow, v.i32(0), op_.getK(),
              v.i32(0)});
  }

private:
  // Within the rows, whatever is there; past the last group its own.
  Value endOf(const ValueBuilder &v, Value group) {
    Value there = v.minu(group, v.sub(op_.getBatches(), v.i32(1)));
    Value address = nvvm::offsetBytes(v, op_.getEnds(), v.mul(v.toI64(there), 4));
    Value end = nvvm::load(v, v.b.getI32Type(), address, 4);
    return v.minu(arith::MaxSIOp::create(v.b, v.loc, end, v.i32(0)), op_.getM());
  }

  // Of this lane and those before it.
  Value sumOverLanes(const ValueBuilder &v, Value x) {
    for (int distance = 1; distance < kWindow; distance *= 2) {
      Value other = nvvm::shuffleFrom(v, x, v.sub(lane_, v.i32(distance)));
      x = v.add(x, v.select(v.less(lane_, v.i32(distance)), v.i32(0), other));
    }
    return x;
  }

  mutable mx::TilesOp op_; // accessors of operations are not const
  mx::GroupScheduleAttr schedule_;
  Value lane_;
  Divisor supergroup_; // tiles of a full one
};
} // namespace

void walkGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  GroupTiles tiles(v, op, pipeline.lane());
  Value first = nvvm::ctaId(v, nvvm::Dim::X), step = nvvm::gridSize(v, nvvm::Dim::X);
  if (pipeline.isTwo()) first = v.shru(first, 1), step = v.shru(step, 1);
  // What goes on from window to window: this cluster's next tile, counted from the window's first one, and
  // the end of the group before.
  auto windows =
      scf::ForOp::create(v.b, v.loc, v.i32(0), op.getBatches(), v.i32(kWindow), ValueRange{first, v.i32(0)});
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToEnd(windows.getBody());
  Value mine = windows.getRegionIterArg(0);
  GroupWindow window = tiles.window(v, windows.getInductionVar(), windows.getRegionIterArg(1));
  Value count = nvvm::shuffleFrom(v, window.upTo, kWindow - 1),
        lastEnd = nvvm::shuffleFrom(v, window.end, kWindow - 1);
  auto loop = scf::ForOp::create(v.b, v.loc, mine, count, step, mine);
  scf::YieldOp::create(v.b, v.loc, ValueRange{v.sub(loop.getResult(0), count), lastEnd});
  v.b.setInsertionPointToStart(loop.getBody());
  Value next = v.add(loop.getInductionVar(), step);
  scf::YieldOp::create(v.b, v.loc, next);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  tiles.emit(v, window, loop.getInductionVar());
}

} // namespace mxc
