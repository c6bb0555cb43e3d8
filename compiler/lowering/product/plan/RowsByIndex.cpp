#include "compiler/lowering/product/plan/RowsByIndex.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"

using namespace mlir;

namespace mxc {

static constexpr int64_t kLanes = 32;

static bool isMnMajor(const ProductEntry &e) {
  return mx::scaleLayoutOf(cast<MemRefType>(e.op.getScalesA().getType())) == ScaleLayout::MnMajor;
}

NamedRow namedRow(const ProductEntry &e, const ValueBuilder &v, Value row, Value end) {
  const GatheredRow found = gatheredRow(e.function, e.function.pointer(e.nameOf(e.op.getGather())),
                                        v.toI64(row), v.less(row, end), e.function.extent("T"));
  return {v.select(found.isThere, v.toI32(found.source), v.i32(0)), found.isThere};
}

Value wordOfPiece(const ProductEntry &e, const ValueBuilder &v, const NamedRow &row) {
  Value word = v.bitAnd(isMnMajor(e) ? row.number : v.shru(row.number, 5), 3);
  return v.select(row.isThere, word, v.i32(-1));
}

LaneRows::LaneRows(const ProductEntry &e, const ValueBuilder &v, Value first, Value end, int count)
    : e_(e), count_(count) {
  Value lane = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), kLanes - 1);
  steps_ = v.ceilDivu(e.k, kStepK);
  const bool areLines = isMnMajor(e);
  bytesOfStep_ = areLines ? v.toI64(v.mul(v.ceilDivu(e.rowsA, 4), kScalePieceBytes)) : v.i64(kScaleTileBytes);
  Value scales = e.function.pointer(e.nameOf(e.op.getScalesA()));
  for (int64_t from = 0; from < count; from += kLanes) {
    Value inTile = v.add(lane, from);
    if (from + kLanes > count) inTile = v.minu(inTile, v.i32(count - 1)); // lanes without a row
    const NamedRow row = namedRow(e, v, v.add(first, inTile), end);
    rows_.push_back(v.select(row.isThere, row.number, e.rowsA));
    Value offset = v.mul(v.toI64(v.shru(row.number, 2)), kScalePieceBytes);
    if (!areLines) {
      Value tile = v.mul(v.toI64(v.shru(row.number, 7)), v.mul(v.toI64(steps_), kScaleTileBytes));
      offset = v.add(tile, v.toI64(v.mul(v.bitAnd(row.number, 31), kScalePieceBytes)));
    }
    pieces_.push_back(nvvm::offsetBytes(v, scales, offset));
  }
}

void LaneRows::copyCodes(const ValueBuilder &v, Value column, Value ring, Value stage, int part,
                         int64_t offset) const {
  mx::CopyNamedRowsOp::create(v.b, v.loc, e_.function.map(e_.nameOf(e_.op.getA())), column, rows_, ring,
                              stage, v.b.getI32IntegerAttr(part), v.b.getI32IntegerAttr(count_),
                              v.b.getI32IntegerAttr(offset));
}

void LaneRows::copyScales(const ValueBuilder &v, Value step, Value ring, Value stage, int part,
                          int64_t offset) const {
  Value bytes = v.mul(v.toI64(v.minu(step, v.sub(steps_, v.i32(1)))), bytesOfStep_);
  SmallVector<Value> sources;
  for (Value piece : pieces_)
    sources.push_back(nvvm::offsetBytes(v, piece, bytes));
  mx::CopyPiecesOp::create(v.b, v.loc, sources, ring, stage, v.b.getI32IntegerAttr(part),
                           v.b.getI32IntegerAttr(count_), v.b.getI32IntegerAttr(offset));
}

TensorMapRecipe namedRowsMap(mx::ProductOpInterface op, const KernelSignature &signature) {
  const ProductExtents at(op, signature);
  return matrixMap(op.getA(), signature, at, at.rowsA, at.k, /*boxRows=*/1);
}

} // namespace mxc
