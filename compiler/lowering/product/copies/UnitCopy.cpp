#include "compiler/lowering/product/copies/UnitCopy.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ElementBytes.h"
#include "compiler/lowering/groups/CompactScaleRow.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

void publishUnit(const ValueBuilder &v, Value count) {
  Value none = nvvm::nullPointer(v, count.getType());
  ifThen(v, nvvm::differs(v, count, none), [&] { mx::PublishOp::create(v.b, v.loc, count); });
}

namespace {

constexpr int kElements = 16; // of a lane, in a row
constexpr int kRowStep = 4;   // between a lane's rows: eight lanes have a row's 128 elements
constexpr int kScaleStep =
    kRowStep * 16; // bytes between their scales: a piece lies in one tile, 32 rows apart

// A lane's part of a piece.
class PieceCopy {
public:
  PieceCopy(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v, const CopyUnit &unit,
            bool isB, Value firstRow)
      : e_(e), copies_(copies), v_(v), unit_(unit), isB_(isB), operand_(isB ? e.op.getB() : e.op.getA()),
        scales_(isB ? e.op.getScalesB() : e.op.getScalesA()) {
    lane_ = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 31);
    column_ = v.add(v.mul(unit.slab, kStepK), v.mul(v.bitAnd(lane_, 7), kElements));
    row_ = v.add(firstRow, v.shru(lane_, 3));
    rows_ = isB ? e.n : e.m;
    inK_ = v.less(column_, e.k);
    count_ = pieceRows(copies.plan()) / kRowStep;
    element_ = cast<MemRefType>(operand_.getType()).getElementType();
    scale_ = cast<MemRefType>(scales_.getType()).getElementType();
    bits_ = int(element_.getIntOrFloatBitWidth());
  }

  void emit(function_ref<void()> behindLoads) {
    if (copies_.plan().byRuns) {
      if (!isB_ && e_.gathers()) findRows(count_);
      loadScales(count_);
      loadRuns();
      behindLoads();
      if (bits_ != 8) return storeAll(/*isQuick=*/false);
      Value special = CodesToBf16(v_, element_).isSpecial(words(), bytes_);
      auto branch = scf::IfOp::create(v_.b, v_.loc, special, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(v_.b);
      v_.b.setInsertionPointToStart(branch.thenBlock());
      storeAll(/*isQuick=*/false);
      v_.b.setInsertionPointToStart(branch.elseBlock());
      storeAll(/*isQuick=*/true);
    } else {
      behindLoads();
      steps::forRange(v_, v_.i32(0), v_.i32(count_), [&](Value i) {
        PieceCopy one = *this;
        one.row_ = v_.add(row_, v_.mul(i, kRowStep));
        if (!isB_ && e_.gathers()) one.findRows(1);
        one.loadScales(1);
        one.codes_ = {one.loadElements()};
        one.storeAll(/*isQuick=*/false);
      });
    }
  }

private:
  // A byte a row. Tiles of scales are whole: there is one for every row of a unit that has a row of the
  // operand.
  void loadScales(int count) {
    const int blockColumns = info(isB_ ? e_.op.getFormatB() : e_.op.getFormatA()).blockColumns;
    const bool isSlab = blockColumns == kBlockColumns && named_.empty(); // which has one tile of scales
    Value tilesOfRow = isSlab ? copies_.slabs() : v_.ceilDivu(e_.k, blockColumns * int64_t(kScaleTileBlocks));
    Value block = v_.divu(column_, blockColumns), layout = v_.mul(tilesOfRow, kScaleTileBlocks);
    if (!isSlab) block = v_.minu(block, v_.sub(layout, v_.i32(1))); // of lanes past K
    auto offsetOf = [&](Value row) -> Value {
      return mx::ScaleOffsetOp::create(
          v_.b, v_.loc, v_.b.getI64Type(), v_.toI64(row), v_.toI64(block), v_.toI64(layout),
          mx::ScaleLayoutAttr::get(v_.b.getContext(), mx::ScaleLayoutKind::Tcgen05));
    };
    Value scales = e_.function.pointer(e_.nameOf(scales_));
    auto load = [&](Value from) -> Value { return nvvm::load(v_, v_.b.getI8Type(), from, 1); };
    auto keep = [&](Value byte) {
      bytes_.push_back(arith::ExtUIOp::create(v_.b, v_.loc, v_.b.getI32Type(), byte));
    };
    for (const NamedRow &row : named_) {
      Value from = nvvm::offsetBytes(v_, scales, offsetOf(row.number));
      keep(steps::whereElseZero(v_, row.exists, v_.b.getI8Type(), [&] { return load(from); }));
    }
    if (!named_.empty()) return;
    if (!isB_ && e_.hasCompactGroups()) { // whose group says where
      SmallVector<Value> rows;
      for (int i = 0; i < count; ++i)
        rows.push_back(v_.add(row_, i * kRowStep));
      for (Value row :
           compactScaleRows(e_.function, v_, e_.nameOf(e_.op.getEnds()), e_.groups, rows, e_.scaleRowsA(v_)))
        keep(load(nvvm::offsetBytes(v_, scales, offsetOf(row))));
      return;
    }
    Value tiles = v_.mul(v_.toI64(v_.ceilDivu(rows_, kScaleTileRows)), v_.toI64(tilesOfRow)),
          at = offsetOf(row_);
    at = v_.add(at, v_.mul(v_.mul(v_.toI64(unit_.batch), tiles), kScaleTileBytes));
    Value first = nvvm::offsetBytes(v_, scales, at);
    for (int i = 0; i < count; ++i)
      keep(load(nvvm::offsetBytes(v_, first, v_.i64(i * kScaleStep))));
  }

  // For rows of a by index.
  void findRows(int count) {
    for (int i = 0; i < count; ++i)
      named_.push_back(namedRow(e_, v_, v_.add(row_, i * kRowStep), rows_));
  }

  // Bytes of elements, which are whole.
  Value bytesOf(Value elements) const { return bytesOfElements(v_, elements, bits_); }
  int64_t runBytes() const { return mx::storageBytes(element_, kElements); }

  Value rowStride() const { return bytesOf(e_.function.stride(e_.nameOf(operand_), rank() - 2)); }
  int rank() const { return cast<MemRefType>(operand_.getType()).getRank(); }

  Value codesAt(Value row, Value column) const {
    Value at = v_.add(bytesOf(v_.toI64(column)), v_.mul(v_.toI64(row), rowStride()));
    if (rank() > 2) at = v_.add(at, bytesOf(e_.elementsBefore(v_, operand_, unit_.batch)));
    return nvvm::offsetBytes(v_, e_.function.pointer(e_.nameOf(operand_)), at);
  }

  // Lanes outside read what lies inside, and store nothing.
  void loadRuns() {
    auto type = VectorType::get(runBytes(), v_.b.getI8Type());
    for (const NamedRow &row : named_) {
      Value run = codesAt(row.number, v_.minu(column_, v_.sub(e_.k, v_.i32(kElements))));
      codes_.push_back(steps::whereElseZero(
          v_, row.exists, type, [&] { return nvvm::load(v_, type, run, runBytes() & -runBytes()); }));
    }
    if (!named_.empty()) return;
    Value first = v_.minu(row_, v_.sub(rows_, v_.i32(1))), left = v_.sub(v_.sub(rows_, v_.i32(1)), first);
    Value from = codesAt(first, v_.minu(column_, v_.sub(e_.k, v_.i32(kElements))));
    for (int i = 0; i < count_; ++i) {
      Value below = v_.mul(v_.toI64(v_.minu(v_.i32(i * kRowStep), left)), rowStride());
      codes_.push_back(
          nvvm::load(v_, type, i ? nvvm::offsetBytes(v_, from, below) : from, runBytes() & -runBytes()));
    }
  }

  // At any address, to the end of the row.
  Value loadElements() {
    const bool isByIndex = !named_.empty();
    Value from = codesAt(isByIndex ? named_.front().number : row_, column_),
          isRow = isByIndex ? named_.front().exists : v_.less(row_, rows_);
    SmallVector<Value> bytes;
    for (int i = 0; i < runBytes(); ++i) {
      Value inside = v_.bitAnd(isRow, v_.less(v_.add(column_, i * 8 / bits_), e_.k));
      bytes.push_back(steps::whereElseZero(v_, inside, v_.b.getI8Type(), [&] {
        return nvvm::load(v_, v_.b.getI8Type(), nvvm::offsetBytes(v_, from, v_.i64(i)), 1);
      }));
    }
    return nvvm::fromElements(v_, VectorType::get(runBytes(), v_.b.getI8Type()), bytes);
  }

  SmallVector<Value> wordsOf(Value codes) const {
    Value four = nvvm::bitcast(v_, VectorType::get(kElements / 4, v_.b.getI32Type()), codes);
    SmallVector<Value> words;
    for (int i = 0; i < kElements / 4; ++i)
      words.push_back(nvvm::element(v_, four, i));
    return words;
  }
  SmallVector<Value> words() const {
    SmallVector<Value> all;
    for (Value codes : codes_)
      all.append(wordsOf(codes));
    return all;
  }

  void storeAll(bool isQuick) {
    const CodesToBf16 convert(v_, element_);
    Value row = copies_.row(v_, isB_, unit_.batch, row_),
          step = v_.mul(v_.toI64(copies_.slabs()), kRowStep * 2 * kStepK);
    for (size_t i = 0; i < codes_.size(); ++i) {
      if (i) row = nvvm::offsetBytes(v_, row, step);
      SmallVector<Value> pairs = isQuick ? convert.pairs(wordsOf(codes_[i]), bytes_[i])
                                         : convert.specialPairs(codes_[i], bytes_[i], scale_);
      Value isRow = v_.less(v_.add(row_, kRowStep * int64_t(i)), rows_);
      if (copies_.plan().forFragments)
        ifThen(v_, isRow, [&] { storeForFragments(row, pairs); });
      else
        ifThen(v_, v_.bitAnd(isRow, inK_), [&] { storeRun(row, pairs); });
    }
  }

  void storeRun(Value row, ArrayRef<Value> pairs) {
    Value to = nvvm::offsetBytes(v_, row, v_.mul(v_.toI64(column_), 2));
    auto type = VectorType::get(4, v_.b.getI32Type());
    for (int half = 0; half < 2; ++half)
      nvvm::store(v_, nvvm::fromElements(v_, type, pairs.slice(4 * half, 4)),
                  nvvm::offsetBytes(v_, to, v_.i64(16 * half)), 16);
  }

  // For elements below 8 bits: element 32 t + 4 j + i of a slab lies at 16 j + 2 t + i % 2 + i / 2 * 8; what
  // lies past K is zero.
  void storeForFragments(Value row, ArrayRef<Value> pairs) {
    Value chunk = v_.bitAnd(lane_, 7);
    Value slab = nvvm::offsetBytes(v_, row, v_.mul(v_.toI64(unit_.slab), 2 * kStepK));
    Value first = v_.add(v_.mul(v_.bitAnd(chunk, 1), 4 * 32), v_.mul(v_.shru(chunk, 1), 4)); // bytes
    Value to = nvvm::offsetBytes(v_, slab, v_.toI64(first));
    for (auto [word, pair] : llvm::enumerate(pairs))
      nvvm::store(v_, v_.select(inK_, pair, v_.i32(0)),
                  nvvm::offsetBytes(v_, to, v_.i64(int64_t(word / 2 * 32 + word % 2 * 16))), 4);
  }

  const ProductEntry &e_;
  const OperandCopies &copies_;
  const ValueBuilder &v_;
  const CopyUnit &unit_;
  bool isB_;
  int count_ = 0; // rows of a lane
  Value operand_, scales_, lane_, column_, row_, rows_, inK_;
  Type element_, scale_;
  int bits_;                         // of an element
  SmallVector<NamedRow> named_;      // of the lane's rows of a by index; none where there is no index
  SmallVector<Value> codes_, bytes_; // of each row: the bytes of 16 elements; the scale, i32
};

} // namespace

Value emitUnitCopy(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                   const CopyUnit &unit, bool isB, Value countBefore) {
  const CopyPlan &plan = copies.plan();
  Value first = v.mul(unit.row, plan.unitRows);
  Value none = nvvm::nullPointer(v, countBefore.getType());
  auto loop =
      scf::ForOp::create(v.b, v.loc, v.i32(0), v.i32(plan.unitRows), v.i32(pieceRows(plan)), countBefore);
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value firstRow = v.add(first, loop.getInductionVar());
    auto publish = [&] { publishUnit(v, loop.getRegionIterArg(0)); };
    const int bits =
        getElementTypeOrSelf((isB ? e.op.getB() : e.op.getA()).getType()).getIntOrFloatBitWidth();
    plan.forFragments &&bits == 8 ? emitFragmentPiece(e, copies, v, unit, isB, firstRow, publish)
                                  : PieceCopy(e, copies, v, unit, isB, firstRow).emit(publish);
    scf::YieldOp::create(v.b, v.loc, none);
  }
  Value counts = copies.counts(v, isB, unit.batch, v.divu(unit.row, plan.unitsPerBlock()));
  return nvvm::offsetBytes(v, counts, v.toI64(v.mul(unit.slab, 4)));
}

} // namespace mxc
