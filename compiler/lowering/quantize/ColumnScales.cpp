// The scales of a column copy on their way out: those of a lane's blocks from shared memory, those of the
// tile's 128 rows from its lanes.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/quantize/ColumnPlan.h"

using namespace mlir;

namespace mxc {

namespace {

// How many blocks the columns of a copy have.
Value blocksOfColumns(EntryFunction &entry, const ColumnPlan &plan) {
  ValueBuilder v = entry.values();
  const int64_t blockRows = plan.format().blockColumns;
  return plan.isCompact ? v.mul(tileRows(entry, plan.op), kColumnTileRows / blockRows)
                        : v.divu(v.add(entry.rows(), blockRows - 1), blockRows);
}

// The first column of the layout's tile, which has scales or padding for each of its columns where it has
// some.
Value firstOfTile(const ValueBuilder &v, mx::ScaleLayoutKind layout, Value column) {
  const int64_t tileRows = info(ScaleLayout(layout)).tileRows;
  return tileRows > 1 ? v.bitAnd(column, ~(tileRows - 1)) : column;
}

// One thread a column: its blocks' bytes, words where the layout has words.
void storeKeptScales(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared) {
  ValueBuilder v = entry.values();
  const mx::ScaleLayoutKind layout = plan.layoutOf(plan.columnCopy->scales);
  const bool hasWords = info(ScaleLayout(layout)).hasWords();
  // Neighbouring threads take neighbouring words: of tcgen05 columns 32 apart, then the next.
  const bool isTiled = layout == mx::ScaleLayoutKind::Tcgen05;
  const int64_t columns = plan.tile.getColumns();
  Value inTile = v.bitAnd(at.thread, kScaleTileRows - 1);
  Value column = !isTiled ? at.thread
                          : v.add(v.bitAnd(at.thread, ~int64_t(kScaleTileRows - 1)),
                                  v.add(v.mul(v.bitAnd(inTile, 3), 32), v.shru(inTile, 2)));
  // A CTA of a part of the tile's columns has threads for all of them: those that follow are its own, too,
  // where the matrix has none.
  const bool hasPart = isTiled && columns < kScaleTileRows;
  if (hasPart) column = v.sub(column, v.bitAnd(v.toI32(at.ctaColumn), kScaleTileRows - 1));
  const int64_t blockRows = plan.format().blockColumns;
  Value firstBlock = v.divu(at.scaleRow, blockRows);
  Value blocks = blocksOfColumns(entry, plan);
  // Groups that lie side by side have whole tiles of scales, padded.
  Value rows = plan.isCompact ? v.i32(kColumnTileRows) : at.rowsStored;
  Value scales = entry.pointer(plan.nameOf(plan.columnCopy->scales));
  auto address = [&](int64_t block) {
    Value offset = scaleOffset(v, layout, v.add(at.ctaColumn, v.toI64(column)), v.add(firstBlock, block),
                               {entry.columns(), blocks});
    return nvvm::offsetBytes(v, scales, offset);
  };
  auto kept = [&](int64_t block) {
    Value inside = hasPart ? v.minu(column, v.i32(columns - 1)) : column;
    Value offset = v.add(inside, plan.scales + block * columns);
    Value its = nvvm::load(v, v.b.getI8Type(), nvvm::offsetBytes(v, shared, offset), 1);
    return hasPart ? v.select(v.less(column, v.i32(columns)), its, v.like(its, 0)) : its;
  };
  // In a tile that exists every column has its scales or padding, which is the byte of zeros: 0.
  Value isMine;
  if (hasPart) {
    Value isLast = v.cmp(ValueBuilder::Predicate::sge, v.add(at.ctaColumn, columns), entry.columns());
    isMine = v.bitAnd(v.cmp(ValueBuilder::Predicate::sge, column, v.i32(0)),
                      v.bitOr(v.less(column, v.i32(columns)), isLast));
  } else {
    isMine =
        v.bitAnd(v.less(at.thread, v.i32(columns)), v.less(firstOfTile(v, layout, column), at.columnsLeft));
  }
  ifThen(v, isMine, [&] {
    for (int64_t first = 0; first < plan.columnScales(); first += kScaleTileBlocks) {
      auto isStored = [&](int64_t block) { return v.less(v.i32(blockRows * block), rows); };
      if (!hasWords) {
        for (int64_t block = first; block < first + kScaleTileBlocks; ++block)
          ifThen(v, isStored(block), [&] { nvvm::store(v, kept(block), address(block), 1); });
        continue;
      }
      Value word = v.i32(0);
      for (int64_t i = 0; i < kScaleTileBlocks; ++i) {
        Value wide = arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), kept(first + i));
        word = v.bitOr(word, v.shl(wide, 8 * i));
      }
      auto store = [&] { nvvm::store(v, word, address(first), kScaleTileBlocks); };
      first ? ifThen(v, isStored(first), store) : store(); // a tile that exists has a first block
    }
  });
}

// Blocks of the tile's rows: each lane of the first rows has those of its columns.
class JoinedScales {
public:
  JoinedScales(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at)
      : entry_(entry), plan_(plan), at_(at), v_(entry.values()),
        layout_(plan.layoutOf(plan.columnCopy->scales)), bits_(info(plan.format().scale).bits),
        block_(v_.divu(at.scaleRow, plan.format().blockColumns)), blocks_(blocksOfColumns(entry, plan)) {}

  void store(ArrayRef<Value> codes) {
    SmallVector<Value> narrow(codes);
    if (bits_ != 32)
      for (Value &code : narrow)
        code = arith::TruncIOp::create(v_.b, v_.loc, v_.b.getIntegerType(bits_), code);
    const ScaleLayoutInfo &layout = info(ScaleLayout(layout_));
    if (layout.hasWords()) return storeInWords(narrow);
    layout.storage == ScaleStorage::Lines ? storeLine(narrow) : storeEach(narrow);
  }

private:
  Value addressOf(Value column, int64_t blocksAfter = 0) {
    const int64_t lines = plan_.format().blockRows;
    Value line = v_.divu(v_.add(at_.ctaColumn, v_.toI64(column)), lines);
    Value block = blocksAfter ? v_.add(block_, blocksAfter) : block_;
    Value offset = scaleOffset(v_, layout_, line, block, {v_.ceilDivu(entry_.columns(), lines), blocks_});
    return nvvm::offsetBytes(v_, entry_.pointer(plan_.nameOf(plan_.columnCopy->scales)),
                             v_.mul(offset, bits_ / 8));
  }

  // Both columns' side by side; padding, which is whole pairs, is 0.
  void storeLine(ArrayRef<Value> codes) {
    SmallVector<Value> padded;
    for (auto [i, code] : llvm::enumerate(codes))
      padded.push_back(v_.select(v_.less(v_.add(at_.column, i), at_.columnsLeft), code, v_.like(code, 0)));
    Value isMine = v_.bitAnd(v_.equal(at_.row, v_.i32(0)),
                             v_.less(firstOfTile(v_, layout_, at_.column), at_.columnsLeft));
    Value pair = nvvm::fromElements(v_, VectorType::get(kLaneColumns, codes.front().getType()), padded);
    ifThen(v_, isMine, [&] { nvvm::store(v_, pair, addressOf(at_.column), kLaneColumns * bits_ / 8); });
  }

  // A byte of each column's word; with the last block those after it, too. Padding is 0.
  void storeInWords(ArrayRef<Value> codes) {
    Value isFirst = v_.equal(at_.row, v_.i32(0)), isLast = v_.equal(v_.add(block_, 1), blocks_);
    const int tileBlocks = info(ScaleLayout(layout_)).tileBlocks;
    Value whole = v_.mul(v_.ceilDivu(blocks_, tileBlocks), tileBlocks);
    for (auto [i, code] : llvm::enumerate(codes)) {
      Value column = v_.add(at_.column, i), zero = v_.like(code, 0);
      Value isMine = v_.bitAnd(isFirst, v_.less(firstOfTile(v_, layout_, column), at_.columnsLeft));
      Value its = v_.select(v_.less(column, at_.columnsLeft), code, zero);
      ifThen(v_, isMine, [&] { nvvm::store(v_, its, addressOf(column), bits_ / 8); });
      for (int after = 1; after < tileBlocks; ++after) {
        Value isAfter = v_.bitAnd(isLast, v_.less(v_.add(block_, after), whole));
        ifThen(v_, v_.bitAnd(isMine, isAfter),
               [&] { nvvm::store(v_, zero, addressOf(column, after), bits_ / 8); });
      }
    }
  }

  void storeEach(ArrayRef<Value> codes) {
    const int64_t lines = plan_.format().blockRows;
    for (auto [i, code] : llvm::enumerate(codes)) {
      Value column = v_.add(at_.column, i), isInside = v_.less(column, at_.columnsLeft);
      Value isMine = v_.bitAnd(v_.equal(at_.row, v_.i32(0)), isInside);
      if (lines > 1) isMine = v_.bitAnd(isMine, v_.equal(v_.bitAnd(column, lines - 1), v_.i32(0)));
      ifThen(v_, isMine, [&] { nvvm::store(v_, code, addressOf(column), bits_ / 8); });
    }
  }

  EntryFunction &entry_;
  const ColumnPlan &plan_;
  const ColumnPosition &at_;
  ValueBuilder v_;
  mx::ScaleLayoutKind layout_;
  int64_t bits_;
  Value block_, blocks_; // the tile's, and how many there are
};

} // namespace

void storeColumnScales(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                       const EncodedBlocks &blocks) {
  plan.keepsScales() ? storeKeptScales(entry, plan, at, shared)
                     : JoinedScales(entry, plan, at).store(blocks.scales);
}

} // namespace mxc
