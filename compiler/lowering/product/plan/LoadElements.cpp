// The load role where no tensor map can read the operands: rows at any address. Four warps; thread t brings
// rows t, t + 128, .. of a and of b, byte by byte, into the places of the 128B swizzle, and four bytes of
// each scale tile.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/CodeLoads.h"

using namespace mlir;

namespace mxc {

// What lies outside is zero; nothing is read there.
static Value loadWhere(const ValueBuilder &v, Value inside, Type type, Value base, Value offset,
                       unsigned bytes) {
  return steps::whereElseZero(v, inside, type,
                              [&] { return nvvm::load(v, type, nvvm::offsetBytes(v, base, offset), bytes); });
}

namespace {
class ElementLoads {
public:
  ElementLoads(const CodeLoads &e, const ValueBuilder &v, Value stage, Value step)
      : e_(e), v_(v), stage_(stage), step_(step) {
    thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  }

  // `batch`: null where the operand has none.
  void rows(Value operand, OperandPart part, Value first, Value extent, Value batch) {
    constexpr int kChunks = kStepBytes / 16; // of a row
    const int64_t rows = e_.plan.operands.parts[part] / kStepBytes;
    Value to = address(part);
    steps::forRange(v_, v_.i32(0), v_.i32(kChunks * llvm::divideCeil(rows, kThreads)), [&](Value piece) {
      Value chunk = v_.remu(piece, kChunks);
      Value row = v_.add(thread_, v_.mul(v_.divu(piece, kChunks), kThreads)); // of the tile
      auto bring = [&] { bringChunk(operand, v_.add(first, row), row, chunk, extent, to, batch); };
      rows % kThreads ? ifThen(v_, v_.less(row, v_.i32(rows)), bring) : bring();
    });
  }

  void scales(Value operand, OperandPart part, Value first, Value extent, Value batch) {
    const int along = shape().scaleTiles(), tiles = e_.plan.operands.parts[part] / kScaleTileBytes;
    for (int tile = 0; tile < tiles; ++tile) // of all rows, then the next ones along K
      scaleTile(operand, part, first, extent, tile, tile % (tiles / along), tile / (tiles / along), batch);
  }

private:
  static constexpr int kThreads = 128;

  const ProductStep &shape() const { return e_.step; }
  // Bytes of elements that are whole bytes; elements of bytes.
  Value bytesOf(Value elements) const { return shape().bits == 8 ? elements : v_.shru(elements, 1); }
  Value elementsOf(Value bytes) const { return shape().bits == 8 ? bytes : v_.shl(bytes, 1); }

  void bringChunk(Value operand, Value row, Value rowOfTile, Value chunk, Value extent, Value to,
                  Value batch) {
    std::string name = e_.nameOf(operand);
    int rank = cast<MemRefType>(operand.getType()).getRank();
    Value start = v_.mul(v_.toI64(row), bytesOf(e_.function.stride(name, rank - 2)));
    if (batch) start = v_.add(start, v_.mul(v_.toI64(batch), bytesOf(e_.function.stride(name, 0))));
    Value column = v_.add(v_.mul(step_, kStepBytes), v_.mul(chunk, 16)), rowInside = v_.less(row, extent);
    SmallVector<Value> bytes;
    for (int i = 0; i < 16; ++i) {
      Value at = v_.add(column, i);
      bytes.push_back(loadWhere(v_, v_.bitAnd(rowInside, v_.less(elementsOf(at), e_.k)), v_.b.getI8Type(),
                                e_.function.pointer(name), v_.add(start, v_.toI64(at)), 1));
    }
    Value words = nvvm::fromElements(v_, VectorType::get(16, v_.b.getI8Type()), bytes);
    Value swizzle = v_.mul(v_.bitAnd(thread_, 7), 16); // of all its rows
    Value offset = v_.add(v_.mul(rowOfTile, kStepBytes), v_.bitXor(v_.mul(chunk, 16), swizzle));
    nvvm::store(v_, words, nvvm::offsetBytes(v_, to, v_.toI64(offset)), 16);
  }

  // The tile that lies at `place` of the part: of rows tile `number`, along K `along`.
  void scaleTile(Value operand, OperandPart part, Value first, Value extent, int place, int number, int along,
                 Value batch) {
    const int tiles = shape().scaleTiles();
    Value stepTiles = tiles == 1 ? e_.steps : v_.ceilDivu(e_.k, shape().scaleTileK),
          rowTiles = v_.divu(v_.add(extent, kScaleTileRows - 1), kScaleTileRows);
    Value rowTile = v_.add(v_.divu(first, kScaleTileRows), number);
    Value inRow = v_.add(v_.mul(step_, tiles), along);
    Value tile = v_.add(v_.mul(v_.toI64(rowTile), v_.toI64(stepTiles)), v_.toI64(inRow));
    if (batch) tile = v_.add(tile, v_.mul(v_.toI64(batch), v_.mul(v_.toI64(rowTiles), v_.toI64(stepTiles))));
    Value offset = v_.add(v_.mul(tile, 512), v_.toI64(v_.mul(thread_, 4)));
    Value inside = v_.less(rowTile, rowTiles);
    if (tiles > 1) inside = v_.bitAnd(inside, v_.less(inRow, stepTiles));
    Value word = loadWhere(v_, inside, v_.b.getI32Type(), e_.function.pointer(e_.nameOf(operand)), offset, 4);
    Value at = v_.add(v_.mul(thread_, 4), place * kScaleTileBytes);
    nvvm::store(v_, word, nvvm::offsetBytes(v_, address(part), v_.toI64(at)), 4);
  }

  Value address(OperandPart part) {
    return mx::StageAddressOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), e_.operands,
                                      stage_, v_.b.getI32IntegerAttr(part));
  }

  const CodeLoads &e_;
  const ValueBuilder &v_;
  Value stage_, step_, thread_;
};
} // namespace

void emitLoadByElements(const CodeLoads &e) {
  emitRole(e, e.tiles, "load", e.firstWarp, codeLoadWarps(e.plan), /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             const int stepK = e.step.elements;
             steps::forRange(v, tile.beginStep(v, stepK), tile.endStep(v, stepK), [&](Value step) {
               steps::fill(v, e.operands, [&](Value stage) {
                 ElementLoads loads(e, v, stage, step);
                 Value batch = e.isBatched() ? tile.batch : Value(),
                       batchOfB = e.hasSeveralB() ? tile.batchOfB(e) : Value();
                 loads.rows(e.op.getA(), kPartA, tile.row, e.m, batch);
                 loads.rows(e.op.getB(), kPartB, tile.column, e.n, batchOfB);
                 loads.scales(e.op.getScalesA(), kPartScalesA, tile.scaleRow, e.scaleRowsA(v), batch);
                 loads.scales(e.op.getScalesB(), kPartScalesB, tile.column, e.n, batchOfB);
               });
             });
           });
}

} // namespace mxc
