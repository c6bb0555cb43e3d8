#include "compiler/lowering/quantize/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

std::string tileRowsText(mx::QuantizeOp op, const KernelSignature &signature) {
  std::string tiles = llvm::formatv("ceildiv({0}, {1})", signature.rows().text(), kScaleTileRows);
  if (!op.hasGroups()) return tiles;
  std::string groups = signature.extent("G").text();
  bool hasOwnTiles = op.hasCompactGroups() && op.hasColumnTiles();
  if (hasOwnTiles) tiles = llvm::formatv("({0} + {1} - 1)", tiles, groups);
  return llvm::formatv("{0} * min(min({1}, {2}), 1)", tiles, groups,
                       signature.rows().text()); // of none: no CTAs
}

Value tileRows(EntryFunction &entry, mx::QuantizeOp op) {
  ValueBuilder v = entry.values();
  Value tiles = v.divu(v.add(entry.rows(), kScaleTileRows - 1), kScaleTileRows);
  return op.hasCompactGroups() ? v.add(tiles, v.sub(entry.extent("G"), v.i64(1))) : tiles;
}

namespace {

class EndSearch {
public:
  EndSearch(EntryFunction &entry, bool isCompact, Value ends, Value tile, Value lane)
      : isCompact_(isCompact), ends_(ends), wideTile_(tile), lane_(lane), v_(entry.values()),
        tile_(v_.toI32(tile)), groups_(v_.toI32(entry.extent("G"))), matrixRows_(entry.rows()),
        rows_(v_.toI32(v_.minu(matrixRows_, v_.i64(INT32_MAX)))) {}

  GroupedRows find() {
    Value group = countPassed(), last = v_.sub(groups_, v_.i32(1));
    Value end = endOf(v_.minu(group, last)), scaleRow = v_.mul(wideTile_, kScaleTileRows);
    auto atMost = [&](Value rows) { return v_.minu(rows, v_.like(rows, kScaleTileRows)); };
    if (!isCompact_) { // of a group's tile every number fits 32 bits, as its end does
      Value hasRows = v_.bitAnd(v_.less(group, groups_), v_.less(tile_, tilesTo(end)));
      Value count = atMost(v_.sub(end, v_.mul(tile_, kScaleTileRows)));
      return {hasRows, scaleRow, count, v_.toI32(atMost(v_.sub(matrixRows_, scaleRow))), scaleRow};
    }
    Value isFirst = v_.equal(group, v_.i32(0));
    Value before = endOf(v_.select(isFirst, v_.i32(0), v_.sub(group, v_.i32(1))));
    Value begin = v_.select(isFirst, v_.i32(0), before);
    Value tilesBefore = v_.sub(tile_, v_.add(v_.divu(begin, kScaleTileRows), group));
    Value first = v_.add(begin, v_.mul(tilesBefore, kScaleTileRows));
    Value isInside = v_.less(tilesBefore, tilesTo(v_.sub(end, begin)));
    Value hasRows = v_.bitAnd(v_.cmp(ValueBuilder::Predicate::sge, tilesBefore, v_.i32(0)),
                              v_.bitAnd(v_.less(begin, end), isInside));
    Value count = atMost(v_.sub(end, first));
    return {hasRows, v_.toI64(first), count, count, scaleRow};
  }

private:
  Value tilesTo(Value rows) { return v_.divu(v_.add(rows, kScaleTileRows - 1), kScaleTileRows); }

  // Of the group: within the rows, whatever is there.
  Value endOf(Value group) {
    Value address = nvvm::offsetBytes(v_, ends_, v_.mul(v_.toI64(group), 4));
    Value end = nvvm::load(v_, v_.b.getI32Type(), address, 4);
    Value natural = arith::MaxSIOp::create(v_.b, v_.loc, end, v_.i32(0));
    return v_.minu(natural, rows_);
  }

  // Whether the group behind end `i` begins at this tile row or before it; with align = 128, where every row
  // of a tile row is one group's: whether group i ends there.
  Value hasPassed(Value i, Value end) {
    if (!isCompact_) return v_.cmp(ValueBuilder::Predicate::sle, tilesTo(end), tile_);
    Value begins = v_.add(v_.add(v_.divu(end, kScaleTileRows), i), 1);
    return v_.cmp(ValueBuilder::Predicate::sle, begins, tile_);
  }

  // Of the lanes whose end i the tile lies behind, how many there are.
  Value countPassed(Value i, Value limit) {
    Value isEnd = v_.less(i, limit), end = endOf(v_.select(isEnd, i, v_.i32(0)));
    return nvvm::countLanes(v_, v_.bitAnd(isEnd, hasPassed(i, end)));
  }

  // How many ends the tile lies behind. Of more than 32 every lane looks at the last of its share first, then
  // 32 at a time from the share that is left: two loads up to 1,024 groups.
  Value countPassed() {
    Value limit = isCompact_ ? v_.sub(groups_, v_.i32(1)) : groups_;
    Value share = v_.ceilDivu(limit, 32), isMany = v_.less(v_.i32(32), limit);
    Value shares = steps::whereElseZero(v_, isMany, v_.b.getI32Type(), [&] {
      return countPassed(v_.sub(v_.mul(v_.add(lane_, 1), share), v_.i32(1)), limit);
    });
    Value first = v_.mul(shares, share);
    Type i32 = v_.b.getI32Type();
    auto search = scf::WhileOp::create(
        v_.b, v_.loc, TypeRange{i32, i32}, ValueRange{first, first},
        [&](OpBuilder &, Location, ValueRange state) { // builds with v_.b
          Value passed = countPassed(v_.add(state[0], lane_), limit), next = v_.add(state[0], 32);
          Value goesOn = v_.bitAnd(v_.equal(passed, v_.i32(32)), v_.less(next, limit));
          scf::ConditionOp::create(v_.b, v_.loc, goesOn, ValueRange{next, v_.add(state[1], passed)});
        },
        [&](OpBuilder &b, Location loc, ValueRange state) { scf::YieldOp::create(b, loc, state); });
    return search.getResult(1);
  }

  bool isCompact_;
  Value ends_, wideTile_, lane_;
  ValueBuilder v_;
  Value tile_, groups_;     // i32, as all that is computed of ends
  Value matrixRows_, rows_; // i64; i32: at most those that an end can reach
};

} // namespace

GroupedRows groupedRows(EntryFunction &entry, mx::QuantizeOp op, StringRef ends, Value tile, Value lane) {
  return EndSearch(entry, op.hasCompactGroups(), entry.pointer(ends), tile, lane).find();
}

GatheredRow gatheredRow(EntryFunction &entry, Value index, Value row, Value isRow) {
  ValueBuilder v = entry.values();
  Value address = nvvm::offsetBytes(v, index, v.mul(v.select(isRow, row, v.i64(0)), 4));
  Value source = v.toI64(nvvm::load(v, v.b.getI32Type(), address, 4)); // what is negative is beyond 2^31
  Value rows = v.minu(entry.extent("N"), v.i64(int64_t(1) << 31));
  return {source, v.bitAnd(isRow, v.less(source, rows))};
}

} // namespace mxc
