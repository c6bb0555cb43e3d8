// The enumerators' names in the record, in the enumerations' order.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <array>

namespace mxc {

template <size_t N> using AbiNames = std::array<std::string_view, N>;

inline constexpr auto kLayoutNames = std::to_array<std::string_view>({
    "row_major",
#define MXC_SCALE_LAYOUT(Name, name, ...) "scale_" name,
#include "dialect/formats/ScaleLayouts.def"
});
inline constexpr AbiNames<3> kArgumentKindNames = {"tensor", "scalar", "workspace"};
inline constexpr AbiNames<4> kAccessNames = {"in", "out", "inout", "constant"};
inline constexpr AbiNames<17> kRoleNames = {
    "data", "codes",      "column_codes", "scales", "left",    "right", "product",    "index", "ends",
    "amax", "column_sum", "tensor_scale", "alpha",  "inexact", "error", "row_values", "random"};
inline constexpr AbiNames<3> kZeroingNames = {"no", "once", "each_launch"};
inline constexpr AbiNames<5> kParameterNames = {"pointer", "stride", "dimension", "scalar", "tensor_map"};

// The driver's: CU_TENSOR_MAP_DATA_TYPE_.., _SWIZZLE_.., _L2_PROMOTION_.., _FLOAT_OOB_FILL_..
inline constexpr AbiNames<16> kMapTypeNames = {
    "u8",  "u16",  "u32",     "i32",  "u64",      "i64",          "f16",           "f32",
    "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "16u4_align8b", "16u4_align16b", "16u6_align16b"};
inline constexpr AbiNames<7> kMapSwizzleNames = {
    "none", "32b", "64b", "128b", "128b_atom_32b", "128b_atom_32b_flip_8b", "128b_atom_64b"};
inline constexpr AbiNames<4> kMapPromotionNames = {"none", "64b", "128b", "256b"};
inline constexpr AbiNames<2> kMapFillNames = {"zeros", "nan"};

template <size_t N, typename Enumerator>
constexpr std::string_view nameIn(const AbiNames<N> &names, Enumerator value) {
  return names[static_cast<size_t>(value)];
}

} // namespace mxc
