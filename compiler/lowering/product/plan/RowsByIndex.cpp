#include "compiler/lowering/product/plan/RowsByIndex.h"
#include "compiler/lowering/entry/ScaleTile.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"

using namespace mlir;

namespace mxc {

static constexpr int kLanes = 32;
static constexpr int kCodePiece = 16, kScalePiece = 4;       // bytes
static constexpr int kPiecesOfRow = kStepBytes / kCodePiece; // that as many lanes have
static constexpr int kRowsAtOnce = kLanes / kPiecesOfRow;

NamedRow namedRow(const ProductEntry &e, const ValueBuilder &v, Value row, Value end) {
  const GatheredRow found = gatheredRow(e.function, e.function.pointer(e.nameOf(e.op.getGather())),
                                        v.toI64(row), v.less(row, end), e.function.extent("T"));
  return {v.select(found.isThere, v.toI32(found.source), v.i32(0)), found.isThere};
}

LaneRows::LaneRows(const ProductEntry &e, const ValueBuilder &v, Value first, Value end, int count)
    : e_(e), count_(count) {
  lane_ = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), kLanes - 1);
  for (int from = 0; from < count; from += kLanes) {
    Value inTile = v.add(lane_, from);
    const NamedRow row = namedRow(e, v, v.add(first, inTile), end);
    rows_.push_back(v.select(row.exists, row.number, v.i32(-1)));
  }
}

namespace {
// What an mx.copy_pieces names.
struct Pieces {
  const ProductEntry &e;
  const ValueBuilder &v;
  SmallVector<Value> sources, places, there;

  void add(Value base, Value row, Value offset, Value place, Value isStep) {
    Value isRow = v.cmp(ValueBuilder::Predicate::sge, row, v.i32(0));
    sources.push_back(nvvm::offsetBytes(v, base, offset));
    places.push_back(place), there.push_back(v.bitAnd(isRow, isStep));
  }
  void copy(Value ring, Value stage, int part, int bytes, int count) {
    mx::CopyPiecesOp::create(v.b, v.loc, sources, places, there, ring, stage, v.b.getI32IntegerAttr(part),
                             v.b.getI32IntegerAttr(bytes), v.b.getI32IntegerAttr(count));
  }
};
} // namespace

static Value known(const ValueBuilder &v, Value row) { // to be multiplied: no row is the first one, unread
  return v.toI64(v.select(v.less(row, v.i32(0)), v.i32(0), row));
}

void LaneRows::copyCodes(const ValueBuilder &v, Value column, Value ring, Value stage, int part,
                         int64_t offset) const {
  const std::string name = e_.nameOf(e_.op.getA());
  Value inRow = v.bitAnd(lane_, kPiecesOfRow - 1), above = v.divu(lane_, kPiecesOfRow);
  Value element = v.add(column, v.mul(inRow, kCodePiece)), isStep = v.less(element, e_.k);
  Pieces pieces{e_, v, {}, {}, {}};
  for (int first = 0; first < count_; first += kRowsAtOnce) {
    Value row = nvvm::shuffleFrom(v, rows_[first / kLanes], v.add(above, first % kLanes));
    Value before = v.mul(known(v, row), e_.function.stride(name, 0));
    Value inSwizzle = v.bitXor(inRow, v.add(above, first % kPiecesOfRow));
    Value place = v.add(v.mul(v.add(above, first), kStepBytes), v.mul(inSwizzle, kCodePiece));
    pieces.add(e_.function.pointer(name), row, v.add(before, v.toI64(element)), v.add(place, offset), isStep);
  }
  pieces.copy(ring, stage, part, kCodePiece, count_ * kPiecesOfRow);
}

void LaneRows::copyScales(const ValueBuilder &v, Value step, Value ring, Value stage, int part,
                          int64_t offset) const {
  auto type = cast<MemRefType>(e_.op.getScalesA().getType());
  const bool areLines = mx::scaleLayoutOf(type) == ScaleLayout::MnMajor;
  Value steps = v.ceilDivu(e_.k, kStepK), isStep = v.less(step, steps);
  Pieces pieces{e_, v, {}, {}, {}};
  for (auto [i, row] : llvm::enumerate(rows_)) {
    const int64_t first = int64_t(i) * kLanes;
    Value number = known(v, row), piece, place;
    if (areLines) {
      Value line = v.mul(v.toI64(step), v.toI64(v.mul(v.ceilDivu(e_.rowsA, 4), 4)));
      piece = v.mul(v.add(line, number), kScalePiece);
      place = v.add(v.mul(lane_, kScalePiece), first * kScalePiece + offset);
    } else {
      Value tile = v.add(v.mul(v.shru(number, 7), v.toI64(steps)), v.toI64(step));
      piece = v.add(v.mul(tile, kScaleTileBytes), wordInScaleTile(v, number));
      place = v.add(v.mul(lane_, 16),
                    first / kScaleTileRows * kScaleTileBytes + first / kLanes % 4 * kScalePiece);
    }
    pieces.add(e_.function.pointer(e_.nameOf(e_.op.getScalesA())), row, piece, place, isStep);
  }
  pieces.copy(ring, stage, part, kScalePiece, count_);
}

} // namespace mxc
