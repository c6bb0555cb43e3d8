#include "compiler/lowering/pipeline/RingShape.h"

#include "llvm/ADT/STLExtras.h"

namespace mxc {

static PlacedRing placeStages(SharedLayout &shared, const RingShape &shape) {
  constexpr int64_t kSwizzleBytes = 1024,
                    kCopyBytes = 128; // what the 128B swizzle repeats in; a copy's alignment
  PlacedRing placed;
  SharedLayout stage;
  for (auto [index, bytes] : llvm::enumerate(shape.parts))
    placed.parts.push_back(stage.add("part " + std::to_string(index), bytes,
                                     bytes % kSwizzleBytes == 0 ? kSwizzleBytes : kCopyBytes));
  placed.layout.stages = shape.handedOver();
  placed.layout.emptyArrivals = 1; // there are such barriers; Pipeline counts who arrives
  placed.layout.placeStages(shared, shape.name, stage);
  return placed;
}

llvm::SmallVector<PlacedRing> placeRings(SharedLayout &shared, llvm::ArrayRef<RingShape> shapes) {
  llvm::SmallVector<PlacedRing> placed;
  for (const RingShape &shape : shapes)
    placed.push_back(placeStages(shared, shape));
  for (auto [ring, shape] : llvm::zip(placed, shapes))
    ring.layout.placeBarriers(shared, shape.name);
  return placed;
}

int64_t placeTensorAddress(SharedLayout &shared) { return shared.add("tensor memory address", 4, 4); }

} // namespace mxc
