#include "compiler/lowering/pipeline/Ring.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mxc {

void RingLayout::placeIn(SharedLayout &entry, StringRef name, const SharedLayout &stage) {
  placeStages(entry, name, stage);
  placeBarriers(entry, name);
}

void RingLayout::placeStages(SharedLayout &entry, StringRef name, const SharedLayout &stage) {
  stageBytes = llvm::alignTo(stage.bytes(), stage.alignment());
  if (stageBytes > 0) memory = entry.add(name, stages * stageBytes, stage.alignment(), stages);
}

void RingLayout::placeBarriers(SharedLayout &entry, StringRef name) {
  int perStage = emptyArrivals > 0 ? 2 : 1;
  barriers = entry.add((name + " barriers").str(), perStage * stages * nvvm::kMbarrierBytes,
                       nvvm::kMbarrierBytes, stages);
}

void Ring::init(const ValueBuilder &v) const {
  for (int i = 0; i < layout_.stages; ++i) {
    RingPosition at{v.i32(i), Value()};
    nvvm::initMbarrier(v, fullBarrier(v, at), layout_.fillArrivals);
    if (layout_.emptyArrivals > 0) nvvm::initMbarrier(v, emptyBarrier(v, at), layout_.emptyArrivals);
  }
}

RingPosition Ring::first(const ValueBuilder &v) const { return {v.i32(0), v.i32(0)}; }

RingPosition Ring::next(const ValueBuilder &v, RingPosition at) const {
  if (layout_.stages == 1) return {at.stage, v.bitXor(at.phase, 1)};
  Value following = v.add(at.stage, 1), wraps = v.equal(following, v.i32(layout_.stages));
  return {v.select(wraps, v.i32(0), following), v.select(wraps, v.bitXor(at.phase, 1), at.phase)};
}

// offset + stage * step after the shared memory's beginning. Where the stage is a variable, a 32-bit sum
// whose constant is added first: outside of the loop, and one multiplication and addition are left in it.
Value Ring::place(const ValueBuilder &v, Value stage, int64_t offset, int64_t step) const {
  IntegerAttr known;
  bool isKnown = matchPattern(stage, m_Constant(&known));
  if (isKnown || layout_.stages == 1) {
    if (isKnown) offset += known.getInt() * step;
    return offset == 0 ? shared_ : nvvm::offsetBytes(v, shared_, v.i64(offset));
  }
  Value first = v.add(nvvm::addressOf(v, shared_), offset);
  return nvvm::pointerTo(v, v.add(first, v.mul(stage, step)), 3);
}

Value Ring::stageAddress(const ValueBuilder &v, RingPosition at, int64_t offset) const {
  return place(v, at.stage, layout_.memory + offset, layout_.stageBytes);
}

// A stage's two barriers share one address: what lies between them becomes the access's immediate.
Value Ring::fullBarrier(const ValueBuilder &v, RingPosition at) const {
  if (layout_.emptyArrivals == 0) return fullBarrierAlone(v, at);
  return nvvm::offsetBytes(v, emptyBarrier(v, at), v.i64(-layout_.stages * nvvm::kMbarrierBytes));
}

Value Ring::fullBarrierAlone(const ValueBuilder &v, RingPosition at) const {
  return place(v, at.stage, layout_.barriers, nvvm::kMbarrierBytes);
}

Value Ring::emptyBarrier(const ValueBuilder &v, RingPosition at) const {
  assert(layout_.emptyArrivals > 0 && "a ring that nobody empties");
  return place(v, at.stage, layout_.barriers + layout_.stages * nvvm::kMbarrierBytes, nvvm::kMbarrierBytes);
}

void Ring::waitEmpty(const ValueBuilder &v, RingPosition at) const {
  nvvm::waitParity(v, emptyBarrier(v, at), v.bitXor(at.phase, 1));
}

Value Ring::announce(const ValueBuilder &v, RingPosition at, int64_t bytes) const {
  Value barrier = fullBarrier(v, at);
  nvvm::arriveExpectBytes(v, barrier, bytes);
  return barrier;
}

void Ring::fill(const ValueBuilder &v, RingPosition at, ArrayRef<RingCopy> copies) const {
  int64_t bytes = 0;
  for (const RingCopy &copy : copies)
    bytes += copy.bytes;
  Value barrier = announce(v, at, bytes);
  for (const RingCopy &copy : copies)
    copy.start(stageAddress(v, at, copy.offset), barrier);
}

void Ring::waitFull(const ValueBuilder &v, RingPosition at) const {
  nvvm::waitParity(v, fullBarrier(v, at), at.phase);
}

Value Ring::isFull(const ValueBuilder &v, RingPosition at) const {
  return nvvm::testParity(v, fullBarrier(v, at), at.phase);
}

void Ring::release(const ValueBuilder &v, RingPosition at) const { nvvm::arrive(v, emptyBarrier(v, at)); }

} // namespace mxc
