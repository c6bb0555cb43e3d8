// The element types of tensors: a kernel argument's name for each, safetensors' name, and the size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mxc {

struct ElementType {
  std::string_view name;        // as in the ABI: "bf16", "e4m3", "ue8m0"; "" where no kernel takes it
  std::string_view safetensors; // "BF16", "F8_E4M3", "F8_E8M0"
  int bits;                     // in memory; types below 8 bits are packed
};

std::span<const ElementType> elementTypes();
const ElementType *elementTypeNamed(std::string_view name); // by the ABI's name; null if unknown
const ElementType *elementTypeOfSafetensors(std::string_view safetensorsName); // null if unknown

/// Returns whether an argument of the ABI's type takes a tensor of `type`: the same type, or bytes for scales
/// and for packed elements, which tensors and files have no name for.
bool acceptsType(std::string_view abiType, std::string_view type);

/// How many elements of the ABI's type so many elements of a tensor's `type` are, along the dimension where
/// they are packed or in a stride of another one: bytes hold 8 / bits of them. nullopt: they hold no whole
/// number.
std::optional<int64_t> elementsIn(std::string_view abiType, std::string_view type, int64_t count);

} // namespace mxc
