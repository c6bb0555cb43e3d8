#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {
// A group by its number. It begins past all ends before it, so that no two have a slab in common even where
// ends fall.
struct Bounds {
  Value begin, end, slabs;
  Value furthest; // end, up to this group's

  Bounds(const ValueBuilder &v, const KGroups &groups, Value group, Value endBefore) {
    end = groupEnd(v, groups.ends, group, groups.k), furthest = v.maxu(endBefore, end);
    begin = v.bitAnd(v.add(endBefore, groups.slab - 1), -groups.slab);
    Value isThere = v.cmp(ValueBuilder::Predicate::ult, begin, end);
    begin = v.select(isThere, begin, v.i32(0)), end = v.select(isThere, end, v.i32(0));
    slabs = v.ceilDivu(v.sub(end, begin), groups.slab);
  }
};
} // namespace

// The furthest end of the groups before `own`.
static Value endBefore(const ValueBuilder &v, const KGroups &groups, Value own) {
  auto loop = scf::ForOp::create(v.b, v.loc, v.i32(0), own, v.i32(1), ValueRange{v.i32(0)});
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToEnd(loop.getBody());
  Value end = groupEnd(v, groups.ends, loop.getInductionVar(), groups.k);
  scf::YieldOp::create(v.b, v.loc, v.maxu(loop.getRegionIterArg(0), end));
  return loop.getResult(0);
}

void writeGroupOrder(const ValueBuilder &v, const KGroups &groups, Value order, Value thread, Value threads) {
  auto loop = scf::ForOp::create(v.b, v.loc, thread, groups.count, threads);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  Value own = loop.getInductionVar();
  const Bounds mine(v, groups, own, endBefore(v, groups, own));
  // From group to group: the furthest end, how many come before this one, and their slabs.
  auto all = scf::ForOp::create(v.b, v.loc, v.i32(0), groups.count, v.i32(1),
                                ValueRange{v.i32(0), v.i32(0), v.i32(0)});
  {
    OpBuilder::InsertionGuard inLoop(v.b);
    v.b.setInsertionPointToEnd(all.getBody());
    Value group = all.getInductionVar();
    ValueRange state = all.getRegionIterArgs();
    const Bounds other(v, groups, group, state[0]);
    Value isLonger = v.cmp(ValueBuilder::Predicate::ugt, other.slabs, mine.slabs);
    Value isEqual = v.equal(other.slabs, mine.slabs);
    Value isBefore = v.bitOr(isLonger, v.bitAnd(isEqual, v.less(group, own)));
    scf::YieldOp::create(v.b, v.loc,
                         ValueRange{other.furthest, v.add(state[1], v.select(isBefore, v.i32(1), v.i32(0))),
                                    v.add(state[2], v.select(isBefore, other.slabs, v.i32(0)))});
  }
  auto type = VectorType::get(4, v.b.getI32Type());
  Value record = nvvm::fromElements(v, type, {own, mine.begin, mine.end, all.getResult(2)});
  Value at = nvvm::offsetBytes(v, order, v.mul(v.toI64(all.getResult(1)), kOrderBytes));
  nvvm::store(v, record, at, kOrderBytes);
}

OrderedGroup groupOfRank(const ValueBuilder &v, Value order, Value rank) {
  Value at = nvvm::offsetBytes(v, order, v.mul(v.toI64(rank), kOrderBytes));
  Value record = nvvm::load(v, VectorType::get(4, v.b.getI32Type()), at, kOrderBytes);
  auto word = [&](int i) { return nvvm::element(v, record, i); };
  return {word(0), word(1), word(2), word(3)};
}

// The rank is the last one before which there are no more slabs than `number`: empty groups, which are last,
// come into question past all slabs alone.
SlabRun slabRunOf(const ValueBuilder &v, Value order, Value groups, int64_t slab, Value all, Value number,
                  Value lane) {
  constexpr int kLanes = 32;
  auto windows = scf::ForOp::create(v.b, v.loc, v.i32(0), groups, v.i32(kLanes),
                                    ValueRange{v.i32(0), v.i32(0), v.i32(0)});
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToEnd(windows.getBody());
    Value rank = v.add(windows.getInductionVar(), lane);
    Value isThere = v.cmp(ValueBuilder::Predicate::ult, rank, groups);
    const OrderedGroup own = groupOfRank(v, order, v.select(isThere, rank, v.sub(groups, v.i32(1))));
    Value isPassed = v.bitAnd(isThere, v.cmp(ValueBuilder::Predicate::ule, own.slabsBefore, number));
    Value passed = nvvm::countLanes(v, isPassed), isHere = v.less(v.i32(0), passed);
    SmallVector<Value> next = {own.begin, own.end, own.slabsBefore};
    for (auto [field, before] : llvm::zip(next, windows.getRegionIterArgs()))
      field = v.select(isHere, nvvm::shuffleFrom(v, field, v.sub(passed, v.i32(1))), before);
    scf::YieldOp::create(v.b, v.loc, next);
  }
  Value begin = windows.getResult(0), before = windows.getResult(2);
  Value count = v.ceilDivu(v.sub(windows.getResult(1), begin), slab), total = v.add(before, count);
  Value isInside = v.cmp(ValueBuilder::Predicate::ult, number, total);
  return {v.select(isInside, v.divu(begin, slab), total), v.select(isInside, count, v.sub(all, total)),
          v.select(isInside, before, total)};
}

} // namespace mxc
