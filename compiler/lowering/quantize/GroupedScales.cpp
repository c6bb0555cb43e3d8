#include "compiler/lowering/quantize/GroupedScales.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupPlaces.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"

using namespace mlir;

namespace mxc {

GroupedScales::GroupedScales(EntryFunction &entry, StringRef ends, const TilePosition &at)
    : v_(entry.values()), lane_(at.lane), search_(entry, ends, at.lane) {
  for (Value row : at.rows)
    rows_.push_back(v_.toI32(row));
  Value matrixRows = v_.toI32(v_.minu(entry.rows(), v_.i64(INT32_MAX)));
  rowEnd_ = v_.minu(search_.lastEnd(), matrixRows);
}

// Unsigned, as all comparisons with ends: bad ones are far past the matrix.
GroupSearch::Passed GroupedScales::isBehind(Value row) {
  return [v = v_, row](Value, Value end) { return v.cmp(ValueBuilder::Predicate::ule, end, row); };
}

void GroupedScales::lookAhead() { search_.lookAhead(isBehind(rows_.front())); }

SmallVector<FoundGroup> GroupedScales::find(Value own) {
  SmallVector<GroupSearch::Passed> places;
  for (Value row : rows_)
    places.push_back(isBehind(row));
  return search_.find(places, own);
}

// The rows from the group's begin, from its first tile on. Bad ends are brought to where there is one.
Value GroupedScales::scaleRowOf(const FoundGroup &found, Value row, Type index) {
  Value group = v_.minu(found.group, v_.sub(search_.groups(), v_.i32(1))), begin = v_.minu(found.begin, row);
  auto wide = [&](Value i32) { return index.isInteger(64) ? v_.toI64(i32) : i32; };
  Value tile = wide(firstScaleTile(v_, begin, group));
  return v_.add(v_.mul(tile, kScaleTileRows), wide(v_.sub(row, begin)));
}

void GroupedScales::place(TilePosition &at, mx::ScaleLayoutKind layout, int lanesPerBlock) {
  Type index = at.rows.front().getType();
  if (layout != mx::ScaleLayoutKind::Tcgen05) {
    at.storesPadding = false;
    for (auto [scaleRow, found, row] : llvm::zip(at.scaleRows, find(), rows_)) {
      scaleRow = scaleRowOf(found, row, index);
      if (layout == mx::ScaleLayoutKind::MnMajor) isLast_.push_back(v_.equal(v_.add(row, 1), found.end));
    }
    return;
  }
  Value own = rows_.size() == 1 ? Value() : rowOfWord(v_, at, lanesPerBlock);
  Value row = own ? v_.add(rows_.front(), v_.mul(own, 32)) : rows_.front();
  FoundGroup found = find(own).front();
  at.wordRow = scaleRowOf(found, row, index);
  at.wordValid = v_.cmp(ValueBuilder::Predicate::ult, row, rowEnd_);
  isLast_ = {v_.bitAnd(at.wordValid, v_.equal(v_.add(row, 1), found.end))};
}

void GroupedScales::pad(Value scales, Type scale, mx::ScaleLayoutKind layout, const TilePosition &at,
                        int lanesPerBlock) {
  if (layout == mx::ScaleLayoutKind::Tcgen05) padWords(scales, at, lanesPerBlock);
  if (layout == mx::ScaleLayoutKind::MnMajor) padLines(scales, scale, at, lanesPerBlock);
}

void GroupedScales::padWords(Value scales, const TilePosition &at, int lanesPerBlock) {
  // Lanes that have the same word share its padding out.
  int lanes = rows_.size() == 1 ? kScaleTileBlocks * lanesPerBlock : lanesPerBlock;
  Value firstBlock = firstBlockOfWord(v_, at);
  auto tcgen05 = mx::ScaleLayoutKind::Tcgen05;
  ifThen(v_, v_.bitAnd(isLast_.front(), v_.less(firstBlock, at.blocks)), [&] {
    Value tile = v_.bitAnd(at.wordRow, ~int64_t(kScaleTileRows - 1));
    Value base = nvvm::offsetBytes(v_, scales,
                                   scaleOffset(v_, tcgen05, tile, firstBlock, {at.scaleRowCount, at.blocks}));
    Value row = v_.toI32(v_.bitAnd(at.wordRow, kScaleTileRows - 1));
    Value first = v_.add(v_.add(row, 1), v_.bitAnd(lane_, lanes - 1));
    steps::forRangeRolled(v_, first, v_.i32(kScaleTileRows), lanes, [&](Value padded) {
      Value inTile = v_.bitAnd(padded, kScaleTileRows - 1);
      Value place = scaleOffset(v_, tcgen05, inTile, v_.i64(0), {Value(), v_.i64(kScaleTileBlocks)});
      nvvm::store(v_, v_.i32(0), nvvm::offsetBytes(v_, base, place), kScaleTileBlocks);
    });
  });
}

void GroupedScales::padLines(Value scales, Type scale, const TilePosition &at, int lanesPerBlock) {
  const int64_t bytes = scale.getIntOrFloatBitWidth() / 8;
  Value zero = arith::ConstantOp::create(v_.b, v_.loc, v_.b.getZeroAttr(v_.b.getIntegerType(8 * bytes)));
  for (auto [isLast, isRow, scaleRow] : llvm::zip(isLast_, at.rowValid, at.scaleRows)) {
    ifThen(v_, v_.bitAnd(v_.bitAnd(isLast, isRow), v_.less(at.block, at.blocks)), [&] {
      Value offset =
          scaleOffset(v_, mx::ScaleLayoutKind::MnMajor, scaleRow, at.block, {at.scaleRowCount, at.blocks});
      Value base = nvvm::offsetBytes(v_, scales, v_.mul(offset, bytes));
      Value left = v_.sub(v_.i32(kScaleTileRows), v_.bitAnd(v_.toI32(scaleRow), kScaleTileRows - 1));
      Value first = v_.add(v_.bitAnd(lane_, lanesPerBlock - 1), 1);
      steps::forRangeRolled(v_, first, left, lanesPerBlock, [&](Value row) { // side by side
        nvvm::store(v_, zero, nvvm::offsetBytes(v_, base, v_.mul(row, bytes)), bytes);
      });
    });
  }
}

} // namespace mxc
