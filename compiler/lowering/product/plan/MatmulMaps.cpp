#include "compiler/lowering/product/plan/MatmulMaps.h"
#include "compiler/lowering/product/warpgroups/OperandCopies.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

TensorMapRecipe tensorMapRecipe(std::string argument, TensorMapType type, TensorMapSwizzle swizzle,
                                ArrayRef<MapDimension> dimensions) {
  TensorMapRecipe map;
  map.argument = std::move(argument);
  map.type = type;
  map.swizzle = swizzle;
  for (auto [index, dimension] : llvm::enumerate(dimensions)) {
    map.sizes.push_back(dimension.size);
    if (index) map.strides.push_back(dimension.stride);
    map.box.push_back(dimension.box);
    map.elementStrides.push_back(1);
  }
  return map;
}

// Of a dimension with one element the stride may be anything; the driver wants a multiple of 16.
static std::string strideBytes(int dimension, int bytes) {
  return llvm::formatv("ceildiv(stride{0} * {1}, 16) * 16", dimension, bytes);
}

TensorMapRecipe matrixMap(std::string argument, TensorMapType type, int bytes, std::string columns,
                          std::string rows, std::string batches, uint32_t boxColumns, uint32_t boxRows) {
  bool batched = !batches.empty();
  SmallVector<MapDimension> dimensions = {{columns, "", boxColumns},
                                          {rows, strideBytes(batched, bytes), boxRows}};
  if (batched) dimensions.push_back({batches, strideBytes(0, bytes), 1});
  return tensorMapRecipe(std::move(argument), type, TensorMapSwizzle::B128, dimensions);
}

TensorMapRecipe scaleMap(std::string argument, std::string k, std::string rows, std::string batches,
                         uint32_t boxUnits, uint32_t boxTiles) {
  std::string steps = llvm::formatv("ceildiv({0}, {1})", k, kStepK),
              tiles = llvm::formatv("ceildiv({0}, 128)", rows);
  SmallVector<MapDimension> dimensions = {
      {"256", "", boxUnits}, {steps, "512", 1}, {tiles, "512 * " + steps, boxTiles}};
  if (!batches.empty()) dimensions.push_back({batches, "512 * " + steps + " * " + tiles, 1});
  return tensorMapRecipe(std::move(argument), TensorMapType::U16, TensorMapSwizzle::None, dimensions);
}

SmallVector<TensorMapRecipe> matmulMaps(mx::MatmulOp op, const KernelSignature &signature,
                                        const MatmulPlan &plan) {
  auto text = [&](StringRef dimension) { return signature.extent(dimension).text(); };
  auto name = [&](Value argument) { return signature.argument(argument).name; };
  std::string m = text("M"), n = text("N"), k = text("K"), b = op.isBatched() ? text("B") : "";
  SmallVector<TensorMapRecipe> maps;
  if (plan.onWarpgroups) {
    llvm::append_range(maps, operandCopyMaps(op, signature, plan));
  } else if (plan.loadsBoxes()) {
    maps.push_back(matrixMap(name(op.getA()), TensorMapType::U8, 1, k, m, b, kStepK, kCtaRows));
    maps.push_back(matrixMap(name(op.getB()), TensorMapType::U8, 1, k, n, b, kStepK, plan.columnsB()));
    maps.push_back(scaleMap(name(op.getScalesA()), k, m, b, 256, 1));
    bool halves = plan.ctas() == 2, one = plan.scaleTilesB() == 1;
    maps.push_back(
        scaleMap(name(op.getScalesB()), k, n, b, halves && one ? 128 : 256, halves ? 1 : plan.scaleTilesB()));
  }
  if (!plan.storesBoxes()) return maps;
  for (Value output : op.getOuts()) {
    Type element = cast<MemRefType>(output.getType()).getElementType();
    TensorMapType type = element.isBF16()  ? TensorMapType::BF16
                         : element.isF16() ? TensorMapType::F16
                                           : TensorMapType::F32;
    maps.push_back(
        matrixMap(name(output), type, plan.elementBytes, n, m, b, plan.boxColumns(), plan.storeRows()));
  }
  return maps;
}

} // namespace mxc
