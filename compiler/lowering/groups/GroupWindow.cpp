#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/groups/GroupPlaces.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

Value groupEnd(const ValueBuilder &v, Value ends, Value group, Value most) {
  Value address = nvvm::offsetBytes(v, ends, v.mul(v.toI64(group), 4));
  Value end = nvvm::load(v, v.b.getI32Type(), address, 4);
  return endWithin(v, end, most);
}

Value GroupOfTile::scaleRow(const ValueBuilder &v, const GroupCut &cut, Value inGroup) const {
  if (cut.align != 1) return v.add(begin, inGroup);
  return v.add(v.mul(firstScaleTile(v, begin, group), kScaleTileRows), inGroup);
}

// Over this lane and those before it.
static Value sumOverLanes(const ValueBuilder &v, Value x) {
  for (int distance = 1; distance < GroupWindow::kGroups; distance *= 2)
    x = v.add(x, nvvm::shuffleUp(v, x, distance));
  return x;
}

GroupWindow::GroupWindow(const ValueBuilder &v, const GroupCut &cut, Value first, Value endBefore)
    : cut_(cut), first_(first) {
  Value group =
      v.minu(v.add(first, cut.lane), v.sub(cut.groups, v.i32(1))); // past the last one it has no rows
  end_ = groupEnd(v, cut.ends, group, cut.rows);
  Value previous = nvvm::shuffleUp(v, end_, 1);
  previous = v.select(v.equal(cut.lane, v.i32(0)), endBefore, previous);
  begin_ = cut.align == 1 ? previous : v.bitAnd(v.add(previous, cut.align - 1), -cut.align);
  upTo_ = sumOverLanes(v, v.mul(rowsOfTiles(v, begin_, end_), cut.columns));
}

Value GroupWindow::tiles(const ValueBuilder &v) const { return nvvm::shuffleFrom(v, upTo_, kGroups - 1); }
Value GroupWindow::lastEnd(const ValueBuilder &v) const { return nvvm::shuffleFrom(v, end_, kGroups - 1); }

Value GroupWindow::rowsOfTiles(const ValueBuilder &v, Value begin, Value end) const {
  Value isThere = v.cmp(ValueBuilder::Predicate::ult, begin, end);
  return v.ceilDivu(v.select(isThere, v.sub(end, begin), v.i32(0)), cut_.tileM);
}

Value GroupWindow::laneOf(const ValueBuilder &v, Value number) const {
  return nvvm::countLanes(v, v.cmp(ValueBuilder::Predicate::ule, upTo_, number));
}

GroupOfTile GroupWindow::at(const ValueBuilder &v, Value lane, Value number) const {
  auto of = [&](Value x) { return nvvm::shuffleFrom(v, x, lane); };
  GroupOfTile found = {v.add(first_, lane), of(begin_), of(end_), {}, {}};
  found.rows = rowsOfTiles(v, found.begin, found.end);
  Value before = v.sub(of(upTo_), v.mul(found.rows, cut_.columns));
  found.number = v.sub(number, before);
  return found;
}

std::pair<Value, GroupOfTile> groupOfTile(const ValueBuilder &v, const GroupCut &cut, Value number) {
  // From window to window: the tile, counted from the window's first one, and the end of the group before;
  // then whether it was found, and its fields.
  SmallVector<Value> initial = {number,   v.i32(0), v.i1(false), v.i32(0),
                                v.i32(0), v.i32(0), v.i32(1),    v.i32(0)};
  auto windows = scf::ForOp::create(v.b, v.loc, v.i32(0), cut.groups, v.i32(GroupWindow::kGroups), initial);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToEnd(windows.getBody());
    ValueRange state = windows.getRegionIterArgs();
    const GroupWindow window(v, cut, windows.getInductionVar(), state[1]);
    Value count = window.tiles(v), isHere = v.cmp(ValueBuilder::Predicate::ult, state[0], count);
    isHere = v.bitAnd(isHere, v.equal(state[2], v.i1(false)));
    const GroupOfTile found = window.find(v, state[0]);
    SmallVector<Value> next = {v.sub(state[0], count), window.lastEnd(v), v.bitOr(state[2], isHere)};
    const Value fields[] = {found.group, found.begin, found.end, found.rows, found.number};
    for (auto [field, before] : llvm::zip(fields, state.drop_front(3)))
      next.push_back(v.select(isHere, field, before));
    scf::YieldOp::create(v.b, v.loc, next);
  }
  ValueRange fields = windows.getResults();
  return {fields[2], {fields[3], fields[4], fields[5], fields[6], fields[7]}};
}

} // namespace mxc
