#include "compiler/lowering/groups/CompactScaleRow.h"
#include "compiler/lowering/groups/GroupPlaces.h"
#include "compiler/lowering/nvvm/Memory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static Value placeOf(const ValueBuilder &v, Value row, Value begin, Value group, Value scaleRows) {
  Value tile = firstScaleTile(v, begin, group);
  return v.minu(v.add(v.mul(tile, kScaleTileRows), v.sub(row, begin)), v.sub(scaleRows, v.i32(1)));
}

namespace {
// Ends of groups in memory, which rise, as a lane looks for the group of a row.
struct Ends {
  Value first, groups;

  Value at(const ValueBuilder &v, Value group) const {
    return nvvm::load(v, v.b.getI32Type(), nvvm::offsetBytes(v, first, v.mul(v.toI64(group), 4)), 4);
  }
  Value hasPassed(const ValueBuilder &v, Value group, Value row) const {
    return v.cmp(ValueBuilder::Predicate::sle, at(v, group), row);
  }

  // How many of them a row has passed: its group.
  Value find(const ValueBuilder &v, Value row) const {
    Type i32 = v.b.getI32Type();
    auto loop = scf::WhileOp::create(
        v.b, v.loc, TypeRange{i32, i32}, ValueRange{v.i32(0), groups},
        [&](OpBuilder &, Location, ValueRange range) { // builds with v.b
          scf::ConditionOp::create(v.b, v.loc, v.less(range[0], range[1]), range);
        },
        [&](OpBuilder &, Location, ValueRange range) {
          Value middle = v.shru(v.add(range[0], range[1]), 1), passed = hasPassed(v, middle, row);
          scf::YieldOp::create(
              v.b, v.loc,
              ValueRange{v.select(passed, v.add(middle, 1), range[0]), v.select(passed, range[1], middle)});
        });
    return loop.getResult(0);
  }

  // The same from the group of a row before it on.
  Value findFrom(const ValueBuilder &v, Value group, Value row) const {
    auto loop = scf::WhileOp::create(
        v.b, v.loc, TypeRange{v.b.getI32Type()}, ValueRange{group},
        [&](OpBuilder &, Location, ValueRange at) {
          Value inside = v.minu(at[0], v.sub(groups, v.i32(1)));
          Value passed = v.bitAnd(v.less(at[0], groups), hasPassed(v, inside, row));
          scf::ConditionOp::create(v.b, v.loc, passed, at);
        },
        [&](OpBuilder &, Location, ValueRange at) {
          scf::YieldOp::create(v.b, v.loc, ValueRange{v.add(at[0], 1)});
        });
    return loop.getResult(0);
  }

  Value beginOf(const ValueBuilder &v, Value group) const {
    Value before = v.sub(v.maxu(group, v.i32(1)), v.i32(1));
    Value end = arith::MaxSIOp::create(v.b, v.loc, at(v, before), v.i32(0));
    return v.select(v.equal(group, v.i32(0)), v.i32(0), end);
  }
};
} // namespace

SmallVector<Value> compactScaleRows(const EntryFunction &entry, const ValueBuilder &v, StringRef ends,
                                    Value groups, ArrayRef<Value> rows, Value scaleRows) {
  const Ends all = {entry.pointer(ends), groups};
  SmallVector<Value> places;
  Value group;
  for (Value row : rows) {
    group = group ? all.findFrom(v, group, row) : all.find(v, row);
    places.push_back(placeOf(v, row, all.beginOf(v, group), group, scaleRows));
  }
  return places;
}

} // namespace mxc
