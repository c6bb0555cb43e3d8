#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/groups/GroupPlaces.h"
#include "compiler/lowering/groups/GroupSearch.h"
#include "compiler/lowering/nvvm/Memory.h"

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

class TileSearch {
public:
  TileSearch(EntryFunction &entry, bool isCompact, StringRef ends, Value tile, Value lane)
      : isCompact_(isCompact), v_(entry.values()), search_(entry, ends, lane), wideTile_(tile),
        tile_(v_.toI32(tile)), last_(v_.sub(search_.groups(), v_.i32(1))), matrixRows_(entry.rows()),
        rows_(v_.toI32(v_.minu(matrixRows_, v_.i64(INT32_MAX)))) {}

  GroupedRows find() {
    GroupSearch::Passed passed = [this](Value group, Value end) { return hasPassed(group, end); };
    search_.lookAhead(passed);
    FoundGroup found = search_.find(passed).front();
    Value end = natural(found.end), scaleRow = v_.mul(wideTile_, kScaleTileRows);
    auto atMost = [&](Value rows) { return v_.minu(rows, v_.like(rows, kScaleTileRows)); };
    if (!isCompact_) { // of a group's tile every number fits 32 bits, as its end does
      Value hasRows = v_.bitAnd(v_.less(found.group, search_.groups()), v_.less(tile_, tilesTo(end)));
      Value count = atMost(v_.sub(end, v_.mul(tile_, kScaleTileRows)));
      return {hasRows, scaleRow, count, v_.toI32(atMost(v_.sub(matrixRows_, scaleRow))), scaleRow};
    }
    Value begin = natural(found.begin);
    Value tilesBefore = v_.sub(tile_, firstScaleTile(v_, begin, found.group));
    Value first = v_.add(begin, v_.mul(tilesBefore, kScaleTileRows));
    Value isInside = v_.less(tilesBefore, tilesTo(v_.sub(end, begin)));
    Value hasRows = v_.bitAnd(v_.cmp(ValueBuilder::Predicate::sge, tilesBefore, v_.i32(0)),
                              v_.bitAnd(v_.less(begin, end), isInside));
    Value count = atMost(v_.sub(end, first));
    return {hasRows, v_.toI64(first), count, count, scaleRow};
  }

private:
  Value tilesTo(Value rows) { return v_.ceilDivu(rows, kScaleTileRows); }

  // Within the rows, whatever is there.
  Value natural(Value end) { return endWithin(v_, end, rows_); }

  // Whether the group after this one begins at this tile row or before it; with align = 128, where every row
  // of a tile row is one group's: whether this one ends there.
  Value hasPassed(Value group, Value end) {
    if (!isCompact_) return v_.cmp(ValueBuilder::Predicate::sle, tilesTo(natural(end)), tile_);
    Value next = v_.add(firstScaleTile(v_, natural(end), group), 1);
    return v_.bitAnd(v_.less(group, last_), v_.cmp(ValueBuilder::Predicate::sle, next, tile_));
  }

  bool isCompact_;
  ValueBuilder v_;
  GroupSearch search_;
  Value wideTile_, tile_, last_; // i64; i32, as all that is computed of ends
  Value matrixRows_, rows_;      // i64; i32: at most those that an end can reach
};

} // namespace

GroupedRows groupedRows(EntryFunction &entry, mx::QuantizeOp op, StringRef ends, Value tile, Value lane) {
  return TileSearch(entry, op.hasCompactGroups(), ends, tile, lane).find();
}

GatheredRow gatheredRow(EntryFunction &entry, Value index, Value row, Value isRow, Value rows) {
  ValueBuilder v = entry.values();
  Value address = nvvm::offsetBytes(v, index, v.mul(v.select(isRow, row, v.i64(0)), 4));
  Value source = v.toI64(nvvm::load(v, v.b.getI32Type(), address, 4)); // what is negative is beyond 2^31
  Value most = v.minu(rows, v.i64(int64_t(1) << 31));
  return {source, v.bitAnd(isRow, v.less(source, most))};
}

} // namespace mxc
