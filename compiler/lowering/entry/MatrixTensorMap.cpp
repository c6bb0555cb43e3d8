#include "compiler/lowering/entry/MatrixTensorMap.h"

#include <algorithm>

namespace mxc {

namespace {
struct NamedElement {
  std::string_view argumentType;
  MapElement element;
};
constexpr NamedElement kElements[] = {{"bf16", {TensorMapType::BF16, 16}},
                                      {"f16", {TensorMapType::F16, 16}},
                                      {"f32", {TensorMapType::F32, 32}},
                                      {"e2m1", {TensorMapType::U4Align8B, 4}}};
constexpr NamedElement kPadded[] = {{"e2m1", {TensorMapType::U4Align16B, 4, true}},
                                    {"e2m3", {TensorMapType::U6Align16B, 6, true}},
                                    {"e3m2", {TensorMapType::U6Align16B, 6, true}}};
} // namespace

MapElement mapElementOf(std::string_view type) {
  const auto *known = std::ranges::find(kElements, type, &NamedElement::argumentType);
  return known == std::end(kElements) ? MapElement{TensorMapType::U8, 8} : known->element;
}

MapElement paddedMapElementOf(std::string_view type) {
  return std::ranges::find(kPadded, type, &NamedElement::argumentType)->element;
}

int mapAlignment(TensorMapType type) {
  const auto *padded =
      std::ranges::find_if(kPadded, [&](const NamedElement &named) { return named.element.type == type; });
  return padded == std::end(kPadded) ? MapElement{type, 8}.alignment() : padded->element.alignment();
}

ShapeExpression mapStride(int dimension, const MapElement &element) {
  const int bits = element.bits, multiple = element.alignment();
  const ShapeExpression stride("stride" + std::to_string(dimension));
  if (bits % 8 == 0) return ceilDiv(stride * (bits / 8), multiple) * multiple;
  return ceilDiv(stride * bits, 8 * multiple) * multiple;
}

TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows) {
  const MapElement element = mapElementOf(matrix.type);
  TensorMapRecipe map;
  map.argument = matrix.name;
  map.type = element.type;
  map.sizes = {matrix.shape[1], matrix.shape[0]};
  map.strides = {mapStride(0, element)};
  map.box = {boxColumns, boxRows};
  map.elementStrides = {1, 1};
  return map;
}

} // namespace mxc
