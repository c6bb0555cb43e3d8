// Boxes between global and shared memory, by bulk tensor copies.
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

void lowerCopyBox(mx::CopyBoxOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value to = pipeline.part(v, op.getRing(), op.getPart(), op.getStage());
  if (op.getOffset()) to = nvvm::offsetBytes(v, to, v.toI64(op.getOffset()));
  Ring ring = pipeline.isPair() ? pipeline.leaderRing(op.getRing()) : pipeline.ring(op.getRing());
  Value barrier = ring.fullBarrierAlone(v, {op.getStage(), Value()});
  electOne(v, [&] {
    if (pipeline.isPair())
      nvvm::copyBoxInPair(v, to, op.getMap(), op.getCoordinates(), barrier, op.getMulticast());
    else
      nvvm::copyBox(v, to, op.getMap(), op.getCoordinates(), barrier);
  });
  op.erase();
}

// A row of the box is 128 bytes, lane l's is row l: chunk c of 16 bytes lies at c ^ (l % 8), the 128B
// swizzle.
void lowerStoreBox(mx::StoreBoxOp op, Pipeline &pipeline) {
  constexpr int64_t kBoxBytes = 4096, kRowBytes = 128, kChunkBytes = 16;
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  auto role = op->getParentOfType<mx::RoleOp>();
  int buffers = op.getBuffers();
  Value warp = v.sub(pipeline.warp(), v.i32(role.getFirst()));
  Value buffer = v.add(v.mul(warp, buffers * kBoxBytes), v.mul(v.remu(op.getBox(), buffers), kBoxBytes));
  Value box = nvvm::offsetBytes(v, op.getStaging(), v.toI64(buffer));
  electOne(v, [&] { nvvm::waitStoresRead(v, buffers - 1); });
  nvvm::syncWarp(v);
  Value row = nvvm::offsetBytes(v, box, v.toI64(v.mul(pipeline.lane(), kRowBytes)));
  Value swizzle = v.mul(v.bitAnd(pipeline.lane(), 7), kChunkBytes);
  for (auto [chunk, content] : llvm::enumerate(op.getRows())) {
    Value at = nvvm::offsetBytes(v, row, v.toI64(v.bitXor(swizzle, int64_t(chunk) * kChunkBytes)));
    nvvm::store(v, content, at, kChunkBytes);
  }
  nvvm::fenceProxyAsync(v);
  nvvm::syncWarp(v);
  electOne(v, [&] {
    nvvm::storeBox(v, op.getMap(), op.getCoordinates(), box);
    nvvm::commitStores(v);
  });
  op.erase();
}

void lowerDrainStores(mx::DrainStoresOp op, Pipeline &) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  electOne(v, [&] { nvvm::waitStoresRead(v, 0); });
  op.erase();
}

} // namespace mxc
