// The load role where no tensor map can read the operands: rows at any address. Four warps bring rows, and a
// thread four bytes of each tile of scales or the scales of its rows.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ElementBytes.h"
#include "compiler/lowering/entry/ScaleTile.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/LoadRole.h"

using namespace mlir;

namespace mxc {

namespace {
class ElementLoads {
public:
  static constexpr int kThreads = 128, kWarps = kThreads / 32;

  ElementLoads(const TileEntry &e, const ValueBuilder &v, const LoadRole &role, const TileRecord &tile,
               Value stage, Value step)
      : e_(e), v_(v), ring_(role.ring), steps_(role.steps), endsAtGroup_(role.endsAtGroup), tile_(tile),
        stage_(stage), step_(step), thread_(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type())) {}

  void bring() const {
    for (auto [region, box] : llvm::enumerate(ring_.boxes)) {
      if (box.areRows())
        rows(box, int(region));
      else if (box.content == BoxContent::ScaleLines)
        scaleLine(box, int(region));
      else if (box.isGathered)
        scaleTileByIndex(box, int(region));
      else
        scaleTiles(box, int(region));
    }
  }

private:
  // Those of each matrix of b below those of the one before.
  void rows(const OperandBox &box, int region) const {
    if (!box.isB)
      return bringRows(box, address(region), tile_.row, endsAtGroup_ || box.isGathered ? tile_.rows : e_.m,
                       batch(box));
    for (int64_t number = 0; number < e_.matrices(); ++number) {
      Value to = address(region);
      if (number) to = nvvm::offsetBytes(v_, to, v_.i64(number * box.rowsOfMatrix() * kStepBytes));
      bringRows(box, to, tile_.column, e_.n, matrixOfB(number));
    }
  }

  // 128 bytes each of a matrix's rows from `first` on, of which there are `extent`, to the places of the 128B
  // swizzle, byte by byte: thread t has rows t, t + 128, .. `matrix`: null where there is but one. For rows
  // of a by index `first` and `extent` are of the groups.
  void bringRows(const OperandBox &box, Value to, Value first, Value extent, Value matrix) const {
    constexpr int kChunkBytes = 16, kChunks = kStepBytes / kChunkBytes; // of a row
    const int bits = box.bits(), rows = box.rowsOfMatrix();
    const bool isPadded = box.content == BoxContent::PaddedRows; // codes at the beginning of 16 bytes
    const int chunkElements = isPadded ? kChunkBytes : 8 * kChunkBytes / bits;
    auto bytesOf = [&](Value elements) { return bytesOfElements(v_, elements, bits); };
    Value none = v_.constant(v_.b.getI8Type(), 0);
    const std::string name = e_.nameOf(box.argument);
    const int rank = cast<MemRefType>(box.argument.getType()).getRank();
    steps::forRange(v_, v_.i32(0), v_.i32(kChunks * llvm::divideCeil(rows, kThreads)), [&](Value piece) {
      Value chunk = v_.remu(piece, kChunks);
      Value rowOfTile = v_.add(thread_, v_.mul(v_.divu(piece, kChunks), kThreads));
      auto bringChunk = [&] {
        Value row = v_.add(first, rowOfTile), rowInside = v_.less(row, extent);
        if (box.isGathered) {
          const NamedRow named = namedRow(e_, v_, row, extent);
          row = named.number, rowInside = named.exists;
        }
        Value start = v_.mul(v_.toI64(row), bytesOf(e_.function.stride(name, rank - 2)));
        if (matrix) start = v_.add(start, bytesOf(e_.elementsBefore(v_, box.argument, matrix)));
        Value column = v_.mul(v_.add(v_.mul(step_, kChunks), chunk), chunkElements);
        if (tile_.phase) column = v_.add(column, tile_.phase);
        start = v_.add(start, v_.toI64(bytesOf(column)));
        SmallVector<Value> bytes;
        for (int i = 0; i < chunkElements * bits / 8;
             ++i) { // with K6 all of a byte's elements exist if its first does
          Value inside = v_.bitAnd(rowInside, v_.less(v_.add(column, i * 8 / bits), e_.k));
          bytes.push_back(loadWhere(inside, v_.b.getI8Type(), pointer(box), v_.add(start, i), 1));
        }
        bytes.resize(kChunkBytes, none);
        Value words = nvvm::fromElements(v_, VectorType::get(kChunkBytes, v_.b.getI8Type()), bytes);
        Value swizzle = v_.mul(v_.bitAnd(thread_, 7), kChunkBytes); // of all its rows
        Value offset = v_.add(v_.mul(rowOfTile, kStepBytes), v_.bitXor(v_.mul(chunk, kChunkBytes), swizzle));
        nvvm::store(v_, words, nvvm::offsetBytes(v_, to, v_.toI64(offset)), kChunkBytes);
      };
      rows % kThreads ? ifThen(v_, v_.less(rowOfTile, v_.i32(rows)), bringChunk) : bringChunk();
    });
  }

  // The tiles of all rows come first, then the next ones along K.
  void scaleTiles(const OperandBox &box, int region) const {
    const int tiles = box.rows / int(kScaleTileRows), ofMatrix = box.rowsOfMatrix() / int(kScaleTileRows);
    Value first = v_.divu(firstScaleRow(box), kScaleTileRows);
    for (int place = 0; place < tiles * box.step; ++place) {
      const int number = place % tiles;
      scaleWord(box, region, v_.add(first, number % ofMatrix), scaleRows(box), place, place / tiles,
                v_.mul(thread_, 4), Value(), box.isB ? matrixOfB(number / ofMatrix) : batch(box));
    }
  }

  // A thread has the word of row t / 4 + 32 (t % 4), which lies there in the tile that the rows make.
  void scaleTileByIndex(const OperandBox &box, int region) const {
    Value inTile = v_.add(v_.shru(thread_, 2), v_.mul(v_.bitAnd(thread_, 3), 32));
    const NamedRow row = namedRow(e_, v_, v_.add(tile_.row, inTile), tile_.rows);
    Value inTileOfA = wordInScaleTile(v_, row.number);
    for (int along = 0; along < box.step; ++along)
      scaleWord(box, region, v_.shru(row.number, 7), e_.rowsA, along, along, inTileOfA, row.exists, Value());
  }

  // The thread's word at `place` of the region: byte `inTile` of tile `rowTile`, and 0 where that or `exists`
  // is not. `extent`: rows that there are.
  void scaleWord(const OperandBox &box, int region, Value rowTile, Value extent, int place, int along,
                 Value inTile, Value exists, Value batch) const {
    Value stepTiles = box.step == 1 ? steps_ : v_.ceilDivu(e_.k, scaleTileK(e_.op, box.isB)),
          rowTiles = v_.divu(v_.add(extent, kScaleTileRows - 1), kScaleTileRows);
    Value inRow = v_.add(tile_.beginOfStep(v_, step_, box.step, scaleTileK(e_.op, box.isB)), along);
    Value tile = v_.add(v_.mul(v_.toI64(rowTile), v_.toI64(stepTiles)), v_.toI64(inRow));
    if (batch) tile = v_.add(tile, v_.mul(v_.toI64(batch), v_.mul(v_.toI64(rowTiles), v_.toI64(stepTiles))));
    Value offset = v_.add(v_.mul(tile, kScaleTileBytes), v_.toI64(inTile));
    Value inside = v_.less(rowTile, rowTiles);
    if (exists) inside = v_.bitAnd(inside, exists);
    if (box.step > 1) inside = v_.bitAnd(inside, v_.less(inRow, stepTiles));
    Value word = loadWhere(inside, v_.b.getI32Type(), pointer(box), offset, 4);
    Value at = v_.add(v_.mul(thread_, 4), place * kScaleTileBytes);
    nvvm::store(v_, word, nvvm::offsetBytes(v_, address(region), v_.toI64(at)), 4);
  }

  void scaleLine(const OperandBox &box, int region) const {
    Value extent = box.isGathered ? e_.rowsA : scaleRows(box),
          first = box.isGathered ? tile_.row : firstScaleRow(box);
    Value padded = v_.toI64(v_.mul(v_.ceilDivu(extent, 4), 4)), blocks = v_.toI64(v_.ceilDivu(e_.k, kStepK)),
          block = v_.toI64(step_);
    if (Value number = batch(box)) block = v_.add(block, v_.mul(v_.toI64(number), blocks));
    Value line = v_.mul(block, padded), to = address(region);
    for (int from = 0; from < box.rows; from += kThreads) {
      Value inTile = v_.add(thread_, from), row = v_.add(first, inTile);
      auto bring = [&] {
        Value inside = v_.less(row, extent), at = row;
        if (box.isGathered) {
          const NamedRow named = namedRow(e_, v_, row, tile_.rows);
          at = named.number, inside = named.exists;
        }
        Value scale =
            loadWhere(inside, v_.b.getI32Type(), pointer(box), v_.mul(v_.add(line, v_.toI64(at)), 4), 4);
        nvvm::store(v_, scale, nvvm::offsetBytes(v_, to, v_.toI64(v_.mul(inTile, 4))), 4);
      };
      from + kThreads > box.rows ? ifThen(v_, v_.less(inTile, v_.i32(box.rows)), bring) : bring();
    }
  }

  // What lies outside is zero; nothing is read there.
  Value loadWhere(Value inside, Type type, Value base, Value offset, unsigned bytes) const {
    return steps::whereElseZero(
        v_, inside, type, [&] { return nvvm::load(v_, type, nvvm::offsetBytes(v_, base, offset), bytes); });
  }
  Value firstScaleRow(const OperandBox &box) const { return box.isB ? tile_.column : tile_.scaleRow; }
  Value scaleRows(const OperandBox &box) const { return box.isB ? e_.n : e_.scaleRowsA(v_); }
  Value matrixOfB(int64_t number) const { return e_.matrixOfB(v_, tile_.batchOfB(e_), v_.i32(number)); }
  Value batch(const OperandBox &box) const { // null where the operand has none
    return box.isB ? matrixOfB(0) : e_.isBatched() ? tile_.batch : Value();
  }
  Value pointer(const OperandBox &box) const { return e_.function.pointer(e_.nameOf(box.argument)); }
  Value address(int region) const {
    return mx::StageAddressOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3),
                                      e_.ring(ring_.name), stage_, v_.b.getI32IntegerAttr(region));
  }

  const TileEntry &e_;
  const ValueBuilder &v_;
  const OperandRing &ring_;
  Value steps_;
  bool endsAtGroup_;
  const TileRecord &tile_;
  Value stage_, step_, thread_;
};
} // namespace

void emitLoadByElements(const TileEntry &e, const LoadRole &role) {
  emitRole(e, e.tiles, role.name, role.firstWarp, ElementLoads::kWarps, /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             steps::forRange(v, tile.beginStep(v, role.stepK), tile.endStep(v, role.stepK), [&](Value step) {
               steps::fill(v, e.ring(role.ring.name),
                           [&](Value stage) { ElementLoads(e, v, role, tile, stage, step).bring(); });
             });
           });
}

} // namespace mxc
