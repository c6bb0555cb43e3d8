// The row copy of a column tile, from the values in shared memory. A lane has 16 consecutive elements of four
// rows 32 apart; eight lanes have 128 columns, the four blocks of a word of scales. A warp takes four
// consecutive rows, so its words are 64 bytes side by side. Of a tile of 64 columns four lanes have a row and
// a warp eight, whose scales are stored one by one.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/quantize/ColumnPlan.h"
#include "compiler/lowering/quantize/StoreWidth.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kRowColumns = 128, kLaneElements = 16, kLaneBytes = kLaneElements /* codes */, kChunkBytes = 16;
constexpr int kRowGroups = 4, kPhaseLanes = 8; // that access shared memory at one time

class RowPass {
public:
  RowPass(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared)
      : entry_(entry), plan_(plan), at_(at), shared_(shared), v_(entry.values()),
        chunks_(kLaneElements * mx::storageBytes(plan.valueType, 1) / kChunkBytes) {
    const int rowLanes = std::min(kRowColumns, int(plan.tile.getColumns())) / kLaneElements,
              rowsPerWarp = 32 / rowLanes, warps = 32 / rowsPerWarp; // of a row group
    Value rowLane = v_.bitAnd(at.lane, rowLanes - 1), phaseLane = v_.bitAnd(at.lane, kPhaseLanes - 1);
    row_ = v_.add(v_.mul(v_.bitAnd(at.warp, warps - 1), rowsPerWarp), v_.divu(at.lane, rowLanes));
    column_ = v_.add(v_.mul(v_.divu(at.warp, warps), kRowColumns), v_.mul(rowLane, kLaneElements));
    // Lanes take their chunks in orders of their own, so that eight neighbours meet eight different ones.
    std::string name = plan_.nameOf(plan_.rowCopy->data);
    Value stride = entry.rowStride(name), row = v_.add(at.ctaRow, v_.toI64(row_));
    first_ = nvvm::offsetBytes(v_, entry.pointer(name),
                               v_.add(v_.mul(row, stride), v_.add(at.ctaColumn, v_.toI64(column_))));
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
    CopyTypes types(*plan_.rowCopy);
    const QuantizeRule rule = plan_.op.getRule();
    const int lanes = plan_.format().blockColumns / kLaneElements,
              lanesOfMaximum = int(rule.maximumBlock().columns) / kLaneElements;
    auto join = [&](MutableArrayRef<Value> maxima) {
      if (!plan_.hasSquareBlocks()) return;
      const Value ofBlock = squareMaximum(v_, plan_, at_.warp, shared_);
      llvm::fill(maxima, ofBlock);
    };
    EncodedBlocks blocks =
        encodeBlocks(v_, rule, types, rows, valid, lanesOfMaximum, /*tensorScale=*/{}, join);
    const TilePosition at = position();
    clearOutside(v_, rule, at, blocks.scales);
    auto codes = llvm::map_to_vector(blocks.codes, [&](Value row) { return inOrder(row); });
    withWidestStore(v_, {base_, stride_, entry_.columns()}, plan_.tile.getStoreBytes(), [&](int64_t bytes) {
      for (auto [j, row] : llvm::enumerate(codes))
        store(j, row, bytes);
    });
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

  // The codes' words with the chunks in their order again.
  SmallVector<Value> inOrder(Value codes) {
    int words = kLaneBytes / 4, chunkWords = words / chunks_;
    Value all = nvvm::bitcast(v_, VectorType::get(words, v_.b.getI32Type()), codes);
    SmallVector<Value> line;
    for (int i = 0; i < words; ++i)
      line.push_back(nvvm::element(v_, all, i));
    for (int bit = 1; bit < chunks_; bit *= 2) {
      Value isExchanged = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(order_, bit), v_.i32(0));
      SmallVector<Value> next;
      for (int i = 0; i < words; ++i)
        next.push_back(v_.select(isExchanged, line[i ^ (bit * chunkWords)], line[i]));
      line = next;
    }
    return line;
  }

  void store(int j, ArrayRef<Value> words, int64_t bytes) {
    Value address = nvvm::offsetBytes(v_, first_, v_.mul(step_, j));
    Value all = nvvm::fromElements(v_, VectorType::get(words.size(), v_.b.getI32Type()), words);
    if (bytes == kLaneBytes)
      return nvvm::storeIf(v_, v_.bitAnd(rowValid(j), v_.less(column_, at_.columnsLeft)), all, address,
                           bytes);
    Value split =
        nvvm::bitcast(v_, VectorType::get(kLaneBytes / bytes, Type(v_.b.getIntegerType(8 * bytes))), all);
    for (int i = 0; i < kLaneBytes / bytes; ++i) {
      Value isInside = v_.bitAnd(rowValid(j), v_.less(v_.add(column_, i * bytes), at_.columnsLeft));
      ifThen(v_, isInside, [&] {
        nvvm::store(v_, nvvm::element(v_, split, i), nvvm::offsetBytes(v_, address, v_.i64(i * bytes)),
                    bytes);
      });
    }
  }

  TilePosition position() {
    TilePosition at;
    at.lane = at_.lane;
    at.hasWords = plan_.tile.getColumns() >= kRowColumns;
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
  Value shared_;
  ValueBuilder v_;
  int chunks_; // of 16 bytes: a lane's elements of a row
  Value row_, column_, order_;
  Value base_, stride_; // i64, of the copy
  Value first_, step_;  // where the lane's codes of its first row go; from one of its rows to the next
};

} // namespace

bool takesRowBlocks(int blockColumns, bool hasTiledScales) {
  if (hasTiledScales) return blockColumns * kScaleTileBlocks == kRowColumns;
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

void quantizeTileRows(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared) {
  RowPass(entry, plan, at, shared).run();
}

} // namespace mxc
