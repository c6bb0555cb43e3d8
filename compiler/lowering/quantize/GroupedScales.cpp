#include "compiler/lowering/quantize/GroupedScales.h"
#include "compiler/lowering/Branch.h"
#include "compiler/lowering/EncodeBlocks.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static Value isBelow(const ValueBuilder &v, Value x, Value y) {
  return v.cmp(ValueBuilder::Predicate::ult, x, y);
}

// Unsigned: bad ends are far behind the matrix.
static Value hasPassed(const ValueBuilder &v, Value end, Value row) {
  return v.cmp(ValueBuilder::Predicate::ule, end, row);
}

GroupedScales::GroupedScales(EntryFunction &entry, StringRef ends, const TilePosition &at)
    : v_(entry.values()), ends_(entry.pointer(ends)), groups_(v_.toI32(entry.extent("G"))), lane_(at.lane) {
  for (Value row : at.rows)
    rows_.push_back(v_.toI32(row));
  share_ = v_.ceilDivu(groups_, 32);
  Value behind = v_.minu(v_.mul(v_.add(lane_, 1), share_), groups_);
  shareEnds_ = endOf(v_.sub(behind, v_.i32(1)));
  Value matrixRows = v_.toI32(v_.minu(entry.rows(), v_.i64(INT32_MAX)));
  rowEnd_ = v_.minu(nvvm::shuffleFrom(v_, shareEnds_, 31), matrixRows);
}

// Of the group that many behind `first` as the lane's number says, or of the last.
Value GroupedScales::endAt(Value first) {
  return endOf(v_.minu(v_.add(first, lane_), v_.sub(groups_, v_.i32(1))));
}

Value GroupedScales::endOf(Value group) {
  return nvvm::load(v_, v_.b.getI32Type(), nvvm::offsetBytes(v_, ends_, v_.mul(v_.toI64(group), 4)), 4);
}

void GroupedScales::lookAhead() {
  Value passed = nvvm::countLanes(v_, hasPassed(v_, shareEnds_, rows_.front()));
  Value last = nvvm::shuffleFrom(v_, shareEnds_, v_.sub(passed, v_.i32(1)));
  begin_ = v_.select(v_.equal(passed, v_.i32(0)), v_.i32(0), last);
  first_ = v_.mul(passed, share_);
  window_ = endAt(first_);
}

// The lanes of `ends` that each row lies behind.
SmallVector<Value> GroupedScales::passed(Value ends) {
  SmallVector<Value> lanes;
  for (Value row : rows_)
    lanes.push_back(nvvm::ballot(v_, hasPassed(v_, ends, row)));
  return lanes;
}

// One place for every row, or if `own` (i32) names one of the rows for that.
SmallVector<GroupedScales::Place> GroupedScales::find(Value own) {
  SmallVector<Place> places;
  SmallVector<Value> state = {first_, window_};
  SmallVector<Value> rows = own ? SmallVector<Value>{v_.add(rows_.front(), v_.mul(own, 32))} : rows_;
  for (Value row : rows) {
    places.push_back({row, {}, {}, {}});
    state.append({first_, begin_, v_.i32(-1)});
  }
  auto ofPlaces = [&](SmallVector<Value> ofRows) {
    if (!own) return ofRows;
    Value mine = ofRows.front();
    for (unsigned j = 1; j < ofRows.size(); ++j)
      mine = v_.select(v_.equal(own, v_.i32(j)), ofRows[j], mine);
    return SmallVector<Value>{mine};
  };
  auto lookAtWindow = [&](ValueRange given) {
    SmallVector<Value> next(given), lanes = passed(given[1]);
    for (auto [i, mask] : llvm::enumerate(ofPlaces(lanes))) {
      Value *group = &next[2 + 3 * i], *begin = group + 1, *end = group + 2;
      Value count = LLVM::CtPopOp::create(v_.b, v_.loc, mask);
      *group = v_.add(*group, count);
      Value last = nvvm::shuffleFrom(v_, given[1], v_.sub(count, v_.i32(1)));
      *begin = v_.select(v_.equal(count, v_.i32(0)), *begin, last);
      Value following = nvvm::shuffleFrom(v_, given[1], count);
      *end = v_.minu(*end, v_.select(v_.equal(count, v_.i32(32)), v_.i32(-1), following));
    }
    next[0] = v_.add(given[0], 32);
    Value goesOn = v_.bitAnd(v_.equal(lanes.back(), v_.i32(-1)), isBelow(v_, next[0], groups_));
    scf::ConditionOp::create(v_.b, v_.loc, goesOn, next);
  };
  SmallVector<Type> types(state.size(), v_.b.getI32Type());
  auto search = scf::WhileOp::create(
      v_.b, v_.loc, types, state,
      [&](OpBuilder &, Location, ValueRange given) { lookAtWindow(given); }, // builds with v_.b
      [&](OpBuilder &, Location, ValueRange given) {
        SmallVector<Value> next(given);
        next[1] = endAt(given[0]);
        scf::YieldOp::create(v_.b, v_.loc, next);
      });
  for (auto [i, place] : llvm::enumerate(places)) {
    ValueRange found = search.getResults().slice(2 + 3 * i, 3);
    place.group = found[0], place.begin = found[1], place.end = found[2];
  }
  return places;
}

// begin / 128 + group tiles, then the rows from the group's begin. Bad ends are brought to where there is
// one.
Value GroupedScales::scaleRowOf(const Place &place, Type index) {
  Value group = v_.minu(place.group, v_.sub(groups_, v_.i32(1))), begin = v_.minu(place.begin, place.row);
  auto wide = [&](Value i32) { return index.isInteger(64) ? v_.toI64(i32) : i32; };
  Value tile = wide(v_.add(v_.divu(begin, kScaleTileRows), group));
  return v_.add(v_.mul(tile, kScaleTileRows), wide(v_.sub(place.row, begin)));
}

void GroupedScales::place(TilePosition &at, mx::ScaleLayoutKind layout, int lanesPerBlock) {
  Type index = at.rows.front().getType();
  if (layout == mx::ScaleLayoutKind::Dense) {
    for (auto [i, place] : llvm::enumerate(find({})))
      at.scaleRows[i] = scaleRowOf(place, index);
    return;
  }
  Value own = rows_.size() == 1 ? Value() : rowOfWord(v_, at, lanesPerBlock);
  Place mine = find(own).front();
  at.wordRow = scaleRowOf(mine, index);
  at.wordValid = isBelow(v_, mine.row, rowEnd_);
  isLast_ = v_.bitAnd(at.wordValid, v_.equal(v_.add(mine.row, 1), mine.end));
}

void GroupedScales::pad(Value scales, const TilePosition &at, int lanesPerBlock) {
  // Lanes that have the same word share its padding out.
  int lanes = rows_.size() == 1 ? kScaleTileBlocks * lanesPerBlock : lanesPerBlock;
  Value firstBlock = firstBlockOfWord(v_, at);
  auto tcgen05 = mx::ScaleLayoutKind::Tcgen05;
  ifThen(v_, v_.bitAnd(isLast_, v_.less(firstBlock, at.blocks)), [&] {
    Value tile = v_.bitAnd(at.wordRow, ~int64_t(kScaleTileRows - 1));
    Value base = nvvm::offsetBytes(v_, scales, scaleOffset(v_, tcgen05, tile, firstBlock, at.blocks));
    Value row = v_.toI32(v_.bitAnd(at.wordRow, kScaleTileRows - 1));
    Value first = v_.add(v_.add(row, 1), v_.bitAnd(lane_, lanes - 1));
    steps::forRangeRolled(v_, first, v_.i32(kScaleTileRows), lanes, [&](Value padded) {
      Value inTile = v_.bitAnd(padded, kScaleTileRows - 1);
      Value place = scaleOffset(v_, tcgen05, inTile, v_.i64(0), v_.i64(kScaleTileBlocks));
      nvvm::store(v_, v_.i32(0), nvvm::offsetBytes(v_, base, place), kScaleTileBlocks);
    });
  });
}

} // namespace mxc
