// Rows of codes to bf16 in the order in which the other operand's fragments have them: elements of 8 bits,
// blocks of 32 under ue8m0.
//
//   element 32 t + 4 j + i of a slab  ->  16-byte piece 2 j + i / 2, word t, half i % 2 of it
//
// Four lanes have a row. Each loads two steps j of all four blocks t: 8 codes of each; one
// word has the row's four scales. Two lanes beside each other exchange halves of the steps then, so
// that each makes whole pieces of all four steps, and both together store sectors of 32 bytes.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/CompactScaleRow.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/product/copies/UnitCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kBlocks = kScaleTileBlocks, kSteps = 2, kRunBytes = 4 * kSteps; // of a lane: of each block
constexpr int kRowStep = 8;                                                   // between its rows

class FragmentPiece {
public:
  FragmentPiece(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                const CopyUnit &unit, bool isB, Value firstRow)
      : e_(e), copies_(copies), v_(v), unit_(unit), isB_(isB), operand_(isB ? e.op.getB() : e.op.getA()),
        element_(cast<MemRefType>(operand_.getType()).getElementType()) {
    Value lane = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 31);
    quarter_ = v.bitAnd(lane, 3), inEight_ = v.shru(lane, 2);
    row_ = v.add(firstRow, inEight_);
    last_ = v.sub(isB ? e.n : e.m, v.i32(1));
    count_ = pieceRows(copies.plan()) / kRowStep;
    Value first = v.add(v.mul(unit.slab, kStepK), v.mul(quarter_, kRunBytes));
    for (int block = 0; block < kBlocks; ++block) {
      columns_[block] = v.add(first, block * kBlockColumns);
      inside_[block] = v.less(columns_[block], e.k);
    }
  }

  void emit(function_ref<void()> behindLoads) {
    loadScales();
    loadCodes();
    behindLoads();
    const CodesToBf16 convert(v_, element_);
    SmallVector<Value> words;
    for (const auto &row : codes_)
      for (Value run : row)
        for (int step = 0; step < kSteps; ++step)
          words.push_back(nvvm::element(v_, run, step));
    Value special = convert.isSpecial(words, {});
    for (Value four : scales_)
      special = v_.bitOr(special, convert.isSpecial(four));
    exchange();
    Value any = v_.cmp(ValueBuilder::Predicate::ne, nvvm::ballot(v_, special), v_.i32(0));
    auto branch = scf::IfOp::create(v_.b, v_.loc, any, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    store([&](int row, int block) {
      SmallVector<Value> pairs = convert.specialPairs(codes_[row][block], scaleOf(row, block));
      for (Value &pair : pairs)
        pair = v_.select(inside_[block], pair, v_.i32(0));
      return pairs;
    });
    v_.b.setInsertionPointToStart(branch.elseBlock());
    store([&](int row, int block) {
      Value none = nvvm::bitcast(v_, VectorType::get(2, v_.b.getBF16Type()), v_.i32(0));
      Value factor = v_.select(inside_[block], convert.factor(scaleOf(row, block)), none);
      SmallVector<Value> pairs;
      for (int pair = 0; pair < 2 * kSteps; ++pair)
        pairs.push_back(convert.pair(nvvm::element(v_, codes_[row][block], pair / 2), pair % 2, factor));
      return pairs;
    });
  }

private:
  // A word a row.
  void loadScales() {
    Value scales = isB_ ? e_.op.getScalesB() : e_.op.getScalesA(),
          from = e_.function.pointer(e_.nameOf(scales));
    Value layout = v_.mul(copies_.slabs(), kScaleTileBlocks), block = v_.mul(unit_.slab, kScaleTileBlocks);
    Value tiles = v_.mul(v_.toI64(v_.ceilDivu(v_.add(last_, 1), kScaleTileRows)), v_.toI64(copies_.slabs()));
    auto kind = mx::ScaleLayoutAttr::get(v_.b.getContext(), mx::ScaleLayoutKind::Tcgen05);
    auto load = [&](Value row, int64_t rowsAfter) {
      Value at = mx::ScaleOffsetOp::create(v_.b, v_.loc, v_.b.getI64Type(), v_.toI64(row), v_.toI64(block),
                                           v_.toI64(layout), kind);
      at = v_.add(at, v_.mul(v_.mul(v_.toI64(unit_.batch), tiles), kScaleTileBytes));
      Value first = nvvm::offsetBytes(v_, from, at);
      scales_.push_back(
          nvvm::load(v_, v_.b.getI32Type(), nvvm::offsetBytes(v_, first, v_.i64(rowsAfter * 16)), 4));
    };
    if (!isB_ && e_.hasCompactGroups()) {
      SmallVector<Value> rows;
      for (int i = 0; i < count_; ++i)
        rows.push_back(v_.minu(v_.add(row_, i * kRowStep), last_));
      for (Value row :
           compactScaleRows(e_.function, v_, e_.nameOf(e_.op.getEnds()), e_.groups, rows, e_.scaleRowsA(v_)))
        load(row, 0);
      return;
    }
    // Tiles of scales are whole, and a piece lies in one: it has those of every row of a unit that has a row
    // of the operand; blocks of other heights may have units past all of them.
    Value row = row_;
    if (copies_.plan().blockRows != kScaleTileRows)
      row = v_.minu(row, v_.add(v_.bitAnd(last_, -pieceRows(copies_.plan())), inEight_));
    for (int i = 0; i < count_; ++i)
      load(row, i * kRowStep);
  }

  // Where there is nothing lanes read what lies inside.
  void loadCodes() {
    const int rank = cast<MemRefType>(operand_.getType()).getRank();
    Value stride = e_.function.stride(e_.nameOf(operand_), rank - 2),
          pointer = e_.function.pointer(e_.nameOf(operand_));
    Value first = v_.minu(row_, last_), left = v_.sub(last_, first);
    Value before = v_.mul(v_.toI64(first), stride);
    if (rank > 2) before = v_.add(before, e_.elementsBefore(v_, operand_, unit_.batch));
    Value row = nvvm::offsetBytes(v_, pointer, before), column[kBlocks];
    for (int block = 0; block < kBlocks; ++block)
      column[block] = v_.toI64(v_.minu(columns_[block], v_.sub(e_.k, v_.i32(kRunBytes))));
    auto type = VectorType::get(kSteps, v_.b.getI32Type());
    for (int i = 0; i < count_; ++i) {
      Value below = v_.mul(v_.toI64(v_.minu(v_.i32(i * kRowStep), left)), stride),
            from = i ? nvvm::offsetBytes(v_, row, below) : row;
      codes_.emplace_back();
      for (Value at : column)
        codes_.back().push_back(nvvm::load(v_, type, nvvm::offsetBytes(v_, from, at), kRunBytes));
    }
  }

  // The lower two of a step's four codes in a block make one piece, the upper two the next: the even lane
  // gets the lower ones of both lanes' steps, the odd one the upper ones. Two lanes of a row have the same
  // blocks and scales.
  void exchange() {
    constexpr int64_t kLower = 0x5410, kUpper = 0x7632;
    Value isOdd = v_.equal(v_.bitAnd(quarter_, 1), v_.i32(1));
    Value kept = v_.select(isOdd, v_.i32(kUpper), v_.i32(kLower)),
          sent = v_.select(isOdd, v_.i32(kLower), v_.i32(kUpper));
    for (SmallVector<Value, kBlocks> &row : codes_)
      for (Value &run : row) {
        Value first = nvvm::element(v_, run, 0), second = nvvm::element(v_, run, 1);
        Value own = nvvm::permuteBytes(v_, first, second, kept),
              others = nvvm::shuffleXor(v_, nvvm::permuteBytes(v_, first, second, sent), 1);
        run = nvvm::fromElements(v_, run.getType(),
                                 {v_.select(isOdd, others, own), v_.select(isOdd, own, others)});
      }
  }

  Value scaleOf(int row, int block) {
    return nvvm::permuteBytes(v_, scales_[row], v_.i32(0), v_.i32(0x4440 + block));
  }

  // `pairsOf` makes the pairs of a row's run in a block, in the order of its codes.
  void store(function_ref<SmallVector<Value>(int row, int block)> pairsOf) {
    constexpr int64_t kPiece = 16, kSector = 2 * kPiece;
    Value ofPair = v_.mul(v_.shru(quarter_, 1), 2 * kSteps * kSector),
          inSlab =
              v_.add(v_.mul(unit_.slab, 2 * kStepK), v_.add(ofPair, v_.mul(v_.bitAnd(quarter_, 1), kPiece)));
    Value to = nvvm::offsetBytes(v_, copies_.row(v_, isB_, unit_.batch, row_), v_.toI64(inSlab)),
          step = v_.mul(v_.toI64(copies_.slabs()), kRowStep * 2 * kStepK);
    for (int i = 0; i < count_; ++i) {
      if (i) to = nvvm::offsetBytes(v_, to, step);
      SmallVector<Value> pairs[kBlocks];
      for (int block = 0; block < kBlocks; ++block)
        pairs[block] = pairsOf(i, block);
      Value isRow = v_.cmp(ValueBuilder::Predicate::ule, v_.add(row_, i * kRowStep), last_);
      ifThen(v_, isRow, [&] {
        for (int piece = 0; piece < 2 * kSteps; ++piece) {
          SmallVector<Value> words;
          for (const SmallVector<Value> &ofBlock : pairs)
            words.push_back(ofBlock[piece]);
          nvvm::store(v_, nvvm::fromElements(v_, VectorType::get(kBlocks, v_.b.getI32Type()), words),
                      nvvm::offsetBytes(v_, to, v_.i64(kSector * piece)), kPiece);
        }
      });
    }
  }

  const ProductEntry &e_;
  const OperandCopies &copies_;
  const ValueBuilder &v_;
  const CopyUnit &unit_;
  bool isB_;
  Value operand_;
  Type element_;
  int count_ = 0;                            // rows of a lane
  Value quarter_, inEight_, row_, last_;     // the lane's two steps, its row in eight; the operand's last
  Value columns_[kBlocks], inside_[kBlocks]; // of its runs: the first element, whether K has them
  SmallVector<Value> scales_;                // of each row
  SmallVector<SmallVector<Value, kBlocks>> codes_; // of each row, the runs
};

} // namespace

void emitFragmentPiece(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                       const CopyUnit &unit, bool isB, Value firstRow, function_ref<void()> behindLoads) {
  FragmentPiece(e, copies, v, unit, isB, firstRow).emit(behindLoads);
}

} // namespace mxc
