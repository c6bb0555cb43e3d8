#include "compiler/lowering/pipeline/RingShape.h"

#include "llvm/ADT/STLExtras.h"

namespace mxc {

llvm::SmallVector<int64_t> placeRing(SharedLayout &shared, const RingShape &shape, RingLayout &layout) {
  constexpr int64_t kSwizzleBytes = 1024,
                    kCopyBytes = 128; // what the 128B swizzle repeats in; a copy's alignment
  SharedLayout stage;
  llvm::SmallVector<int64_t> offsets;
  for (auto [index, bytes] : llvm::enumerate(shape.parts))
    offsets.push_back(stage.add("part " + std::to_string(index), bytes,
                                bytes % kSwizzleBytes == 0 ? kSwizzleBytes : kCopyBytes));
  layout.stages = shape.handedOver();
  layout.emptyArrivals = 1; // there are such barriers; Pipeline counts who arrives
  layout.placeIn(shared, shape.name, stage);
  return offsets;
}

int64_t placeTensorAddress(SharedLayout &shared) { return shared.add("tensor memory address", 4, 4); }

} // namespace mxc
