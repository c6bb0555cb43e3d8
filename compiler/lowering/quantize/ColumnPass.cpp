// The column copy on its way out. In shared memory a line of codes is a row of the copy: 128 bytes of a
// column, their 16-byte pieces exchanged by the column so that neither side meets bank conflicts; or
// untransposed, a row of the tile.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/quantize/ColumnPlan.h"
#include "compiler/lowering/quantize/StoreWidth.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kPieceBytes = 16, kPieces = kColumnTileRows / kPieceBytes;     // of a transposed line
constexpr int kSquareWarps = kColumnBlocks * kColumnTileRows / kWarpColumns; // of a block of 128x128

// Piece `piece` of line `line` lies at piece ^ (line / 2 mod 8): eight neighbouring lanes write eight lines
// two apart, or read the eight pieces of one.
Value exchanged(const ValueBuilder &v, Value piece, Value line) {
  return v.bitXor(piece, v.bitAnd(v.shru(line, 1), kPieces - 1));
}

void keepTransposed(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                    ArrayRef<Value> codes) {
  Value piece = exchanged(v, v.shru(at.row, 4), at.column); // of both columns, which share at.column / 2
  Value first = v.add(v.mul(at.column, kColumnTileRows), v.mul(piece, kPieceBytes));
  for (int half : {0, 1}) {
    Value address = nvvm::offsetBytes(v, shared, v.add(v.bitXor(first, half * kPieceBytes), plan.codes));
    for (auto [column, vector] : llvm::enumerate(codes)) {
      int words = cast<VectorType>(vector.getType()).getNumElements();
      SmallVector<Value> part;
      for (int i = 0; i < words / 2; ++i)
        part.push_back(nvvm::element(v, vector, half * words / 2 + i));
      nvvm::store(v, nvvm::fromElements(v, VectorType::get(words / 2, v.b.getI32Type()), part),
                  nvvm::offsetBytes(v, address, v.i32(column * kColumnTileRows)), kPieceBytes);
    }
  }
}

void keepRows(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
              ArrayRef<Value> codes) {
  int64_t rowBytes = plan.tile.getColumns();
  Value first = nvvm::offsetBytes(v, shared, v.add(v.mul(at.row, rowBytes), at.column));
  for (auto [r, word] : llvm::enumerate(codes))
    nvvm::store(v, arith::TruncIOp::create(v.b, v.loc, v.b.getI16Type(), nvvm::element(v, word, 0)),
                nvvm::offsetBytes(v, first, v.i32(plan.codes + r * rowBytes)), kLaneColumns);
}

// Rows behind a group's end are +0, where NaN has made all of their block NaN, too.
void clearPadding(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared) {
  Value first = arith::MaxSIOp::create(v.b, v.loc, v.sub(at.rowsLeft, at.row), v.i32(0));
  steps::forRangeRolled(v, first, v.i32(kColumnBlockRows), 1, [&](Value r) {
    Value row = v.add(at.row, r);
    auto clear = [&](Type type, Value place, int64_t bytes) {
      Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type));
      nvvm::store(v, zero, nvvm::offsetBytes(v, shared, v.add(place, plan.codes)), bytes);
    };
    if (!plan.columnCopy->isTransposed)
      return clear(v.b.getI16Type(), v.add(v.mul(row, plan.tile.getColumns()), at.column), kLaneColumns);
    Value piece = exchanged(v, v.shru(row, 4), at.column); // of both columns
    Value place = v.add(v.mul(piece, kPieceBytes), v.bitAnd(row, kPieceBytes - 1));
    for (int column = 0; column < kLaneColumns; ++column)
      clear(v.b.getI8Type(), v.add(v.mul(v.add(at.column, column), kColumnTileRows), place), 1);
  });
}

// The copy's lines, in pieces that the CTA's threads take in turn.
class LineStore {
public:
  LineStore(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared)
      : plan_(plan), at_(at), v_(entry.values()) {
    shared_ = nvvm::offsetBytes(v_, shared, v_.i32(plan.codes));
    std::string name = plan.nameOf(plan.columnCopy->data);
    stride_ = entry.rowStride(name);
    Value offset = v_.add(v_.mul(isTransposed() ? at.ctaColumn : at.ctaRow, stride_),
                          isTransposed() ? at.ctaRow : at.ctaColumn);
    first_ = nvvm::offsetBytes(v_, entry.pointer(name), offset);
  }

  void store() {
    Value begin = LLVM::PtrToIntOp::create(v_.b, v_.loc, v_.b.getI64Type(), first_);
    withWidestStore(v_, {begin, stride_, v_.toI64(lineEnd())}, plan_.columnStoreBytes(),
                    [&](int64_t bytes) { storePieces(bytes); });
  }

private:
  bool isTransposed() const { return plan_.columnCopy->isTransposed; }
  int64_t lineBytes() const { return isTransposed() ? kColumnTileRows : plan_.tile.getColumns(); }
  int64_t lines() const { return isTransposed() ? plan_.tile.getColumns() : kColumnTileRows; }
  Value lineEnd() const { return isTransposed() ? at_.rowsStored : at_.columnsLeft; }

  static constexpr int64_t kRounds = 8; // under way at one time

  // A thread's: `line` and `place` of its first one, and how many lines there are from one to the next.
  struct Pieces {
    int64_t bytes, step;
    Value line, place, global, isInLine;
  };

  void storePieces(int64_t bytes) {
    const int64_t pieces = lineBytes() / bytes, step = plan_.threads() / pieces, rounds = lines() / step;
    Pieces p{bytes, step, v_.divu(at_.thread, pieces), v_.mul(v_.remu(at_.thread, pieces), bytes), {}, {}};
    p.global = nvvm::offsetBytes(v_, first_, v_.add(v_.mul(v_.toI64(p.line), stride_), v_.toI64(p.place)));
    p.isInLine = v_.less(p.place, lineEnd());
    if (rounds <= kRounds) return storeRounds(p, p.line, v_.i64(0), rounds);
    auto loop = scf::ForOp::create(v_.b, v_.loc, v_.i32(0), v_.i32(rounds), v_.i32(kRounds));
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(loop.getBody());
    Value lines = v_.mul(loop.getInductionVar(), step);
    storeRounds(p, v_.add(p.line, lines), v_.mul(stride_, v_.toI64(lines)), kRounds);
  }

  // From `line` on, `offset` bytes behind the thread's first. Every piece is loaded before the first is
  // stored.
  void storeRounds(const Pieces &p, Value line, Value offset, int64_t rounds) {
    auto lineOf = [&](int64_t round) { return v_.add(line, round * p.step); };
    SmallVector<Value> pieces;
    for (int64_t round = 0; round < rounds; ++round)
      pieces.push_back(loadPiece(p, lineOf(round)));
    for (auto [round, piece] : llvm::enumerate(pieces))
      storeInside(p, lineOf(round), piece, v_.add(offset, v_.mul(v_.mul(stride_, p.step), round)));
  }

  Value loadPiece(const Pieces &p, Value line) {
    Value place = p.place;
    if (isTransposed()) { // the same in every round where rounds keep line / 2 mod 8
      Value piece = exchanged(v_, v_.divu(p.place, kPieceBytes), p.step % 16 ? line : p.line);
      place = v_.add(v_.mul(piece, kPieceBytes), v_.remu(p.place, kPieceBytes));
    }
    Value source = nvvm::offsetBytes(v_, shared_, v_.add(v_.mul(line, lineBytes()), place));
    Type words = p.bytes <= 4 ? Type(v_.b.getIntegerType(8 * p.bytes))
                              : VectorType::get(p.bytes / 4, v_.b.getI32Type());
    return nvvm::load(v_, words, source, p.bytes);
  }

  void storeInside(const Pieces &p, Value line, Value piece, Value offset) {
    Value isLine = v_.less(line, isTransposed() ? at_.columnsLeft : at_.rowsStored);
    Value isInside = v_.bitAnd(isLine, p.isInLine), address = nvvm::offsetBytes(v_, p.global, offset);
    if (p.bytes > 4) return nvvm::storeIf(v_, isInside, piece, address, p.bytes);
    ifThen(v_, isInside, [&] { nvvm::store(v_, piece, address, p.bytes); });
  }

  const ColumnPlan &plan_;
  const ColumnPosition &at_;
  ValueBuilder v_;
  Value shared_, stride_, first_; // first_: of the tile, in the copy
};

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

// One thread a column: its four blocks' bytes, a word where the layout has words.
void storeColumnScales(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared) {
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
  // A CTA of a part of the tile's columns has threads for all of them: those behind are its own, too, where
  // the matrix has none.
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
  // Of a tile that exists every column has its scales or padding, which is the byte of zeros: 0.
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
    Value word = v.i32(0);
    for (int64_t block = 0; block < kColumnBlocks; ++block) {
      if (hasWords) {
        Value wide = arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), kept(block));
        word = v.bitOr(word, v.shl(wide, 8 * block));
        continue;
      }
      ifThen(v, v.less(v.i32(blockRows * block), rows),
             [&] { nvvm::store(v, kept(block), address(block), 1); });
    }
    if (hasWords) nvvm::store(v, word, address(0), kColumnBlocks);
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
  Value addressOf(Value column, int64_t blocksBehind = 0) {
    const int64_t lines = plan_.format().blockRows;
    Value line = v_.divu(v_.add(at_.ctaColumn, v_.toI64(column)), lines);
    Value block = blocksBehind ? v_.add(block_, blocksBehind) : block_;
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

  // A byte of each column's word; with the last block those behind it, too. Padding is 0.
  void storeInWords(ArrayRef<Value> codes) {
    Value isFirst = v_.equal(at_.row, v_.i32(0)), isLast = v_.equal(v_.add(block_, 1), blocks_);
    const int tileBlocks = info(ScaleLayout(layout_)).tileBlocks;
    Value whole = v_.mul(v_.ceilDivu(blocks_, tileBlocks), tileBlocks);
    for (auto [i, code] : llvm::enumerate(codes)) {
      Value column = v_.add(at_.column, i), zero = v_.like(code, 0);
      Value isMine = v_.bitAnd(isFirst, v_.less(firstOfTile(v_, layout_, column), at_.columnsLeft));
      Value its = v_.select(v_.less(column, at_.columnsLeft), code, zero);
      ifThen(v_, isMine, [&] { nvvm::store(v_, its, addressOf(column), bits_ / 8); });
      for (int behind = 1; behind < tileBlocks; ++behind) {
        Value isBehind = v_.bitAnd(isLast, v_.less(v_.add(block_, behind), whole));
        ifThen(v_, v_.bitAnd(isMine, isBehind),
               [&] { nvvm::store(v_, zero, addressOf(column, behind), bits_ / 8); });
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

void keepBlockMaxima(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                     ArrayRef<Value> maxima) {
  auto place = [&](Value index) {
    return nvvm::offsetBytes(v, shared, v.add(v.mul(index, 4), plan.blockMaxima));
  };
  if (!plan.hasSquareBlocks()) {
    Value pair = nvvm::fromElements(v, VectorType::get(kLaneColumns, v.b.getI32Type()), maxima);
    Value index = v.add(v.mul(v.shru(at.row, 5), plan.tile.getColumns()), at.column);
    return nvvm::store(v, pair, place(index), 4 * kLaneColumns);
  }
  Value ofWarp = nvvm::largestOfWarp(v, v.maxu(maxima[0], maxima[1]));
  ifThen(v, v.equal(at.lane, v.i32(0)), [&] { nvvm::store(v, ofWarp, place(at.warp), 4); });
}

Value squareMaximum(const ValueBuilder &v, const ColumnPlan &plan, Value warp, Value shared) {
  Value first = v.mul(v.bitAnd(warp, ~int64_t(kSquareWarps - 1)), 4);
  Value largest;
  for (int i = 0; i < kSquareWarps; i += 4) {
    Value address = nvvm::offsetBytes(v, shared, v.add(first, plan.blockMaxima + 4 * i));
    Value four = nvvm::load(v, VectorType::get(4, v.b.getI32Type()), address, 16);
    for (int word = 0; word < 4; ++word) {
      Value its = nvvm::element(v, four, word);
      largest = largest ? v.maxu(largest, its) : its;
    }
  }
  return largest;
}

SmallVector<Value> joinedMaxima(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at,
                                Value shared) {
  if (plan.hasSquareBlocks())
    return SmallVector<Value>(kLaneColumns, squareMaximum(v, plan, at.warp, shared));
  SmallVector<Value> maxima(kLaneColumns);
  for (int quarter = 0; quarter < kColumnBlocks; ++quarter) {
    Value index = v.add(at.column, quarter * int64_t(plan.tile.getColumns()));
    Value address = nvvm::offsetBytes(v, shared, v.add(v.mul(index, 4), plan.blockMaxima));
    Value pair = nvvm::load(v, VectorType::get(kLaneColumns, v.b.getI32Type()), address, 4 * kLaneColumns);
    for (auto [i, maximum] : llvm::enumerate(maxima)) {
      Value its = nvvm::element(v, pair, i);
      maximum = maximum ? v.maxu(maximum, its) : its;
    }
  }
  return maxima;
}

void keepColumnCopy(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                    const EncodedBlocks &blocks) {
  (plan.columnCopy->isTransposed ? keepTransposed : keepRows)(v, plan, at, shared, blocks.codes);
  if (plan.spreadsNan) clearPadding(v, plan, at, shared);
  if (!plan.keepsScales()) return;
  SmallVector<Value> codes(blocks.scales);
  if (plan.clearsScales) // of a block outside the matrix, or behind a group's end
    for (auto [i, code] : llvm::enumerate(codes)) {
      Value isColumn = v.less(v.add(at.column, i), at.columnsLeft);
      code = v.select(v.bitAnd(v.less(at.row, at.rowsLeft), isColumn), code, v.i32(0));
    }
  Value pair = v.bitOr(codes[0], v.shl(codes[1], 8));
  Value place = v.add(v.mul(v.shru(at.row, 5), plan.tile.getColumns()), at.column);
  nvvm::store(v, arith::TruncIOp::create(v.b, v.loc, v.b.getI16Type(), pair),
              nvvm::offsetBytes(v, shared, v.add(place, plan.scales)), kLaneColumns);
}

void storeColumnCopy(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                     const EncodedBlocks &blocks) {
  LineStore(entry, plan, at, shared).store();
  plan.keepsScales() ? storeColumnScales(entry, plan, at, shared)
                     : JoinedScales(entry, plan, at).store(blocks.scales);
}

} // namespace mxc
