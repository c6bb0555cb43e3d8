// The load role where no tensor map can read the operands: rows at any address. Four warps bring rows of a
// and of b, and a thread four bytes of each scale tile.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/CodeLoads.h"
#include "compiler/lowering/product/plan/ElementRows.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

using namespace mlir;

namespace mxc {

namespace {
class ElementLoads {
public:
  ElementLoads(const CodeLoads &e, const ValueBuilder &v, const TileRecord &tile, Value stage, Value step)
      : e_(e), v_(v), tile_(tile), stage_(stage), step_(step),
        a_(e, v, info(e.step.a).bits(), e.step.isPadded(e.step.a)),
        b_(e, v, info(e.step.b).bits(), e.step.isPadded(e.step.b)) {}

  // `batch`: null where the operand has none.
  void rowsOfA(Value batch) {
    a_.bring(e_.op.getA(), address(kPartA), e_.plan.operands.parts[kPartA] / kStepBytes, step_, tile_.row,
             e_.gathers() ? tile_.rows : e_.m, batch, tile_.phase);
  }

  // Those of each part below those of the one before.
  void rowsOfB() {
    const int64_t rows = e_.plan.rowsOfPartB();
    for (int64_t part = 0; part < e_.plan.parts; ++part) {
      Value to = address(kPartB);
      if (part) to = nvvm::offsetBytes(v_, to, v_.i64(part * rows * kStepBytes));
      b_.bring(e_.op.getB(), to, rows, step_, tile_.column, e_.n, matrixOfB(part), tile_.phase);
    }
  }

  void scalesOfA(Value batch) {
    if (e_.gathers()) return scalesByIndex();
    for (int along = 0; along < shape().scaleTiles(); ++along)
      scaleTile(e_.op.getScalesA(), kPartScalesA, tile_.scaleRow, e_.scaleRowsA(v_), along, 0, along, batch);
  }

  void scalesOfB() {
    const int tiles = scaleTilesB(e_.plan), ofPart = tiles / e_.plan.parts;
    for (int place = 0; place < tiles * shape().scaleTiles(); ++place) { // of all rows, then the next along K
      const int number = place % tiles;
      scaleTile(e_.op.getScalesB(), kPartScalesB, tile_.column, e_.n, place, number % ofPart, place / tiles,
                matrixOfB(number / ofPart));
    }
  }

private:
  const ProductStep &shape() const { return e_.step; }
  // A thread has the word of row t / 4 + 32 (t % 4), which lies there in the tile that the rows make.
  void scalesByIndex() {
    Value thread = a_.thread();
    Value inTile = v_.add(v_.shru(thread, 2), v_.mul(v_.bitAnd(thread, 3), 32));
    const NamedRow row = namedRow(e_, v_, v_.add(tile_.row, inTile), tile_.rows);
    Value inRows = v_.bitAnd(row.number, kScaleTileRows - 1);
    Value inTileOfA = v_.add(v_.mul(v_.bitAnd(inRows, 31), 16), v_.mul(v_.shru(inRows, 5), 4));
    for (int along = 0; along < shape().scaleTiles(); ++along)
      scaleWord(e_.op.getScalesA(), kPartScalesA, v_.shru(row.number, 7), e_.rowsA, along, along, inTileOfA,
                row.isThere, Value());
  }
  Value matrixOfB(int64_t part) const { return e_.matrixOfB(v_, tile_.batchOfB(e_), v_.i32(part)); }
  // The tile that lies at `place` of the part: of rows tile `number`, along K `along`.
  void scaleTile(Value operand, OperandPart part, Value first, Value extent, int place, int number, int along,
                 Value batch) {
    Value rowTile = v_.add(v_.divu(first, kScaleTileRows), number);
    scaleWord(operand, part, rowTile, extent, place, along, v_.mul(a_.thread(), 4), Value(), batch);
  }
  // The thread's word at `place`: byte `inTile` of tile `rowTile`, and 0 where that or `isThere` is not.
  void scaleWord(Value operand, OperandPart part, Value rowTile, Value extent, int place, int along,
                 Value inTile, Value isThere, Value batch) {
    const int tiles = shape().scaleTiles();
    Value stepTiles = tiles == 1 ? e_.steps : v_.ceilDivu(e_.k, shape().scaleTileK),
          rowTiles = v_.divu(v_.add(extent, kScaleTileRows - 1), kScaleTileRows);
    Value inRow = v_.add(tile_.beginOfStep(v_, step_, tiles, shape().scaleTileK), along);
    Value tile = v_.add(v_.mul(v_.toI64(rowTile), v_.toI64(stepTiles)), v_.toI64(inRow));
    if (batch) tile = v_.add(tile, v_.mul(v_.toI64(batch), v_.mul(v_.toI64(rowTiles), v_.toI64(stepTiles))));
    Value offset = v_.add(v_.mul(tile, 512), v_.toI64(inTile));
    Value inside = v_.less(rowTile, rowTiles);
    if (isThere) inside = v_.bitAnd(inside, isThere);
    if (tiles > 1) inside = v_.bitAnd(inside, v_.less(inRow, stepTiles));
    Value word = loadWhere(v_, inside, v_.b.getI32Type(), e_.function.pointer(e_.nameOf(operand)), offset, 4);
    Value at = v_.add(v_.mul(a_.thread(), 4), place * kScaleTileBytes);
    nvvm::store(v_, word, nvvm::offsetBytes(v_, address(part), v_.toI64(at)), 4);
  }

  Value address(OperandPart part) {
    return mx::StageAddressOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), e_.operands,
                                      stage_, v_.b.getI32IntegerAttr(part));
  }

  const CodeLoads &e_;
  const ValueBuilder &v_;
  const TileRecord &tile_;
  Value stage_, step_;
  ElementRows a_, b_;
};
} // namespace

void emitLoadByElements(const CodeLoads &e) {
  emitRole(e, e.tiles, "load", e.firstWarp, codeLoadWarps(e.plan), /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             const int stepK = e.step.elements;
             steps::forRange(v, tile.beginStep(v, stepK), tile.endStep(v, stepK), [&](Value step) {
               steps::fill(v, e.operands, [&](Value stage) {
                 ElementLoads loads(e, v, tile, stage, step);
                 Value batch = e.isBatched() ? tile.batch : Value();
                 loads.rowsOfA(batch);
                 loads.rowsOfB();
                 loads.scalesOfA(batch);
                 loads.scalesOfB();
               });
             });
           });
}

} // namespace mxc
