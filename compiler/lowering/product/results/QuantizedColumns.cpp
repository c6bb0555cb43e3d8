// Results that are quantized along columns: a block is 32 rows, which lie in several lanes. So columns go
// through shared memory, until a lane has rows of one column side by side.
//
//   Row              a warp has 32 rows; it turns 32 columns at a time, of which each lane gets one whole
//   WarpgroupPairs   two warps have 32 rows; they turn 16 columns at a time, eight of them for each warp, of
//   which
//                    four lanes have one
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/WarpPairs.h"
#include "compiler/lowering/product/results/ResultStores.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kBlock = int(mx::kResultBlock);
class ColumnBlocks {
public:
  ColumnBlocks(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy,
               const ResultBox &box)
      : sink_(sink), v_(v), copy_(copy), box_(box),
        arePairs_(sink.fragment == ResultFragment::WarpgroupPairs), lanes_(arePairs_ ? 4 : 1),
        width_(turnedColumns(sink.fragment)) {
    Value warp = v.shru(box.rowsOfCta.thread, 5);
    lane_ = v.bitAnd(box.rowsOfCta.thread, 31);
    half_ = arePairs_ ? v.bitAnd(warp, 1) : v.i32(0); // of the block's rows, and of the columns
    Value turner = arePairs_ ? v.shru(warp, 1) : warp;
    memory_ = nvvm::offsetBytes(v, sink.turning, v.toI64(v.mul(turner, width_ * kTurnedPitchBytes)));
    blockRow_ = v.sub(box.firstRow, v.mul(half_, kBlock / 2));
    Value before = v.sub(blockRow_, box.rowsOfCta.row), inLanes = v.bitAnd(lane_, lanes_ - 1);
    row_ = v.add(blockRow_, v.mul(inLanes, kBlock / lanes_));
    scaleBlock_ = v.divu(v.add(box.rowsOfCta.scaleRow, before), kBlock);
    isFirstLane_ = v.equal(inLanes, v.i32(0));
    inWidth_ = arePairs_ ? v.add(v.mul(half_, width_ / 2), v.divu(lane_, lanes_)) : lane_;
    hasRows_ = v.less(box.rowsOfCta.row, box.rows);
  }

  void store(Value values) const {
    const int count = cast<VectorType>(values.getType()).getNumElements() * lanes_ / (arePairs_ ? 2 : 1);
    for (int first = 0; first < count; first += width_)
      storeColumns(values, first, count);
  }

private:
  void storeColumns(Value values, int first, int count) const {
    turn(values, first);
    meet();
    Value rows = rowsOfColumn();
    meet(); // before the next ones are written there
    Value column = v_.add(box_.firstColumn, v_.add(inWidth_, first));
    Value isColumn = v_.less(column, sink_.columns);
    const EncodedBlocks encoded = encodeBlocks(v_, sink_.rule, CopyTypes(copy_), rows, isColumn, lanes_);
    Value scale = encoded.scales.front();
    if (mustClear(sink_.rule)) // padding is 0, and a block of zeros is not
      scale = v_.select(v_.bitAnd(isColumn, v_.less(blockRow_, box_.rows)), scale, v_.i32(0));
    ifThen(v_, v_.bitAnd(hasRows_, isColumn), [&] { storeCodes(encoded.codes.front(), column); });
    storeScale(scale, column, isColumn, count);
  }

  // The lane's elements of those columns to shared memory; what is past the last row counts as zero.
  void turn(Value values, int first) const {
    Value zero = arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(0));
    auto put = [&](Value element, Value rowInBlock, Value columnInWidth) {
      Value offset = v_.add(v_.mul(columnInWidth, kTurnedPitchBytes), v_.mul(rowInBlock, 4));
      nvvm::store(v_, element, nvvm::offsetBytes(v_, memory_, v_.toI64(offset)), 4);
    };
    if (!arePairs_) { // the lane's row is there for all columns, or for none
      auto branch = scf::IfOp::create(v_.b, v_.loc, v_.less(box_.row, box_.rows), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(v_.b);
      for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
        v_.b.setInsertionPointToStart(block);
        for (int i = 0; i < width_; ++i)
          put(block == branch.thenBlock() ? nvvm::element(v_, values, first + i) : zero, lane_, v_.i32(i));
      }
      return;
    }
    Value inEight = v_.mul(v_.bitAnd(lane_, 3), 2), rowInBlock = v_.add(v_.mul(half_, 16), v_.shru(lane_, 2));
    for (int i = 0; i < width_ / 2; ++i) { // four of every eight columns
      const int index = first / 2 + i, second = i & 2 ? 8 : 0;
      Value exists = v_.less(sink_.rowOf(v_, box_, index), box_.rows);
      put(v_.select(exists, nvvm::element(v_, values, index), zero), v_.add(rowInBlock, second),
          v_.add(inEight, i / 4 * 8 + (i & 1)));
    }
  }

  void meet() const {
    if (!arePairs_) return nvvm::syncWarp(v_);
    nvvm::syncWarpPair(v_, v_.shru(box_.rowsOfCta.thread, 5)); // the role begins with warp 0
  }

  Value rowsOfColumn() const {
    constexpr int kWords = 4;
    Value offset = v_.add(v_.mul(inWidth_, kTurnedPitchBytes), v_.mul(v_.sub(row_, blockRow_), 4));
    Value from = nvvm::offsetBytes(v_, memory_, v_.toI64(offset));
    SmallVector<Value> rows;
    for (int i = 0; i < kBlock / lanes_; i += kWords) {
      Value loaded = nvvm::load(v_, VectorType::get(kWords, v_.b.getF32Type()),
                                nvvm::offsetBytes(v_, from, v_.i64(4 * i)), 16);
      for (int j = 0; j < kWords; ++j)
        rows.push_back(nvvm::element(v_, loaded, j));
    }
    return nvvm::fromElements(v_, VectorType::get(kBlock / lanes_, v_.b.getF32Type()), rows);
  }

  // Rows side by side in the copy. Where groups begin at multiples of 128 what follows a group's last row, up
  // to the next one's first, is zeros, in a block of NaN, too; else it is not the group's.
  void storeCodes(Value codes, Value column) const {
    std::string name = sink_.nameOf(copy_.data);
    Value index = v_.add(v_.mul(v_.toI64(column), sink_.function.stride(name, 0)), v_.toI64(row_));
    Value address = nvvm::offsetBytes(v_, sink_.function.pointer(name), index);
    const int bytes = kBlock / lanes_, piece = std::min(bytes, 16);
    Value end = v_.add(row_, bytes),
          number = LLVM::PtrToIntOp::create(v_.b, v_.loc, v_.b.getI64Type(), address);
    Value isAligned = v_.equal(v_.bitAnd(number, piece - 1), v_.i64(0));
    Value isWhole = v_.cmp(ValueBuilder::Predicate::sle, end, box_.rows);
    auto branch = scf::IfOp::create(v_.b, v_.loc, v_.bitAnd(isAligned, isWhole), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    nvvm::store(v_, codes, address, piece);
    v_.b.setInsertionPointToStart(branch.elseBlock());
    Value each = nvvm::bitcast(v_, VectorType::get(bytes, v_.b.getI8Type()), codes);
    Value limit = v_.sub(sink_.rowsOfCopies ? sink_.rowsOfCopies : box_.rows, row_),
          rows = v_.sub(box_.rows, row_);
    for (int i = 0; i < bytes; ++i) {
      ifThen(v_, v_.less(v_.i32(i), limit), [&] {
        Value code =
            v_.select(v_.less(v_.i32(i), rows), nvvm::element(v_, each, i), v_.constant(v_.b.getI8Type(), 0));
        nvvm::store(v_, code, nvvm::offsetBytes(v_, address, v_.i64(i)), 1);
      });
    }
  }

  // For columns past the last one, too, which are padding of its tile; the last box fills the tile up with
  // zeros.
  void storeScale(Value code, Value column, Value isColumn, int count) const {
    const mx::ScaleLayoutKind layout =
        mx::ScaleLayoutKind(*mx::scaleLayoutOf(cast<MemRefType>(copy_.scales.getType())));
    Value blocks = v_.ceilDivu(sink_.scaleRowsOfCopies, kBlock);
    Value address = nvvm::offsetBytes(v_, sink_.function.pointer(sink_.nameOf(copy_.scales)),
                                      scaleOffset(v_, layout, column, scaleBlock_, {Value(), blocks}));
    Value byte = arith::TruncIOp::create(v_.b, v_.loc, v_.b.getI8Type(), code);
    Value stores = v_.bitAnd(hasRows_, isFirstLane_);
    if (layout == mx::ScaleLayoutKind::Dense) {
      stores = v_.bitAnd(v_.bitAnd(stores, isColumn), v_.less(scaleBlock_, blocks));
      return ifThen(v_, stores, [&] { nvvm::store(v_, byte, address, 1); });
    }
    stores = v_.bitAnd(stores, v_.less(box_.firstColumn, sink_.columns));
    constexpr int kColumns = 32, kBytes = 4; // apart: in a tile a row's scales, and those of the row 32 later
    Value inTile = v_.bitAnd(v_.divu(box_.firstColumn, kColumns), kScaleTileRows / kColumns - 1);
    Value isLast = v_.cmp(ValueBuilder::Predicate::sge, v_.add(box_.firstColumn, count), sink_.columns);
    const int unit = count / kColumns;
    ifThen(v_, stores, [&] {
      nvvm::store(v_, byte, address, 1);
      ifThen(v_, isLast, [&] {
        for (int i = unit; i < int(kScaleTileRows) / kColumns; i += unit)
          ifThen(v_, v_.less(inTile, v_.i32(kScaleTileRows / kColumns - i)), [&] {
            nvvm::store(v_, v_.constant(v_.b.getI8Type(), 0),
                        nvvm::offsetBytes(v_, address, v_.i64(kBytes * i)), 1);
          });
      });
    });
  }

  const ResultSink &sink_;
  const ValueBuilder &v_;
  const mx::QuantizedCopy &copy_;
  const ResultBox &box_;
  bool arePairs_;
  int lanes_, width_; // that have a column's block; columns at a time
  Value lane_, half_, memory_, blockRow_, row_, scaleBlock_, isFirstLane_, inWidth_, hasRows_;
};

} // namespace

void storeQuantizedColumns(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy,
                           Value values, const ResultBox &box) {
  ColumnBlocks(sink, v, copy, box).store(values);
}

} // namespace mxc
