// The Hadamard transform of 16 elements (docs/semantics/nvfp4.md, "Hadamard transform").
#pragma once

#include <cstdint>
#include <span>

namespace mxc {

inline constexpr int kHadamardElements = 16;
/// Bit i: element i is taken with the sign -. TransformerEngine's, of its weight gradients.
inline constexpr uint32_t kHadamardSigns = 0xD7E8;
/// 1 / sqrt(16)
inline constexpr float kHadamardFactor = 0.25f;

/// For every 16 elements of each row: factor and signs, four stages of sums and differences in f32, and the
/// results rounded to bf16. A part of 16 at a row's end is taken with zeros after it, and what comes there
/// is dropped.
void hadamardRows(std::span<float> values, int64_t columns);

} // namespace mxc
