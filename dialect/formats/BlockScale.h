// The ue8m0 scale and the quantization of a block of an MX format: the numerics contract (docs/semantics.md)
// in code.
#pragma once

#include "dialect/formats/BlockFormat.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mxc {

inline constexpr int kNumericsVersion = 1; // a change of any result bit is a change of this

/// How the scale follows from the block's absolute maximum.
enum class Rounding : uint8_t {
  Ceil,  // the smallest power of two that keeps the maximum finite ("RCEIL" elsewhere)
  Floor, // OCP MX v1.0: exponent of the maximum less emax; the maximum may saturate
  Even,  // as floor, after the maximum was rounded to the element's mantissa
};

/// What NaN and Inf in a block do.
/// In formats without NaN, +max finite stands for every NaN element.
enum class Special : uint8_t {
  Propagate, // either one makes the whole block NaN: scale 0xFF, every element NaN
  Saturate,  // NaN is ignored for the maximum and stays a NaN element; Inf gives scale 0xFE and +-max finite
  NanScale,  // NaN is ignored for the maximum; Inf gives scale 0xFF, finite elements +-0, others NaN
             // (Megatron)
};

/// What happens to blocks so small that the scale would be subnormal as an f32 (below 2^-126).
enum class TinyBlock : uint8_t {
  Exact,   // the general rule, down to byte 0 = 2^-127
  ByteOne, // at least 1 where maximum / max finite does not round to zero in f32 (Megatron's bit trick)
};

struct QuantizeRule {
  BlockFormat format = BlockFormat::MXFP8_E4M3;
  Rounding rounding = Rounding::Ceil;
  Special special = Special::Propagate;
  TinyBlock tiny = TinyBlock::Exact;
  bool operator==(const QuantizeRule &) const = default;
};

std::string_view name(Rounding rounding); // "ceil", "floor", "even"
std::string_view name(Special special);   // "propagate", "saturate", "nan_scale"
std::string_view name(TinyBlock tiny);    // "exact", "byte_one"
std::optional<Rounding> roundingNamed(std::string_view name);
std::optional<Special> specialNamed(std::string_view name);
std::optional<TinyBlock> tinyBlockNamed(std::string_view name);

/// A peer's published rule as a named triple: "te", "torchao", "megatron", "cublas". The element stays the
/// caller's. Bit-exact for every bf16 and f16 input, and for every f32 one but this: te, torchao and cublas
/// round A/448 to f32 first and so take byte 0, not 1, for the one maximum A just above 448 * 2^-127.
struct CompatPreset {
  std::string_view name;
  Rounding rounding;
  Special special;
  TinyBlock tiny;
};
std::span<const CompatPreset> compatPresets();
std::optional<CompatPreset> compatPresetNamed(std::string_view name);

/// Whether the rules of this file are those of the format: scales are ue8m0. NVFP4 has rules of its own, to
/// come.
bool hasQuantizeRule(BlockFormat format);

/// The scale byte of a block whose absolute maximum has the f32 bit pattern `amaxBits` (sign clear). For
/// Special::Saturate and NanScale the maximum must already exclude NaN.
uint8_t scaleByte(uint32_t amaxBits, const QuantizeRule &rule);

/// The f32 that elements are multiplied by: 2^(127-byte), exactly; NaN for NaN (0 under Special::NanScale).
float scaleMultiplier(uint8_t byte, const QuantizeRule &rule);

/// Quantizes one block, or what is left of one at a row's end (it behaves as if padded with +0). Writes
/// values.size() codes, one a byte, and returns the scale byte.
uint8_t quantizeBlock(std::span<const float> values, const QuantizeRule &rule, uint8_t *codes);

} // namespace mxc
