#include "compiler/lowering/entry/MatrixTensorMap.h"

#include "dialect/formats/ElementFormat.h"

namespace mxc {

std::optional<TensorMapType> tensorMapTypeOf(std::string_view argumentType) {
  static const std::map<std::string_view, TensorMapType> types = {
      {"bf16", TensorMapType::BF16}, {"f16", TensorMapType::F16},  {"f32", TensorMapType::F32},
      {"i32", TensorMapType::I32},   {"i64", TensorMapType::I64},  {"e4m3", TensorMapType::U8},
      {"e5m2", TensorMapType::U8},   {"ue8m0", TensorMapType::U8}, {"ue4m3", TensorMapType::U8},
      {"u8", TensorMapType::U8}};
  auto found = types.find(argumentType);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

static int64_t elementBytes(TensorMapType type) {
  switch (type) {
  case TensorMapType::F32:
  case TensorMapType::I32:
    return 4;
  case TensorMapType::I64:
    return 8;
  case TensorMapType::U8:
    return 1;
  default:
    return 2;
  }
}

TensorMapRecipe matrixTensorMap(const AbiArgument &matrix, uint32_t boxColumns, uint32_t boxRows) {
  TensorMapRecipe map;
  map.argument = matrix.name;
  map.type = tensorMapTypeOf(matrix.type).value();
  map.sizes = {matrix.shape[1], matrix.shape[0]};
  // The driver wants a multiple of 16 even of the stride that a single row never uses.
  map.strides = {"ceildiv(stride0 * " + std::to_string(elementBytes(map.type)) + ", 16) * 16"};
  map.box = {boxColumns, boxRows};
  map.elementStrides = {1, 1};
  return map;
}

} // namespace mxc
