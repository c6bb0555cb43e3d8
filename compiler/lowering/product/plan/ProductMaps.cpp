#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"

using namespace mlir;

namespace mxc {

static constexpr int kBoxRowBytes = 128;

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

static MapElement elementOf(const AbiArgument &argument, bool isPadded) {
  return isPadded ? paddedMapElementOf(argument.type) : mapElementOf(argument.type);
}

static MapDimension columnsOf(const MapElement &element, const ShapeExpression &columns) {
  return {columns, {}, uint32_t(8 * kBoxRowBytes / element.sharedBits())};
}

TensorMapRecipe matrixMap(Value value, const KernelSignature &signature, const ProductExtents &extents,
                          const ShapeExpression &rows, const ShapeExpression &columns, uint32_t boxRows,
                          int boxMatrices, bool isPadded) {
  const AbiArgument &argument = signature.argument(value);
  const MapElement element = elementOf(argument, isPadded);
  const int partDimension = extents.isBatched ? 1 : 0;
  SmallVector<MapDimension> dimensions = {
      columnsOf(element, columns),
      {rows, mapStride(partDimension + (boxMatrices ? 1 : 0), element), boxRows}};
  if (boxMatrices)
    dimensions.push_back({extents.matrices, mapStride(partDimension, element), uint32_t(boxMatrices)});
  if (extents.isBatched) dimensions.push_back({extents.batches, mapStride(0, element), 1});
  return tensorMapRecipe(argument.name, element.type, TensorMapSwizzle::B128, dimensions);
}

TensorMapRecipe groupedMap(Value value, const KernelSignature &signature, const ShapeExpression &columns,
                           uint32_t boxRows, bool isPadded) {
  const AbiArgument &argument = signature.argument(value);
  const MapElement element = elementOf(argument, isPadded);
  constexpr int64_t kAny = INT32_MAX, kBack = int64_t(1) << 34; // kGroupEdge * kBack = 2^64
  const ShapeExpression row = mapStride(0, element);
  SmallVector<MapDimension> dimensions = {columnsOf(element, columns),
                                          {kGroupEdge, row, boxRows},
                                          {kAny, std::to_string(kBack) + " - " + row.text(), 1},
                                          {kAny, row, 1}};
  return tensorMapRecipe(argument.name, element.type, TensorMapSwizzle::B128, dimensions);
}

TensorMapRecipe rowsMap(Value value, const KernelSignature &signature, const ProductExtents &extents,
                        const ShapeExpression &columns, uint32_t boxRows, bool isPadded) {
  if (extents.hasGroups()) return groupedMap(value, signature, columns, boxRows, isPadded);
  return matrixMap(value, signature, extents, extents.m, columns, boxRows, 0, isPadded);
}

SmallVector<Value> rowsCoordinates(const ValueBuilder &v, Value column, Value row, Value end,
                                   bool hasGroups) {
  if (!hasGroups) return {column, row};
  return {column, v.add(v.sub(row, end), kGroupEdge), v.i32(kGroupEdge), end};
}

SmallVector<TensorMapRecipe> resultMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                                        uint32_t boxRows) {
  const ProductExtents extents(op, signature);
  SmallVector<TensorMapRecipe> maps;
  for (Value output : mx::matrixResults(op))
    maps.push_back(rowsMap(output, signature, extents.ofResults(), extents.n, boxRows));
  return maps;
}

} // namespace mxc
