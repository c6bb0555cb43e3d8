// Results that are quantized along rows: the steps of mx.quantize on what a lane has of a box.
//
//   Row              a lane has whole blocks of a row, or a piece of a block, whose other pieces the lanes
//                    beside it have
//   WarpgroupPairs   four lanes have a block, each two columns of every eight; they exchange codes until each
//                    has those of eight columns side by side
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/product/results/ResultStores.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kBlock = int(mx::kResultBlock);

// Where scales lie in tiles: those of `unit` blocks of a row, from column `firstColumn` of c on. The last
// ones fill their word up with zeros.
void storeUnit(const ResultSink &sink, const ValueBuilder &v, Value address, Value firstColumn, Value scales,
               int unit) {
  Type type = v.b.getIntegerType(8 * unit);
  nvvm::store(v, arith::TruncIOp::create(v.b, v.loc, type, scales), address, unit);
  if (unit == int(kScaleTileBlocks)) return;
  Value inWord = v.bitAnd(v.divu(firstColumn, kBlock), kScaleTileBlocks - 1);
  Value isLast = v.cmp(ValueBuilder::Predicate::sge, v.add(firstColumn, kBlock * unit), sink.columns);
  ifThen(v, isLast, [&] {
    Value zero = v.constant(type, 0);
    for (int i = unit; i < int(kScaleTileBlocks); i += unit)
      ifThen(v, v.less(inWord, v.i32(kScaleTileBlocks - i)),
             [&] { nvvm::store(v, zero, nvvm::offsetBytes(v, address, v.i64(i)), unit); });
  });
}

mx::ScaleLayoutKind layoutOf(const mx::QuantizedCopy &copy) {
  return mx::ScaleLayoutKind(*mx::scaleLayoutOf(cast<MemRefType>(copy.scales.getType())));
}

// Where the scales of row `row`, among them, begin that are of column `firstColumn` of c.
Value scaleAddress(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy, Value row,
                   Value firstColumn) {
  Value base = sink.function.pointer(sink.nameOf(copy.scales));
  Value block = v.divu(firstColumn, kBlock), all = v.ceilDivu(sink.columns, kBlock);
  return nvvm::offsetBytes(v, base, scaleOffset(v, layoutOf(copy), row, block, {Value(), all}));
}

class QuantizedBox {
public:
  QuantizedBox(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy, Value values,
               const ResultBox &box)
      : sink_(sink), v_(v), copy_(copy), values_(values), box_(box),
        arePairs_(sink.fragment == ResultFragment::WarpgroupPairs), rows_(arePairs_ ? 2 : 1),
        lanes_(arePairs_ ? 4 : std::max(1, kBlock / elements(values))),
        blocks_(elements(values) * lanes_ / rows_ / kBlock) {
    if (lanes_ > 1) inBlock_ = v.bitAnd(box.rowsOfCta.thread, lanes_ - 1);
  }

  void store() const {
    SmallVector<Value> blocks, valid;
    for (int row = 0; row < rows_; ++row)
      for (int block = 0; block < blocks_; ++block) {
        blocks.push_back(elementsOf(row, block));
        valid.push_back(exists(row, block));
      }
    EncodedBlocks encoded = encodeBlocks(v_, sink_.rule, CopyTypes(copy_), blocks, valid, lanes_);
    if (mustClear(sink_.rule)) // padding is 0, and a block of zeros is not
      for (auto [scale, exists] : llvm::zip(encoded.scales, valid))
        scale = v_.select(exists, scale, v_.i32(0));
    for (int row = 0; row < rows_; ++row) {
      for (int block = 0; block < blocks_; ++block)
        storeCodes(encoded.codes[row * blocks_ + block], valid[row * blocks_ + block], row, block);
      storeScales(ArrayRef(encoded.scales).slice(row * blocks_, blocks_),
                  ArrayRef(valid).slice(row * blocks_, blocks_), row);
    }
  }

private:
  static int elements(Value values) { return int(cast<VectorType>(values.getType()).getNumElements()); }
  bool arePieces() const { return lanes_ > 1 && !arePairs_; }

  Value rowOf(int row) const { return sink_.rowOf(v_, box_, 2 * row); }
  bool hasWholeBlocks() const { return sink_.store == mx::ResultStore::Tensor; }
  Value exists(int row, int block) const {
    Value inColumns = v_.less(v_.add(box_.firstColumn, kBlock * block), sink_.columns);
    return v_.bitAnd(v_.less(rowOf(row), box_.rows), inColumns);
  }

  // The lane's elements of a block; past the row's end zeros, which count as padding.
  Value elementsOf(int row, int block) const {
    SmallVector<Value> elements;
    for (int i = 0; i < kBlock / lanes_; ++i) {
      const int index = arePairs_ ? 4 * (kBlock / 8 * block + i / 2) + 2 * row + i % 2 : kBlock * block + i;
      Value element = nvvm::element(v_, values_, index);
      if (!hasWholeBlocks()) {
        Value zero = arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(0));
        element = v_.select(v_.less(sink_.columnOf(v_, box_, index), sink_.columns), element, zero);
      }
      elements.push_back(element);
    }
    return nvvm::fromElements(v_, VectorType::get(kBlock / lanes_, v_.b.getF32Type()), elements);
  }

  // From lane t's columns 8 j + 2 t and 8 j + 2 t + 1, which are half j of its two words, to its columns 8 t
  // to 8 t + 7: half j of lane t goes to lane j, as its half t.
  Value exchanged(Value codes) const {
    auto isSet = [&](int bit) {
      return v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(inBlock_, bit), v_.i32(0));
    };
    auto lowHalves = [&](Value x, Value y) { return nvvm::permuteBytes(v_, x, y, v_.i32(0x5410)); };
    auto highHalves = [&](Value x, Value y) { return nvvm::permuteBytes(v_, x, y, v_.i32(0x7632)); };
    Value first = nvvm::element(v_, codes, 0), second = nvvm::element(v_, codes, 1), isUpper = isSet(2),
          isOdd = isSet(1);
    Value partner = nvvm::shuffleXor(v_, v_.select(isUpper, first, second), 2);
    Value ofLower = v_.select(isUpper, partner, first), ofUpper = v_.select(isUpper, second, partner);
    Value low = lowHalves(ofLower, ofUpper), high = highHalves(ofLower, ofUpper);
    Value own = v_.select(isOdd, high, low);
    partner = nvvm::shuffleXor(v_, v_.select(isOdd, low, high), 1);
    Value ofEven = v_.select(isOdd, partner, own), ofOdd = v_.select(isOdd, own, partner);
    return nvvm::fromElements(v_, codes.getType(), {lowHalves(ofEven, ofOdd), highHalves(ofEven, ofOdd)});
  }

  void storeCodes(Value codes, Value exists, int row, int block) const {
    std::string name = sink_.nameOf(copy_.data);
    Value column = v_.add(box_.firstColumn, kBlock * block);
    if (arePairs_) codes = exchanged(codes);
    if (lanes_ > 1) column = v_.add(column, v_.mul(inBlock_, kBlock / lanes_));
    Value index = v_.add(v_.mul(v_.toI64(rowOf(row)), sink_.function.stride(name, 0)), v_.toI64(column));
    Value address = nvvm::offsetBytes(v_, sink_.function.pointer(name), index);
    constexpr int kBytes = kBlock; // of a block
    const int bytes = kBytes / lanes_;
    if (hasWholeBlocks()) return nvvm::storeIf(v_, exists, codes, address, std::min(bytes, 16));
    auto storeBytes = [&] {
      Value each = nvvm::bitcast(v_, VectorType::get(bytes, v_.b.getI8Type()), codes);
      for (int i = 0; i < bytes; ++i)
        ifThen(v_, v_.bitAnd(exists, v_.less(v_.add(column, i), sink_.columns)), [&] {
          nvvm::store(v_, nvvm::element(v_, each, i), nvvm::offsetBytes(v_, address, v_.i64(i)), 1);
        });
    };
    if (!arePieces()) return storeBytes();
    Value number = LLVM::PtrToIntOp::create(v_.b, v_.loc, v_.b.getI64Type(), address);
    Value isWhole = v_.bitAnd(v_.equal(v_.bitAnd(number, bytes - 1), v_.i64(0)),
                              v_.less(v_.add(column, bytes - 1), sink_.columns));
    auto branch = scf::IfOp::create(v_.b, v_.loc, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    nvvm::storeIf(v_, exists, codes, address, bytes);
    v_.b.setInsertionPointToStart(branch.elseBlock());
    storeBytes();
  }

  // One lane of those that have the row stores them.
  void storeScales(ArrayRef<Value> codes, ArrayRef<Value> exists, int row) const {
    Value scaleRow = v_.add(box_.rowsOfCta.scaleRow, v_.sub(rowOf(row), box_.rowsOfCta.row));
    Value address = scaleAddress(sink_, v_, copy_, scaleRow, box_.firstColumn);
    auto byLane = [&](Value condition) {
      return lanes_ > 1 ? v_.bitAnd(condition, v_.equal(inBlock_, v_.i32(row))) : condition;
    };
    auto byte = [&](Value code) { return arith::TruncIOp::create(v_.b, v_.loc, v_.b.getI8Type(), code); };
    if (layoutOf(copy_) == mx::ScaleLayoutKind::Dense) {
      for (auto [i, code, there] : llvm::enumerate(codes, exists))
        ifThen(v_, byLane(there),
               [&] { nvvm::store(v_, byte(code), nvvm::offsetBytes(v_, address, v_.i64(int64_t(i))), 1); });
      return;
    }
    // A unit of the box's blocks, of rows past the last one, too, unless clearScalesPast does those.
    const int unit = int(codes.size());
    Value scales = codes[0];
    if (unit == 2) scales = v_.bitOr(scales, v_.shl(codes[1], 8));
    Value firstRow = arePieces() ? rowOf(row) : box_.rowsOfCta.row;
    Value isBox = v_.bitAnd(v_.less(firstRow, box_.rows), v_.less(box_.firstColumn, sink_.columns));
    ifThen(v_, byLane(isBox), [&] { storeUnit(sink_, v_, address, box_.firstColumn, scales, unit); });
  }

  const ResultSink &sink_;
  const ValueBuilder &v_;
  const mx::QuantizedCopy &copy_;
  Value values_;
  const ResultBox &box_;
  bool arePairs_;
  int rows_, lanes_, blocks_; // of a lane; that share a block; of a row
  Value inBlock_;             // of those lanes
};

} // namespace

void storeQuantizedRows(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy,
                        Value values, const ResultBox &box) {
  QuantizedBox(sink, v, copy, values, box).store();
}

void clearScalesPast(const ResultSink &sink, const ValueBuilder &v, const mx::QuantizedCopy &copy, Value last,
                     Value firstColumn, int columns, Value thread) {
  if (layoutOf(copy) == mx::ScaleLayoutKind::Dense) return;
  Value row = v.add(v.add(last, thread), 1), tile = v.divu(row, kScaleTileRows);
  ifThen(v, v.equal(tile, v.divu(last, kScaleTileRows)), [&] {
    storeUnit(sink, v, scaleAddress(sink, v, copy, row, firstColumn), firstColumn, v.i32(0),
              columns / kBlock);
  });
}

} // namespace mxc
