// The role of the spare warps: bf16 copies of both operands, each element once in the whole grid, in the
// order in which tiles need them. A warp takes a unit, 32 rows x 128 elements of K, by a ticket: whoever runs
// makes progress, so no CTA waits for one that is not resident.
#include "compiler/lowering/Branch.h"
#include "compiler/lowering/matmul/OperandCopies.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {
struct Unit {                  // i32, but isA: i1
  Value batch, isA, row, slab; // of 32 rows, of 128 elements along K
};
} // namespace

// Of a alone, slab after slab.
static Unit unitOfA(const OperandCopies &copies, const ValueBuilder &v, Value ticket) {
  Value units = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        perBatch = v.mul(units, copies.slabs());
  Value batch = v.divu(ticket, perBatch), t = v.remu(ticket, perBatch);
  return {batch, v.i1(true), v.remu(t, units), v.divu(t, units)};
}

static Value ceilDiv(const ValueBuilder &v, Value x, Value y) {
  return v.divu(v.add(x, v.sub(y, v.i32(1))), y);
}

// Tickets of a batch count through three lists, slab after slab over some rows: what the first wave of tiles
// reads of a and b; then the rest of b, and the rest of a, in panels as high as what the first wave reads.
static Unit unitOf(const MatmulEntry &e, const OperandCopies &copies, const ValueBuilder &v, Value ticket) {
  const mx::MatmulTileAttr &tile = e.plan.tile;
  Value slabs = copies.slabs();
  Value unitsA = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        unitsB = v.mul(copies.blocks(true), copies.plan().unitsPerBlock());
  Value perBatch = v.mul(v.add(unitsA, unitsB), slabs);
  Value batch = v.divu(ticket, perBatch), t = v.remu(ticket, perBatch);

  Value clusters = v.divu(nvvm::gridSize(v, nvvm::Dim::X), e.plan.ctas());
  Value columns = ceilDiv(v, clusters, v.i32(tile.getSupergroup())); // of tiles in the first wave
  Value firstA = v.minu(unitsA, v.i32(tile.getSupergroup() * tile.getM() / kUnitRows));
  Value firstB = v.minu(unitsB, v.mul(columns, tile.getN() / kUnitRows));
  Value first = v.add(firstA, firstB);
  Value endFirst = v.mul(first, slabs), endB = v.mul(v.add(firstA, unitsB), slabs);
  Value isFirst = v.cmp(ValueBuilder::Predicate::ult, t, endFirst),
        isB = v.cmp(ValueBuilder::Predicate::ult, t, endB);
  auto choose = [&](Value x, Value y, Value z) { return v.select(isFirst, x, v.select(isB, y, z)); };

  Value inList = v.sub(t, choose(v.i32(0), endFirst, endB)), panel = choose(first, firstB, firstA);
  Value rows = choose(first, v.sub(unitsB, firstB), v.sub(unitsA, firstA));
  Value perPanel = v.mul(panel, slabs), number = v.divu(inList, perPanel), inPanel = v.remu(inList, perPanel);
  Value above = v.mul(number, panel), height = v.minu(panel, v.sub(rows, above));
  Value slab = v.divu(inPanel, height), row = v.add(above, v.remu(inPanel, height));
  Value firstIsA = v.cmp(ValueBuilder::Predicate::ult, row, firstA);
  Value isA = v.select(isFirst, firstIsA, v.cmp(ValueBuilder::Predicate::uge, t, endB));
  row = choose(v.select(firstIsA, row, v.sub(row, firstA)), v.add(row, firstB), v.add(row, firstA));
  return {batch, isA, row, slab};
}

namespace {
// A lane's part of a unit: 16 elements of 8 rows, 4 rows apart.
class UnitCopy {
public:
  UnitCopy(const MatmulEntry &e, const OperandCopies &copies, const ValueBuilder &v, const Unit &unit,
           bool isB)
      : e_(e), copies_(copies), v_(v), unit_(unit), isB_(isB), operand_(isB ? e.op.getB() : e.op.getA()),
        scales_(isB ? e.op.getScalesB() : e.op.getScalesA()), rows_(isB ? e.n : e.m) {
    lane_ = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 31);
    column_ = v.add(v.mul(unit.slab, kStepK), v.mul(v.bitAnd(lane_, 7), kElements));
    firstRow_ = v.add(v.mul(unit.row, kUnitRows), v.shru(lane_, 3));
  }

  /// Between loads and stores of this unit the one before is published: its stores land while the loads are
  /// under way. Returns the unit's count.
  Value emit(Value countBefore) {
    constexpr int kRows = 8;
    if (e_.plan.loadsBoxes()) {
      copyRows(firstRow_, kRows, [&] { publish(v_, countBefore); });
    } else {
      publish(v_, countBefore);
      steps::forRange(v_, v_.i32(0), v_.i32(kRows),
                      [&](Value i) { copyRows(v_.add(firstRow_, v_.mul(i, kRowStep)), 1, [] {}); });
    }
    Value counts = copies_.counts(v_, isB_, unit_.batch, v_.divu(unit_.row, copies_.plan().unitsPerBlock()));
    return nvvm::offsetBytes(v_, counts, v_.toI64(v_.mul(unit_.slab, 4)));
  }

  static void publish(const ValueBuilder &v, Value count) {
    Value none = nvvm::nullPointer(v, count.getType());
    ifThen(v, nvvm::differs(v, count, none), [&] { mx::PublishOp::create(v.b, v.loc, count); });
  }

private:
  static constexpr int kElements = 16, kRowStep = 4;

  void copyRows(Value first, int count, function_ref<void()> behindLoads) {
    SmallVector<Value> rows, codes, bytes;
    for (int i = 0; i < count; ++i) {
      rows.push_back(v_.add(first, kRowStep * i));
      codes.push_back(loadCodes(rows.back()));
      bytes.push_back(loadScale(rows.back()));
    }
    behindLoads();
    for (auto [row, code, byte] : llvm::zip(rows, codes, bytes))
      store(row, code, byte);
  }

  Value isInside(Value row) { return v_.bitAnd(v_.less(row, rows_), v_.less(column_, e_.k)); }

  Value loadCodes(Value row) {
    std::string name = e_.nameOf(operand_);
    int rank = cast<MemRefType>(operand_.getType()).getRank();
    Value column = column_;
    if (e_.plan.loadsBoxes()) { // lanes outside read what lies inside, and store nothing
      row = v_.minu(row, v_.sub(rows_, v_.i32(1)));
      column = v_.minu(column, v_.sub(e_.k, v_.i32(kElements)));
    }
    Value at = v_.add(v_.mul(v_.toI64(row), e_.entry.stride(name, rank - 2)), v_.toI64(column));
    if (e_.isBatched()) at = v_.add(at, v_.mul(v_.toI64(unit_.batch), e_.entry.stride(name, 0)));
    Value from = nvvm::offsetBytes(v_, e_.entry.pointer(name), at);
    auto type = VectorType::get(kElements, v_.b.getI8Type());
    if (e_.plan.loadsBoxes()) return nvvm::load(v_, type, from, kElements);
    SmallVector<Value> bytes; // at any address, to the end of the row
    for (int i = 0; i < kElements; ++i) {
      Value inside = v_.bitAnd(v_.less(row, rows_), v_.less(v_.add(column_, i), e_.k));
      bytes.push_back(steps::whereElseZero(v_, inside, v_.b.getI8Type(), [&] {
        return nvvm::load(v_, v_.b.getI8Type(), nvvm::offsetBytes(v_, from, v_.i64(i)), 1);
      }));
    }
    return nvvm::fromElements(v_, type, bytes);
  }

  // Tiles of scales are whole: there is a byte for every row of a unit.
  Value loadScale(Value row) {
    Value block = v_.divu(column_, 32), layout = v_.mul(copies_.slabs(), 4);
    Value tiles = v_.mul(v_.toI64(copies_.blocks(isB_)), v_.toI64(copies_.slabs()));
    auto kind = mx::ScaleLayoutAttr::get(v_.b.getContext(), mx::ScaleLayoutKind::Tcgen05);
    Value at = mx::ScaleOffsetOp::create(v_.b, v_.loc, v_.b.getI64Type(), v_.toI64(row), v_.toI64(block),
                                         v_.toI64(layout), kind);
    at = v_.add(at, v_.mul(v_.mul(v_.toI64(unit_.batch), tiles), kScaleTileBytes));
    Value byte =
        nvvm::load(v_, v_.b.getI8Type(), nvvm::offsetBytes(v_, e_.entry.pointer(e_.nameOf(scales_)), at), 1);
    return arith::ExtUIOp::create(v_.b, v_.loc, v_.b.getI32Type(), byte);
  }

  void store(Value row, Value codes, Value byte) {
    Value scale = mx::DecodeScaleOp::create(v_.b, v_.loc, v_.b.getF32Type(), byte);
    auto element = TypeAttr::get(cast<MemRefType>(operand_.getType()).getElementType());
    Value values = mx::ConvertUnpackOp::create(v_.b, v_.loc, VectorType::get(kElements, v_.b.getBF16Type()),
                                               codes, scale, element);
    values = nvvm::bitcast(v_, VectorType::get(kElements / 2, v_.b.getI32Type()), values);
    if (copies_.plan().forFragments) return storeForFragments(row, values);
    ifThen(v_, isInside(row), [&] {
      Value to = nvvm::offsetBytes(v_, copies_.row(v_, isB_, unit_.batch, row), v_.mul(v_.toI64(column_), 2));
      for (int half = 0; half < 2; ++half) {
        SmallVector<Value> words;
        for (int word = 0; word < 4; ++word)
          words.push_back(nvvm::element(v_, values, 4 * half + word));
        nvvm::store(v_, nvvm::fromElements(v_, VectorType::get(4, v_.b.getI32Type()), words),
                    nvvm::offsetBytes(v_, to, v_.i64(16 * half)), 16);
      }
    });
  }

  // Element 32 t + 4 j + i of a slab lies at 16 j + 2 t + i % 2 + i / 2 * 8; what is behind K is zero.
  void storeForFragments(Value row, Value values) {
    Value inK = v_.less(column_, e_.k), chunk = v_.bitAnd(lane_, 7);
    ifThen(v_, v_.less(row, rows_), [&] {
      Value slab = nvvm::offsetBytes(v_, copies_.row(v_, isB_, unit_.batch, row),
                                     v_.mul(v_.toI64(unit_.slab), 2 * kStepK));
      Value first = v_.add(v_.mul(v_.bitAnd(chunk, 1), 4 * 32), v_.mul(v_.shru(chunk, 1), 4)); // bytes
      Value to = nvvm::offsetBytes(v_, slab, v_.toI64(first));
      for (int word = 0; word < kElements / 2; ++word) {
        Value pair = v_.select(inK, nvvm::element(v_, values, word), v_.i32(0));
        nvvm::store(v_, pair, nvvm::offsetBytes(v_, to, v_.i64(word / 2 * 32 + word % 2 * 16)), 4);
      }
    });
  }

  const MatmulEntry &e_;
  const OperandCopies &copies_;
  const ValueBuilder &v_;
  const Unit &unit_;
  bool isB_;
  Value operand_, scales_, rows_, lane_, column_, firstRow_;
};
} // namespace

void emitDequantizeOperands(const MatmulEntry &e, const OperandCopies &copies, int firstWarp, int warps) {
  bool both = copies.plan().both;
  emitPlainRole(e, "dequantize", firstWarp, warps, /*leader=*/false, [&](const ValueBuilder &v) {
    Value blocks = v.mul(v.add(copies.blocks(false), copies.blocks(true)), e.batches);
    Value units = v.mul(v.mul(blocks, copies.plan().unitsPerBlock()), copies.slabs());
    auto ticket = [&]() -> Value {
      return mx::TicketOp::create(v.b, v.loc, v.b.getI32Type(), copies.tickets(v));
    };
    // The next ticket is under way while a unit is worked on; the unit before is not published yet.
    Type i32 = v.b.getI32Type(), pointer = nvvm::pointerType(v.b.getContext(), 1);
    Value none = nvvm::nullPointer(v, pointer);
    auto loop = scf::WhileOp::create(v.b, v.loc, TypeRange{i32, pointer}, ValueRange{ticket(), none});
    {
      OpBuilder::InsertionGuard guard(v.b);
      Block *before = v.b.createBlock(&loop.getBefore(), {}, {i32, pointer}, {v.loc, v.loc});
      Value hasUnit = v.cmp(ValueBuilder::Predicate::ult, before->getArgument(0), units);
      scf::ConditionOp::create(v.b, v.loc, hasUnit, before->getArguments());
      Block *after = v.b.createBlock(&loop.getAfter(), {}, {i32, pointer}, {v.loc, v.loc});
      Value next = ticket();
      Value mine = after->getArgument(0), countBefore = after->getArgument(1);
      Unit unit = both ? unitOf(e, copies, v, mine) : unitOfA(copies, v, mine);
      Value count;
      if (both) {
        auto branch = scf::IfOp::create(v.b, v.loc, pointer, unit.isA, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard inBranch(v.b);
        for (bool isB : {false, true}) {
          v.b.setInsertionPointToStart(isB ? branch.elseBlock() : branch.thenBlock());
          scf::YieldOp::create(v.b, v.loc, UnitCopy(e, copies, v, unit, isB).emit(countBefore));
        }
        count = branch.getResult(0);
      } else {
        count = UnitCopy(e, copies, v, unit, /*isB=*/false).emit(countBefore);
      }
      scf::YieldOp::create(v.b, v.loc, ValueRange{next, count});
    }
    UnitCopy::publish(v, loop.getResult(1));
    copies.leave(v);
  });
}

} // namespace mxc
