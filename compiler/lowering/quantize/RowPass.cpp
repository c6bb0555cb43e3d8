// The row copy of a column tile, from the values in shared memory. A lane has 16 consecutive elements of four
// rows 32 apart; eight lanes have 128 columns, the four blocks of 32 of a word of scales. A warp takes four
// consecutive rows, so its words are 64 bytes side by side. In a tile of 64 columns four lanes have a row and
// a warp eight, whose scales of blocks of 32 are halves of words.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ElementBytes.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/quantize/ColumnPlan.h"
#include "compiler/lowering/quantize/RandomWords.h"
#include "compiler/lowering/quantize/StoreWidth.h"
#include "dialect/formats/PackedCodes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kRowColumns = 128, kLaneElements = 16, kChunkBytes = 16;
constexpr int kRowGroups = 4, kPhaseLanes = 8; // that access shared memory at one time

class RowPass {
public:
  RowPass(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared, Value tensorScale)
      : entry_(entry), plan_(plan), at_(at), shared_(shared), tensorScale_(tensorScale), v_(entry.values()),
        chunks_(kLaneElements * mx::storageBytes(plan.valueType, 1) / kChunkBytes),
        laneBytes_(storageBytes(plan.elementBits(), kLaneElements)), widest_(laneBytes_ & -laneBytes_) {
    const int rowLanes = std::min(kRowColumns, int(plan.tile.getColumns())) / kLaneElements,
              rowsPerWarp = 32 / rowLanes, warps = 32 / rowsPerWarp; // of a row group
    Value rowLane = v_.bitAnd(at.lane, rowLanes - 1), phaseLane = v_.bitAnd(at.lane, kPhaseLanes - 1);
    row_ = v_.add(v_.mul(v_.bitAnd(at.warp, warps - 1), rowsPerWarp), v_.divu(at.lane, rowLanes));
    column_ = v_.add(v_.mul(v_.divu(at.warp, warps), kRowColumns), v_.mul(rowLane, kLaneElements));
    // Lanes take their chunks in orders of their own, so that eight neighbours meet eight different ones.
    std::string name = plan_.nameOf(plan_.rowCopy->data);
    Value stride = bytesOf(entry.rowStride(name)), row = v_.add(at.ctaRow, v_.toI64(row_));
    first_ = nvvm::offsetBytes(v_, entry.pointer(name),
                               v_.add(v_.mul(row, stride), bytesOf(v_.add(at.ctaColumn, v_.toI64(column_)))));
    step_ = v_.mul(stride, 32);
    base_ = LLVM::PtrToIntOp::create(v_.b, v_.loc, v_.b.getI64Type(), entry.pointer(name));
    stride_ = stride;
    order_ = v_.bitAnd(v_.shru(phaseLane, chunks_ == 2 ? 2 : 1), chunks_ - 1);
  }

  void run() {
    SmallVector<Value> rows, valid;
    for (int j = 0; j < kRowGroups; ++j) {
      rows.push_back(load(j));
      valid.push_back(v_.i1(true)); // zeros outside the matrix already
    }
    const bool isTransformed = plan_.isTransformed(mx::Axis::Row);
    if (isTransformed) transform(rows);
    CopyTypes types(*plan_.rowCopy);
    const QuantizeRule rule = plan_.op.getRule();
    const int lanes = plan_.format().blockColumns / kLaneElements,
              lanesOfMaximum = int(rule.maximumBlock().columns) / kLaneElements;
    auto join = [&](MutableArrayRef<Value> maxima) {
      if (plan_.takesAmaxOfRows()) {
        Value largest = maxima.front();
        for (Value maximum : maxima.drop_front())
          largest = arith::MaxUIOp::create(v_.b, v_.loc, largest, maximum);
        keepMaximum(v_, plan_, at_, shared_, 0, largest);
      }
      if (plan_.hasSmallSquares())
        for (auto [j, maximum] : llvm::enumerate(maxima))
          maximum = smallSquareMaximum(v_, plan_, v_.add(row_, 32 * int64_t(j)), column_, shared_);
      if (!plan_.hasSquareBlocks()) return;
      const Value ofBlock = squareMaximum(v_, plan_, at_.warp, shared_);
      llvm::fill(maxima, ofBlock);
    };
    std::optional<RandomNumbers> numbers;
    if (Value random = plan_.op.getRandom()) numbers.emplace(entry_, plan_.signature, random);
    auto words = [&](size_t j) { return wordsOfRow(*numbers, int64_t(j), isTransformed); };
    EncodedBlocks blocks = encodeBlocks(v_, rule, types, rows, valid, lanesOfMaximum, tensorScale_, join,
                                        numbers ? function_ref<SmallVector<Value>(size_t)>(words)
                                                : function_ref<SmallVector<Value>(size_t)>());
    const TilePosition at = position();
    clearOutside(v_, rule, at, blocks.scales);
    auto codes = llvm::map_to_vector(blocks.codes, [&](Value row) {
      return isTransformed ? wordsOf(row, int(laneBytes_) / 4) : inOrder(row);
    });
    const auto store = [&](int64_t bytes) {
      for (auto [j, row] : llvm::enumerate(codes))
        storeCodes(j, row, bytes);
    };
    withWidestStore(v_, {base_, stride_, bytesOf(entry_.columns())},
                    std::min<int64_t>(plan_.tile.getStoreBytes(), widest_), store, widest_);
    Value scales = plan_.rowCopy->scales;
    storeScales(v_, entry_.pointer(plan_.nameOf(scales)), types.scale, plan_.layoutOf(scales), at, lanes,
                ArrayRef(blocks.scales).take_front(at.scaleRows.size()));
  }

private:
  Value rowValid(int j) { return v_.less(v_.add(row_, 32 * j), at_.rowsLeft); }

  // Chunk i of the vector is chunk i ^ order of the lane's elements.
  Value load(int j) {
    int64_t bytes = mx::storageBytes(plan_.valueType, 1), rowBytes = plan_.tile.getColumns() * bytes;
    Value lane = v_.add(v_.mul(row_, rowBytes), v_.mul(column_, bytes));
    Type chunk = VectorType::get(4, v_.b.getI32Type());
    SmallVector<Value> words;
    for (int i = 0; i < chunks_; ++i) {
      Value offset = v_.add(lane, v_.mul(v_.bitXor(order_, i), kChunkBytes));
      Value address = nvvm::offsetBytes(v_, shared_, offset);
      Value loaded = nvvm::load(
          v_, chunk, nvvm::offsetBytes(v_, address, v_.i32(plan_.values + 32 * j * rowBytes)), kChunkBytes);
      for (int word = 0; word < 4; ++word)
        words.push_back(nvvm::element(v_, loaded, word));
    }
    Value all = nvvm::fromElements(v_, VectorType::get(words.size(), v_.b.getI32Type()), words);
    return nvvm::bitcast(v_, VectorType::get(kLaneElements, plan_.valueType), all);
  }

  Value bytesOf(Value elements) const { return bytesOfElements(v_, elements, plan_.elementBits()); }

  SmallVector<Value> wordsOf(Value vector, int count) const {
    Value all = nvvm::bitcast(v_, VectorType::get(count, v_.b.getI32Type()), vector);
    SmallVector<Value> words;
    for (int i = 0; i < count; ++i)
      words.push_back(nvvm::element(v_, all, i));
    return words;
  }

  // Words of which each chunk has as many: chunk i of what is given is chunk i ^ order, or the other way.
  SmallVector<Value> exchangedChunks(SmallVector<Value> words) const {
    for (int bit = 1; bit < chunks_; bit *= 2) {
      Value isExchanged = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(order_, bit), v_.i32(0));
      const int apart = bit * int(words.size()) / chunks_;
      SmallVector<Value> next;
      for (int i = 0; i < int(words.size()); ++i)
        next.push_back(v_.select(isExchanged, words[i ^ apart], words[i]));
      words = next;
    }
    return words;
  }

  // The elements in their order, times the matrix; past the row's end it gives zeros.
  void transform(MutableArrayRef<Value> rows) const {
    const Type bf16 = v_.b.getBF16Type();
    const int inputWords = kChunkBytes / 4 * chunks_, words = kLaneElements / 2;
    const auto type = VectorType::get(kLaneElements, bf16);
    Value isEnd = v_.less(at_.columnsLeft, v_.i32(plan_.tile.getColumns()));
    for (Value &row : rows) {
      Type given = row.getType();
      row = fromWords(exchangedChunks(wordsOf(row, inputWords)), given);
      row = mx::HadamardOp::create(v_.b, v_.loc, type, row, at_.lane, /*lanes=*/1);
    }
    auto branch =
        scf::IfOp::create(v_.b, v_.loc, ValueRange(rows).getTypes(), isEnd, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(v_.b, v_.loc, rows);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> kept;
    for (Value row : rows) {
      SmallVector<Value> its = wordsOf(row, words);
      for (auto [i, word] : llvm::enumerate(its)) // rows of 4 bits are pairs
        word = v_.select(v_.less(v_.add(column_, 2 * int64_t(i)), at_.columnsLeft), word, v_.i32(0));
      kept.push_back(fromWords(its, type));
    }
    scf::YieldOp::create(v_.b, v_.loc, kept);
    llvm::copy(branch.getResults(), rows.begin());
  }

  Value fromWords(ArrayRef<Value> words, Type type) const {
    Value all = nvvm::fromElements(v_, VectorType::get(words.size(), v_.b.getI32Type()), words);
    return nvvm::bitcast(v_, type, all);
  }

  // The words of random bits, in the order of the elements.
  SmallVector<Value> wordsOfRow(const RandomNumbers &numbers, int64_t j, bool areInOrder) const {
    Value run = v_.divu(v_.add(v_.toI32(at_.ctaColumn), column_), kRandomColumns);
    Value row = v_.add(v_.toI32(at_.ctaRow), v_.add(row_, 32 * j));
    SmallVector<Value> words = numbers.ofRun(run, row);
    return areInOrder ? words : exchangedChunks(words);
  }

  // The codes' words with the chunks in their order again.
  SmallVector<Value> inOrder(Value codes) {
    const int words = int(laneBytes_) / 4, chunkBytes = int(laneBytes_) / chunks_;
    SmallVector<Value> line = wordsOf(codes, words);
    for (int bit = 1; bit < chunks_; bit *= 2) {
      Value isExchanged = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(order_, bit), v_.i32(0));
      SmallVector<Value> next;
      for (int i = 0; i < words; ++i)
        next.push_back(v_.select(isExchanged, exchangedWord(line, i, chunkBytes, bit), line[i]));
      line = next;
    }
    return line;
  }

  // Word `index` where every chunk c is chunk c ^ bit.
  Value exchangedWord(ArrayRef<Value> line, int index, int chunkBytes, int bit) const {
    auto sourceOf = [&](int byte) { return (byte / chunkBytes ^ bit) * chunkBytes + byte % chunkBytes; };
    const int first = sourceOf(4 * index) / 4;
    int last = first, selector = 0;
    for (int byte = 3; byte >= 0; --byte) {
      const int source = sourceOf(4 * index + byte), word = source / 4;
      if (word != first) last = word; // no chunk length has bytes of three words in one
      selector = selector << 4 | (source % 4 + (word != first ? 4 : 0));
    }
    if (selector == 0x3210) return line[first];
    return nvvm::permuteBytes(v_, line[first], line[last], v_.i32(selector));
  }

  void storeCodes(int j, ArrayRef<Value> words, int64_t bytes) {
    Value address = nvvm::offsetBytes(v_, first_, v_.mul(step_, j));
    Value all = nvvm::fromElements(v_, VectorType::get(words.size(), v_.b.getI32Type()), words);
    if (bytes == laneBytes_)
      return nvvm::storeIf(v_, v_.bitAnd(rowValid(j), v_.less(column_, at_.columnsLeft)), all, address,
                           bytes);
    Value split =
        nvvm::bitcast(v_, VectorType::get(laneBytes_ / bytes, Type(v_.b.getIntegerType(8 * bytes))), all);
    for (int i = 0; i < laneBytes_ / bytes; ++i) {
      const int firstElement = int(i * bytes * 8 / plan_.elementBits()); // of those that begin in a piece
      Value isInside = v_.bitAnd(rowValid(j), v_.less(v_.add(column_, firstElement), at_.columnsLeft));
      ifThen(v_, isInside, [&] {
        nvvm::store(v_, nvvm::element(v_, split, i), nvvm::offsetBytes(v_, address, v_.i64(i * bytes)),
                    bytes);
      });
    }
  }

  TilePosition position() {
    TilePosition at;
    at.lane = at_.lane;
    const int rowBlocks = int(plan_.tile.getColumns()) / plan_.format().blockColumns;
    at.hasWords = rowBlocks >= kScaleTileBlocks, at.hasHalfWords = rowBlocks == kScaleTileBlocks / 2;
    at.scaleRowCount = plan_.isCompact ? v_.mul(tileRows(entry_, plan_.op), kColumnTileRows) : entry_.rows();
    if (plan_.format().blockRows > 1) { // the lanes of the first row have the tile's
      at.scaleRows = {v_.divu(at_.scaleRow, plan_.format().blockRows)};
      at.rowValid = {v_.equal(row_, v_.i32(0))};
    } else {
      for (int j = 0; j < kRowGroups; ++j) {
        at.scaleRows.push_back(v_.add(at_.scaleRow, v_.toI64(v_.add(row_, 32 * j))));
        at.rowValid.push_back(rowValid(j));
      }
    }
    const int64_t blockColumns = plan_.format().blockColumns;
    at.block = v_.divu(v_.add(at_.ctaColumn, v_.toI64(column_)), blockColumns);
    at.blocks = v_.divu(v_.add(entry_.columns(), blockColumns - 1), blockColumns);
    return at;
  }

  EntryFunction &entry_;
  ColumnPlan &plan_;
  const ColumnPosition &at_;
  Value shared_, tensorScale_;
  ValueBuilder v_;
  int chunks_;                 // of 16 bytes: a lane's elements of a row
  int64_t laneBytes_, widest_; // of their codes, and of a store of them
  Value row_, column_, order_;
  Value base_, stride_; // i64, of the copy
  Value first_, step_;  // where the lane's codes of its first row go; from one of its rows to the next
};

} // namespace

bool takesRowBlocks(int blockColumns, bool hasTiledScales) {
  if (hasTiledScales && kRowColumns % (blockColumns * kScaleTileBlocks) != 0) return false;
  return blockColumns % kLaneElements == 0 && kRowColumns % blockColumns == 0;
}

void keepValues(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                ArrayRef<Value> rows) {
  int64_t bytes = mx::storageBytes(plan.valueType, 1), rowBytes = plan.tile.getColumns() * bytes;
  Value lane = nvvm::offsetBytes(v, shared, v.add(v.mul(at.row, rowBytes), v.mul(at.column, bytes)));
  int64_t pairBytes = kLaneColumns * bytes;
  Type words = pairBytes == 4 ? Type(v.b.getI32Type()) : VectorType::get(pairBytes / 4, v.b.getI32Type());
  for (auto [r, pair] : llvm::enumerate(rows))
    nvvm::store(v, nvvm::bitcast(v, words, pair),
                nvvm::offsetBytes(v, lane, v.i32(plan.values + r * rowBytes)), pairBytes);
}

void quantizeTileRows(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared,
                      Value tensorScale) {
  RowPass(entry, plan, at, shared, tensorScale).run();
}

} // namespace mxc
