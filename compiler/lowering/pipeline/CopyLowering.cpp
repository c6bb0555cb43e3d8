// Boxes between global and shared memory, by bulk tensor copies.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/WarpMma.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

static void lowerCopyBox(mx::CopyBoxOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value to = pipeline.part(v, op.getRing(), op.getPart(), op.getStage());
  if (op.getOffset()) to = nvvm::offsetBytes(v, to, v.toI64(op.getOffset()));
  Ring ring = pipeline.isPair() ? pipeline.leaderRing(op.getRing()) : pipeline.ring(op.getRing());
  Value barrier = ring.fullBarrierAlone(v, {op.getStage(), Value()});
  auto copy = [&] {
    if (pipeline.isPair())
      nvvm::copyBoxInPair(v, to, op.getMap(), op.getCoordinates(), barrier, op.getMulticast());
    else if (op.getMulticast())
      nvvm::copyBoxToBoth(v, to, op.getMap(), op.getCoordinates(), barrier);
    else
      nvvm::copyBox(v, to, op.getMap(), op.getCoordinates(), barrier);
  };
  op->getParentOfType<mx::RoleOp>() ? electOne(v, copy) : copy(); // outside of roles by one thread
  op.erase();
}

static void lowerCopyPieces(mx::CopyPiecesOp op, Pipeline &pipeline) {
  constexpr int64_t kLanes = 32;
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value to = pipeline.part(v, op.getRing(), op.getPart(), op.getStage());
  for (auto [i, source, place, isThere] : llvm::enumerate(op.getSources(), op.getPlaces(), op.getThere())) {
    auto copy = [&, source = source, place = place, isThere = isThere] {
      nvvm::copyPiece(v, nvvm::offsetBytes(v, to, v.toI64(place)), source, op.getBytes(), isThere);
    };
    const int64_t left = op.getCount() - int64_t(i) * kLanes;
    left >= kLanes ? copy() : ifThen(v, v.less(pipeline.lane(), v.i32(left)), copy);
  }
  op.erase();
}

constexpr int64_t kRowBytes = 128, kChunkBytes = 16;

// A row of the box is 128 bytes, lane l's is row l: chunk c of 16 bytes lies at c ^ (l % 8), the 128B
// swizzle.
static void stageRow(const ValueBuilder &v, mx::StoreBoxOp op, Value box, Value lane) {
  Value row = nvvm::offsetBytes(v, box, v.toI64(v.mul(lane, kRowBytes)));
  Value swizzle = v.mul(v.bitAnd(lane, 7), kChunkBytes);
  for (auto [chunk, content] : llvm::enumerate(op.getRows())) {
    Value at = nvvm::offsetBytes(v, row, v.toI64(v.bitXor(swizzle, int64_t(chunk) * kChunkBytes)));
    nvvm::store(v, content, at, kChunkBytes);
  }
}

// Elements of 16 bits: a matrix is 8 rows of 8 columns, of which lane l has two, at 2 (l % 4), of row l / 4.
// Two are the box's rows, and two such pairs side by side leave at a time; lane l names row l % 16 of pair l
// / 16.
static void stageMatrices(const ValueBuilder &v, mx::StoreBoxOp op, Value box, Value lane) {
  constexpr int kWords = 4; // of two pairs
  Value row = v.mul(v.bitAnd(lane, 15), kRowBytes);
  Value chunk = v.mul(v.bitXor(v.shru(lane, 4), v.bitAnd(lane, 7)), kChunkBytes);
  Value first = v.add(nvvm::addressOf(v, box), row);
  SmallVector<Value> words;
  for (Value content : op.getRows())
    words.push_back(nvvm::bitcast(v, v.b.getI32Type(), content));
  for (size_t i = 0; i < words.size(); i += kWords)
    nvvm::storeMatrices(v, ArrayRef(words).slice(i, std::min<size_t>(kWords, words.size() - i)),
                        v.add(first, v.bitXor(chunk, int64_t(i / 2) * kChunkBytes)));
}

// Lane l has two of 8 columns, at 2 (l % 4), in rows l / 4 and l / 4 + 8, which swizzle alike.
static void stageFragments(const ValueBuilder &v, mx::StoreBoxOp op, Value box, Value lane, bool asMatrices) {
  auto type = cast<VectorType>(op.getRows().front().getType());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8; // of the two columns
  if (asMatrices && bytes == 4) return stageMatrices(v, op, box, lane);
  Value rowInEight = v.shru(lane, 2), swizzle = v.mul(rowInEight, kChunkBytes);
  Value inEight = v.mul(v.bitAnd(lane, 3), bytes); // columns
  for (auto [index, content] : llvm::enumerate(op.getRows())) {
    int64_t columns = index / 2 * 4 * bytes, row = index % 2 * 8;
    Value place = v.bitXor(v.add(inEight, columns), swizzle);
    Value first = nvvm::offsetBytes(v, box, v.toI64(v.mul(rowInEight, kRowBytes)));
    nvvm::store(v, content,
                nvvm::offsetBytes(v, nvvm::offsetBytes(v, first, v.toI64(place)), v.i64(row * kRowBytes)),
                bytes);
  }
}

// The fragment's rows are the box's columns, 16 of them, under the swizzle as wide as they are: 16 bytes lie
// exclusive or'ed with the row's number over as many rows as 128 bytes have.
static void stageTransposed(const ValueBuilder &v, mx::StoreBoxOp op, Value box, Value lane) {
  constexpr int64_t kColumns = 16, kRowsOfPair = 8;
  auto type = cast<VectorType>(op.getRows().front().getType());
  const int64_t bytes = type.getElementTypeBitWidth() / 8, rowBytes = kColumns * bytes;
  if (bytes == 2) { // matrices of 8 rows of 16 bytes, four at a time: two beside each other, two below
    constexpr int kWords = 4;
    Value row = v.add(v.mul(v.shru(lane, 4), kRowsOfPair), v.bitAnd(lane, 7));
    Value chunk = v.bitXor(v.bitAnd(v.shru(lane, 3), 1), v.bitAnd(v.shru(lane, 2), 1));
    Value first = v.add(nvvm::addressOf(v, box), v.add(v.mul(row, rowBytes), v.mul(chunk, kChunkBytes)));
    SmallVector<Value> words;
    for (Value content : op.getRows())
      words.push_back(nvvm::bitcast(v, v.b.getI32Type(), content));
    for (size_t i = 0; i < words.size(); i += kWords)
      nvvm::storeMatricesTransposed(v, ArrayRef(words).slice(i, kWords),
                                    v.add(first, int64_t(i / 2) * kRowsOfPair * rowBytes));
    return;
  }
  Value inFour = v.bitAnd(lane, 3), column = v.shru(lane, 2);
  for (auto [index, content] : llvm::enumerate(op.getRows())) {
    Value chunk = v.bitXor(v.add(v.shru(column, 2), int64_t(index % 2 * 2)), inFour);
    Value at = v.add(v.mul(inFour, 2 * rowBytes),
                     v.add(v.mul(chunk, kChunkBytes), v.mul(v.bitAnd(column, 3), bytes)));
    Value first = nvvm::offsetBytes(v, box, v.toI64(at));
    for (int i = 0; i < 2; ++i)
      nvvm::store(v, nvvm::element(v, content, i),
                  nvvm::offsetBytes(v, first, v.i64((int64_t(index / 2) * kRowsOfPair + i) * rowBytes)),
                  bytes);
  }
}

template <bool asMatrices> static void lowerStoreBox(mx::StoreBoxOp op, Pipeline &pipeline) {
  const int64_t boxBytes = (op.getFragments() ? 16 : 32) * kRowBytes;
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  auto role = op->getParentOfType<mx::RoleOp>();
  int buffers = op.getBuffers();
  Value warp = v.sub(pipeline.warp(), v.i32(role.getFirst()));
  Value buffer = v.add(v.mul(warp, buffers * boxBytes), v.mul(v.remu(op.getBox(), buffers), boxBytes));
  Value box = nvvm::offsetBytes(v, op.getStaging(), v.toI64(buffer));
  electOne(v, [&] { nvvm::waitStoresRead(v, buffers - 1); });
  nvvm::syncWarp(v);
  if (op.getTransposed())
    stageTransposed(v, op, box, pipeline.lane());
  else if (op.getFragments())
    stageFragments(v, op, box, pipeline.lane(), asMatrices);
  else
    stageRow(v, op, box, pipeline.lane());
  nvvm::fenceProxyAsync(v);
  nvvm::syncWarp(v);
  electOne(v, [&] {
    nvvm::storeBox(v, op.getMap(), op.getCoordinates(), box);
    nvvm::commitStores(v);
  });
  op.erase();
}

static void lowerDrainStores(mx::DrainStoresOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  electOne(v, [&] { nvvm::waitStoresRead(v, 0); });
  op.erase();
}

void populateCopyLowerings(PipelineLowerings &lowerings, const Target &target) {
  lowerings.add(lowerCopyBox);
  lowerings.add(lowerCopyPieces);
  // Fragments of warpgroups could leave as matrices, too: nobody has measured that on an sm_90a yet.
  lowerings.add(target.tensorCore == TensorCore::Warps ? lowerStoreBox<true> : lowerStoreBox<false>);
  lowerings.add(lowerDrainStores);
}

} // namespace mxc
