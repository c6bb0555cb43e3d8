#include "compiler/lowering/groups/GroupSearch.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static Value countOf(const ValueBuilder &v, Value lanes) { return LLVM::CtPopOp::create(v.b, v.loc, lanes); }

GroupSearch::GroupSearch(EntryFunction &entry, StringRef ends, Value lane)
    : v_(entry.values()), ends_(entry.pointer(ends)), lane_(lane), groups_(v_.toI32(entry.extent("G"))),
      share_(v_.ceilDivu(groups_, 32)) {
  shares_ = load(v_.sub(v_.mul(v_.add(lane_, 1), share_), v_.i32(1)));
}

// Past the last group: the last one.
GroupSearch::Ends GroupSearch::load(Value group) {
  Value there = v_.minu(group, v_.sub(groups_, v_.i32(1)));
  Value address = nvvm::offsetBytes(v_, ends_, v_.mul(v_.toI64(there), 4));
  return {there, nvvm::load(v_, v_.b.getI32Type(), address, 4)};
}

Value GroupSearch::lastEnd() const { return nvvm::shuffleFrom(v_, shares_.end, 31); }

void GroupSearch::lookAhead(const Passed &first) {
  Value passed = nvvm::countLanes(v_, first(shares_.group, shares_.end));
  Value before = nvvm::shuffleFrom(v_, shares_.end, v_.sub(passed, v_.i32(1)));
  begin_ = v_.select(v_.equal(passed, v_.i32(0)), v_.i32(0), before);
  first_ = v_.mul(passed, share_);
  window_ = load(v_.add(first_, lane_));
}

// State: the window's first group, its lanes' group and end, then number, begin and end of what is found.
// Returns the next one, but for the lanes' ends, and after it whether to go on.
SmallVector<Value> GroupSearch::step(ValueRange state, ArrayRef<Passed> places, Value own) {
  SmallVector<Value> next(state), passed;
  for (const Passed &place : places)
    passed.push_back(nvvm::ballot(v_, place(state[1], state[2])));
  Value ofLast = passed.back();
  if (own) {
    for (unsigned j = 1; j < places.size(); ++j)
      passed.front() = v_.select(v_.equal(own, v_.i32(j)), passed[j], passed.front());
    passed.truncate(1);
  }
  for (auto [i, lanes] : llvm::enumerate(passed)) {
    Value count = countOf(v_, lanes), &group = next[3 + 3 * i], &begin = next[4 + 3 * i],
          &end = next[5 + 3 * i];
    group = v_.add(group, count);
    Value before = nvvm::shuffleFrom(v_, state[2], v_.sub(count, v_.i32(1)));
    begin = v_.select(v_.equal(count, v_.i32(0)), begin, before);
    Value own = nvvm::shuffleFrom(v_, state[2], count);
    end = v_.minu(end, v_.select(v_.equal(count, v_.i32(32)), v_.i32(-1), own));
  }
  next[0] = v_.add(state[0], 32);
  Value isMore = v_.cmp(ValueBuilder::Predicate::ult, next[0], groups_);
  next.push_back(v_.bitAnd(v_.equal(ofLast, v_.i32(-1)), isMore));
  return next;
}

SmallVector<FoundGroup> GroupSearch::find(ArrayRef<Passed> places, Value own) {
  SmallVector<Value> state = {first_, window_.group, window_.end};
  size_t count = own ? 1 : places.size();
  for (size_t i = 0; i < count; ++i)
    state.append({first_, begin_, v_.i32(-1)});
  SmallVector<Type> types(state.size(), v_.b.getI32Type());
  auto search = scf::WhileOp::create(
      v_.b, v_.loc, types, state,
      [&](OpBuilder &, Location, ValueRange given) { // builds with v_.b
        SmallVector<Value> next = step(given, places, own);
        Value goesOn = next.pop_back_val();
        scf::ConditionOp::create(v_.b, v_.loc, goesOn, next);
      },
      [&](OpBuilder &, Location, ValueRange given) {
        SmallVector<Value> next(given);
        Ends window = load(v_.add(given[0], lane_));
        next[1] = window.group, next[2] = window.end;
        scf::YieldOp::create(v_.b, v_.loc, next);
      });
  SmallVector<FoundGroup> found;
  for (size_t i = 0; i < count; ++i) {
    ValueRange fields = search.getResults().slice(3 + 3 * i, 3);
    found.push_back({fields[0], fields[1], fields[2]});
  }
  return found;
}

} // namespace mxc
