#include "runtime/device/ElementTypes.h"

namespace mxc {

static constexpr ElementType kTypes[] = {
    {"f64", "F64", 64},      {"f32", "F32", 32},      {"f16", "F16", 16}, {"bf16", "BF16", 16},
#define MXC_ELEMENT_FORMAT(Name, name, mlirType, exponentBits, mantissaBits, emax, maxFinite, nan,           \
                           safetensorsType)                                                                  \
  {(name), (safetensorsType), 1 + (exponentBits) + (mantissaBits)},
#include "dialect/formats/ElementFormats.def"
    {"ue8m0", "F8_E8M0", 8}, {"ue4m3", "F8_E4M3", 8}, {"i64", "I64", 64}, {"i32", "I32", 32},
    {"i16", "I16", 16},      {"i8", "I8", 8},         {"u64", "U64", 64}, {"u32", "U32", 32},
    {"u16", "U16", 16},      {"u8", "U8", 8},         {"", "BOOL", 8},
};

std::span<const ElementType> elementTypes() { return kTypes; }

const ElementType *elementTypeNamed(std::string_view name) {
  for (const ElementType &type : kTypes)
    if (type.name == name && !name.empty()) return &type;
  return nullptr;
}

const ElementType *elementTypeOfSafetensors(std::string_view safetensorsName) {
  for (const ElementType &type : kTypes)
    if (type.safetensors == safetensorsName) return &type;
  return nullptr;
}

static bool isPacked(std::string_view abiType) {
  const ElementType *type = elementTypeNamed(abiType);
  return type && type->bits < 8;
}

bool acceptsType(std::string_view abiType, std::string_view type) {
  if (abiType == type) return true;
  if (abiType == "ue4m3" && type == "e4m3") return true;
  return type == "u8" && (abiType == "ue8m0" || abiType == "ue4m3" || isPacked(abiType));
}

std::optional<int64_t> elementsIn(std::string_view abiType, std::string_view type, int64_t count) {
  if (type != "u8" || !isPacked(abiType)) return count;
  int64_t bits = 0;
  const int64_t ofOne = elementTypeNamed(abiType)->bits;
  if (__builtin_mul_overflow(count, int64_t(8), &bits) || bits % ofOne) return std::nullopt;
  return bits / ofOne;
}

} // namespace mxc
