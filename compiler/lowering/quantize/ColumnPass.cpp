// The column copy on its way out. In shared memory a line of codes is a row of the copy: the codes of 128
// rows of a column, or untransposed, a row of the tile.
//
//   8 bits: 128 bytes, whose eight pieces of 16 are exchanged by the column: no side meets bank conflicts
//   4 bits: 64 bytes; the eight pieces of two lines are exchanged in the same way
//   6 bits: 96 bytes, a piece of padding after every second one
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ElementBytes.h"
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

constexpr int kPieceBytes = 16, kPieces = 8;                                 // that are exchanged
constexpr int kSquareWarps = kColumnBlocks * kColumnTileRows / kWarpColumns; // of a block of 128x128

// Piece `piece` of a pair of lines lies at piece ^ (line / 2 mod 8): eight neighbouring lanes write eight
// lines two apart, or read eight pieces that follow one another.
Value exchanged(const ValueBuilder &v, Value piece, Value line) {
  return v.bitXor(piece, v.bitAnd(v.shru(line, 1), kPieces - 1));
}

// Words `first` to `first` + `count` - 1 of a lane's line.
Value wordsFrom(const ValueBuilder &v, Value line, int first, int count) {
  SmallVector<Value> part;
  for (int i = 0; i < count; ++i)
    part.push_back(nvvm::element(v, line, first + i));
  return nvvm::fromElements(v, VectorType::get(count, v.b.getI32Type()), part);
}

// A lane's codes of its two columns: two pieces each, or one, or three halves of pieces.
void keepTransposed(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                    ArrayRef<Value> codes) {
  const CodeLines lines(plan);
  auto store = [&](Value words, Value place, int64_t bytes) {
    nvvm::store(v, words, nvvm::offsetBytes(v, shared, v.add(place, plan.codes)), bytes);
  };
  switch (plan.elementBits()) {
  case 8: {
    Value piece = exchanged(v, v.shru(at.row, 4), at.column); // of both columns, which share at.column / 2
    Value first = v.add(v.mul(at.column, lines.bytes), v.mul(piece, kPieceBytes));
    for (int half : {0, 1}) {
      Value address = nvvm::offsetBytes(v, shared, v.add(v.bitXor(first, half * kPieceBytes), plan.codes));
      for (auto [column, words] : llvm::enumerate(codes))
        nvvm::store(v, wordsFrom(v, words, 4 * half, 4),
                    nvvm::offsetBytes(v, address, v.i32(column * lines.bytes)), kPieceBytes);
    }
    return;
  }
  case 4: {
    Value piece = exchanged(v, v.shru(at.row, 5), at.column);
    Value first = v.add(v.mul(at.column, lines.bytes), v.mul(piece, kPieceBytes));
    store(codes[0], first, kPieceBytes);
    return store(codes[1], v.bitXor(first, lines.bytes), kPieceBytes);
  }
  default: {
    constexpr int kHalf = kPieceBytes / 2, kBlockBytes = 24;
    Value first = v.add(v.mul(v.shru(at.column, 1), lines.pairBytes), v.mul(v.shru(at.row, 5), kBlockBytes));
    for (auto [column, words] : llvm::enumerate(codes))
      for (int i = 0; i < kBlockBytes / kHalf; ++i)
        store(wordsFrom(v, words, 2 * i, 2), v.add(first, column * lines.bytes + i * kHalf), kHalf);
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

// Rows past a group's end are +0, where NaN has made all of their block NaN, too.
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

// The same of elements below 8 bits, whose codes are in registers yet.
SmallVector<Value> withoutPadding(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at,
                                  ArrayRef<Value> codes) {
  Value rows = v.sub(at.rowsLeft, at.row);
  auto branch = scf::IfOp::create(v.b, v.loc, ValueRange(codes).getTypes(),
                                  v.less(rows, v.i32(kColumnBlockRows)), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(v.b, v.loc, codes);
  v.b.setInsertionPointToStart(branch.thenBlock());
  const int words = cast<VectorType>(codes.front().getType()).getNumElements();
  SmallVector<Value> masks, masked;
  for (int i = 0; i < words; ++i) { // as many bits as the word has of rows
    Value bits = v.add(v.mul(rows, plan.elementBits()), -32 * i);
    bits = arith::MaxSIOp::create(v.b, v.loc, bits, v.i32(0));
    bits = arith::MinSIOp::create(v.b, v.loc, bits, v.i32(32));
    masks.push_back(v.toI32(v.sub(v.shl(v.i64(1), v.toI64(bits)), v.i64(1))));
  }
  for (Value line : codes) {
    SmallVector<Value> its;
    for (int i = 0; i < words; ++i)
      its.push_back(v.bitAnd(nvvm::element(v, line, i), masks[i]));
    masked.push_back(nvvm::fromElements(v, line.getType(), its));
  }
  scf::YieldOp::create(v.b, v.loc, masked);
  return SmallVector<Value>(branch.getResults());
}

// The copy's lines, in pieces that the CTA's threads take in turn.
class LineStore {
public:
  LineStore(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared)
      : plan_(plan), at_(at), lines_(plan), v_(entry.values()) {
    shared_ = nvvm::offsetBytes(v_, shared, v_.i32(plan.codes));
    std::string name = plan.nameOf(plan.columnCopy->data);
    stride_ = bytesOf(entry.rowStride(name));
    Value offset = v_.add(v_.mul(isTransposed() ? at.ctaColumn : at.ctaRow, stride_),
                          bytesOf(isTransposed() ? at.ctaRow : at.ctaColumn));
    first_ = nvvm::offsetBytes(v_, entry.pointer(name), offset);
  }

  void store() {
    Value begin = LLVM::PtrToIntOp::create(v_.b, v_.loc, v_.b.getI64Type(), first_);
    withWidestStore(v_, {begin, stride_, v_.toI64(lineEnd())}, plan_.columnStoreBytes(), [&](int64_t bytes) {
      for (int64_t part = 0; part < lines_.bytes; part += partBytes())
        storePieces(part, bytes);
    });
  }

private:
  bool isTransposed() const { return plan_.columnCopy->isTransposed; }
  Value bytesOf(Value elements) const { return bytesOfElements(v_, elements, plan_.elementBits()); }
  Value lineEnd() const { return bytesOf(isTransposed() ? at_.rowsStored : at_.columnsLeft); }
  // As many neighbouring threads as a part has pieces take a line's.
  int64_t partBytes() const { return lines_.bytes & -lines_.bytes; }

  static constexpr int64_t kRounds = 8; // under way at one time

  // A thread's: `line` and `place` of its first one, and how many lines there are from one to the next.
  struct Pieces {
    int64_t bytes, step;
    Value line, place, global, isInLine;
  };

  void storePieces(int64_t part, int64_t bytes) {
    const int64_t pieces = partBytes() / bytes, step = plan_.threads() / pieces, rounds = lines_.count / step;
    Value line = v_.divu(at_.thread, pieces);
    Pieces p{bytes, step, line, v_.add(v_.mul(v_.remu(at_.thread, pieces), bytes), part), {}, {}};
    p.global = nvvm::offsetBytes(v_, first_, v_.add(v_.mul(v_.toI64(p.line), stride_), v_.toI64(p.place)));
    p.isInLine = v_.less(p.place, lineEnd());
    if (rounds <= kRounds) return storeRounds(p, p.line, v_.i64(0), rounds);
    auto loop = scf::ForOp::create(v_.b, v_.loc, v_.i32(0), v_.i32(rounds), v_.i32(kRounds));
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(loop.getBody());
    Value lines = v_.mul(loop.getInductionVar(), step);
    storeRounds(p, v_.add(p.line, lines), v_.mul(stride_, v_.toI64(lines)), kRounds);
  }

  // From `line` on, `offset` bytes after the thread's first. Every piece is loaded before the first is
  // stored.
  void storeRounds(const Pieces &p, Value line, Value offset, int64_t rounds) {
    auto lineOf = [&](int64_t round) { return v_.add(line, round * p.step); };
    SmallVector<Value> pieces;
    for (int64_t round = 0; round < rounds; ++round)
      pieces.push_back(loadPiece(p, lineOf(round)));
    for (auto [round, piece] : llvm::enumerate(pieces))
      storeInside(p, lineOf(round), piece, v_.add(offset, v_.mul(v_.mul(stride_, p.step), round)));
  }

  // Pieces are exchanged the same in every round where rounds keep line / 2 mod 8.
  Value placeOf(const Pieces &p, Value line) {
    Value same = p.step % 16 ? line : p.line;
    auto exchangedPlace = [&](Value firstPiece) {
      Value piece = v_.divu(p.place, kPieceBytes);
      if (firstPiece) piece = v_.add(firstPiece, piece);
      Value begin = v_.mul(exchanged(v_, piece, same), kPieceBytes);
      return v_.add(begin, v_.remu(p.place, kPieceBytes));
    };
    if (!isTransposed() || plan_.elementBits() == 8) {
      Value inLine = isTransposed() ? exchangedPlace({}) : p.place;
      return v_.add(v_.mul(line, lines_.bytes), inLine);
    }
    Value pair = v_.mul(v_.shru(line, 1), lines_.pairBytes), isSecond = v_.bitAnd(same, 1);
    if (plan_.elementBits() == 6) return v_.add(pair, v_.add(v_.mul(isSecond, lines_.bytes), p.place));
    return v_.add(pair, exchangedPlace(v_.mul(isSecond, kPieces / 2)));
  }

  Value loadPiece(const Pieces &p, Value line) {
    Value source = nvvm::offsetBytes(v_, shared_, placeOf(p, line));
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
  CodeLines lines_;
  ValueBuilder v_;
  Value shared_, stride_, first_; // bytes from a line to the next; first_: of the tile, in the copy
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

// From the square's first column.
static Value smallSquarePlace(const ValueBuilder &v, const ColumnPlan &plan, Value row, Value column,
                              Value shared) {
  const int64_t squares = plan.tile.getColumns() / kSmallSquare.columns;
  Value index = v.add(v.mul(v.divu(row, kSmallSquare.rows), squares), v.divu(column, kSmallSquare.columns));
  return nvvm::offsetBytes(v, shared, v.add(v.mul(index, 4), plan.blockMaxima));
}

void joinSmallSquares(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                      MutableArrayRef<Value> maxima) {
  constexpr int kLanes = kSmallSquare.columns / kLaneColumns;
  Value isFirst = v.equal(v.bitAnd(at.lane, kLanes - 1), v.i32(0));
  for (size_t i = 0; i < maxima.size(); i += kLaneColumns) {
    Value largest = v.maxu(maxima[i], maxima[i + 1]); // NaN is the largest
    for (int mask = kLanes / 2; mask; mask /= 2)
      largest = v.maxu(largest, nvvm::shuffleXor(v, largest, mask));
    maxima[i] = maxima[i + 1] = largest;
    if (!plan.rowCopy) continue;
    Value row = v.add(at.row, int64_t(i) / kLaneColumns * kSmallSquare.rows);
    ifThen(v, isFirst,
           [&] { nvvm::store(v, largest, smallSquarePlace(v, plan, row, at.column, shared), 4); });
  }
}

Value smallSquareMaximum(const ValueBuilder &v, const ColumnPlan &plan, Value row, Value column,
                         Value shared) {
  return nvvm::load(v, v.b.getI32Type(), smallSquarePlace(v, plan, row, column, shared), 4);
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
  const bool isPacked = plan.elementBits() < 8;
  ArrayRef<Value> lines = blocks.codes;
  SmallVector<Value> cleared;
  if (plan.spreadsNan && isPacked) lines = cleared = withoutPadding(v, plan, at, lines);
  (plan.columnCopy->isTransposed ? keepTransposed : keepRows)(v, plan, at, shared, lines);
  if (plan.spreadsNan && !isPacked) clearPadding(v, plan, at, shared);
  if (!plan.keepsScales()) return;
  for (int block = 0; block < plan.laneBlocks(); ++block) {
    SmallVector<Value> codes(ArrayRef(blocks.scales).slice(block * kLaneColumns, kLaneColumns));
    if (plan.clearsScales) // of a block outside the matrix, or past a group's end
      for (auto [i, code] : llvm::enumerate(codes)) {
        Value isColumn = v.less(v.add(at.column, i), at.columnsLeft);
        Value isBlock = v.less(v.add(at.row, block * plan.format().blockColumns), at.rowsLeft);
        code = v.select(v.bitAnd(isBlock, isColumn), code, v.i32(0));
      }
    Value pair = v.bitOr(codes[0], v.shl(codes[1], 8));
    Value line = v.add(v.mul(v.shru(at.row, 5), plan.laneBlocks()), block);
    Value place = v.add(v.mul(line, plan.tile.getColumns()), at.column);
    nvvm::store(v, arith::TruncIOp::create(v.b, v.loc, v.b.getI16Type(), pair),
                nvvm::offsetBytes(v, shared, v.add(place, plan.scales)), kLaneColumns);
  }
}

void storeColumnCopy(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                     const EncodedBlocks &blocks) {
  LineStore(entry, plan, at, shared).store();
  storeColumnScales(entry, plan, at, shared, blocks);
}

} // namespace mxc
