#include "compiler/lowering/entry/MatrixTensorMap.h"

#include <algorithm>

namespace mxc {

namespace {
struct MapElement {
  std::string_view argumentType;
  TensorMapType type;
  int bytes;
};
constexpr MapElement kElements[] = {
    {"bf16", TensorMapType::BF16, 2}, {"f16", TensorMapType::F16, 2}, {"f32", TensorMapType::F32, 4}};
} // namespace

TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows) {
  TensorMapRecipe map;
  map.argument = matrix.name;
  const MapElement &element = *std::ranges::find(kElements, matrix.type, &MapElement::argumentType);
  map.type = element.type;
  map.sizes = {matrix.shape[1], matrix.shape[0]};
  // The driver wants a multiple of 16 even of the stride that a single row never uses.
  map.strides = {"ceildiv(stride0 * " + std::to_string(element.bytes) + ", 16) * 16"};
  map.box = {boxColumns, boxRows};
  map.elementStrides = {1, 1};
  return map;
}

} // namespace mxc
