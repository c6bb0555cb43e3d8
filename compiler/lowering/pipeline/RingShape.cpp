#include "compiler/lowering/pipeline/RingShape.h"

#include "dialect/MxOps.h"

#include "llvm/ADT/STLExtras.h"

namespace mxc {

static PlacedRing placeStages(SharedLayout &shared, const RingShape &shape) {
  constexpr int64_t kCopyBytes = 128; // a copy's alignment
  PlacedRing placed;
  SharedLayout stage;
  for (auto [index, bytes] : llvm::enumerate(shape.regions))
    placed.regions.push_back(stage.add("part " + std::to_string(index), bytes,
                                       bytes % shape.alignment == 0 ? shape.alignment : kCopyBytes));
  placed.layout.stages = shape.handedOver();
  placed.layout.emptyArrivals = !shape.once; // whether there are such barriers; Pipeline counts who arrives
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

mlir::Value createRing(const ValueBuilder &v, const RingShape &shape, llvm::StringRef name) {
  return mx::RingOp::create(v.b, v.loc, mx::RingType::get(v.b.getContext()),
                            v.b.getStringAttr(name.empty() ? llvm::StringRef(shape.name) : name),
                            v.b.getI32IntegerAttr(shape.stages),
                            shape.once ? v.b.getUnitAttr() : mlir::UnitAttr(),
                            v.b.getDenseI64ArrayAttr(shape.regions), v.b.getI32IntegerAttr(shape.alignment),
                            v.b.getI32IntegerAttr(shape.columns), v.b.getI32IntegerAttr(shape.overlap));
}

int64_t placeTensorAddress(SharedLayout &shared) { return shared.add("tensor memory address", 4, 4); }

} // namespace mxc
