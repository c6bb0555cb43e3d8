// The scale and the quantization of a block: the numerics contract (docs/semantics/scales.md) in code.
#pragma once

#include "dialect/formats/BlockFormat.h"
#include "dialect/formats/RandomBits.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mxc {

inline constexpr int kNumericsVersion = 1; // a change of any result bit is a change of this

/// How a scale follows from the block's absolute maximum A. Scales of f32 may be quotients, those of TwoLevel
/// are: the last three.
enum class Rounding : uint8_t {
  Ceil,       // the smallest power of two that keeps the maximum finite ("RCEIL" elsewhere)
  Floor,      // OCP MX v1.0: exponent of the maximum less emax; the maximum may saturate
  Even,       // as floor, after the maximum was rounded to the element's mantissa
  Nearest,    // A / max finite; elements are multiplied by max finite / A
  Reciprocal, // A / max finite; elements are multiplied by the scale's reciprocal (DeepGEMM). With TwoLevel:
              // products with reciprocals in place of the quotients by T and max finite (TransformerEngine)
  Inverse,    // elements are multiplied by max finite / A, whose reciprocal is the scale (TransformerEngine).
              // With TwoLevel: as nearest, but the multiplier is the quotient of 1 / T by the scale (torchao)
};

/// What NaN and Inf in a block do.
/// In formats without NaN, +max finite stands for every NaN element.
enum class Special : uint8_t {
  Propagate, // either one makes the whole block NaN: scale NaN, every element NaN
  Saturate,  // NaN is ignored for the maximum and stays a NaN element; Inf gives the largest scale (0xFE of
             // ue8m0) and +-max finite
  NanScale,  // NaN is ignored for the maximum; Inf gives scale NaN, finite elements +-0, others NaN
             // (Megatron)
  Ieee,      // what IEEE 754's operations give: NaN gives scale NaN; Inf gives scale Inf, finite elements
             // +-0, others NaN (DeepGEMM). For scales that are quotients
  UnitScale, // NaN is ignored for the maximum; Inf, and a block of zeros, give scale 1 (TransformerEngine).
             // For scales of f32
};
/// Whether a NaN is the block's maximum.
constexpr bool countsNan(Special special) {
  return special == Special::Propagate || special == Special::Ieee;
}

/// What happens to blocks so small that a scale that is a power of two would be subnormal as an f32 (below
/// 2^-126).
enum class TinyBlock : uint8_t {
  Exact,   // the general rule, down to byte 0 = 2^-127
  ByteOne, // at least 1 where maximum / max finite does not round to zero in f32 (Megatron's bit trick)
  Clamp,   // the maximum is 1e-4, rounded to f32, at least (DeepGEMM); of TwoLevel the scale is at least the
           // smallest normal number, 2^-6 (torchao)
};
inline constexpr float kClampedMaximum = 1e-4f, kClampedScale = 0x1p-6f;

/// What is given for the whole tensor, of formats that have a scale of it.
enum class TensorSense : uint8_t {
  Scale,   // T
  Amax,    // the largest magnitude g: T is g / (max finite * the largest scale)
  Divisor, // 1 / T
};

struct QuantizeRule {
  BlockFormat format = BlockFormat::MXFP8_E4M3;
  Rounding rounding = Rounding::Ceil;
  Special special = Special::Propagate;
  TinyBlock tiny = TinyBlock::Exact;
  float tensorScale = 1; // of a format that has one, what is given of T: a value is code * scale * T
  TensorSense sense = TensorSense::Scale;
  std::optional<RandomSource> random = {}; // elements are rounded by random bits; none: to nearest
  bool isFourOverSix = false;  // of two scales the one with the smaller squared error; of TwoLevel
  BlockShape repeats = {1, 1}; // so many rows and columns of the format's blocks have one maximum and scale
  /// Elements that have one maximum.
  BlockShape maximumBlock() const {
    return {info(format).blockRows * repeats.rows, info(format).blockColumns * repeats.columns};
  }
  bool operator==(const QuantizeRule &) const = default;
};

std::string_view name(Rounding rounding); // "ceil", "floor", "even", "nearest", "reciprocal", "inverse"
std::string_view name(Special special);   // "propagate", "saturate", "nan_scale", "ieee", "unit_scale"
std::string_view name(TinyBlock tiny);    // "exact", "byte_one", "clamp"
std::string_view name(TensorSense sense); // "tensor_scale", "tensor_amax", "tensor_divisor"
std::optional<Rounding> roundingNamed(std::string_view name);
std::optional<Special> specialNamed(std::string_view name);
std::optional<TinyBlock> tinyBlockNamed(std::string_view name);
std::optional<TensorSense> tensorSenseNamed(std::string_view name);

/// A peer's published rule as a named triple, for scales of one format: "te", "torchao", "megatron",
/// "cublas", "deepseek", "te_blockwise", "te_blockwise_f32", "flashinfer". A name may stand for scales of
/// several formats, a triple each. The element stays the caller's. What is not bit-exact says
/// docs/semantics/scales.md.
struct CompatPreset {
  std::string_view name;
  ScaleFormat scale;
  Rounding rounding;
  Special special;
  TinyBlock tiny;
};
std::span<const CompatPreset> compatPresets();
std::optional<CompatPreset> compatPresetNamed(std::string_view name, ScaleFormat scale);

/// Quotients where scales can be these, else ceil.
Rounding defaultRounding(ScaleFormat scale);
/// "" or which of the rule's words scales of that format do not have: "rounding = nearest is for scales of
/// f32".
std::string faultOfRule(const QuantizeRule &rule, ScaleFormat scale);

/// Whether the rules of this file are those of the format: above its blocks' scales there is at most one, for
/// the whole tensor.
bool hasQuantizeRule(BlockFormat format);

struct BlockScale {
  uint32_t code;    // of the format's scales
  float multiplier; // of the block's elements, before they are encoded
};

/// The scale of a block whose absolute maximum A has the f32 bit pattern `amaxBits` (sign clear). For
/// Special::Saturate and NanScale the maximum must already exclude NaN.
///   ScaleRule::PowerOfTwo  the code e of a power of two; the multiplier is 2^(127-e), exactly
///   ScaleRule::Quotient    an f32 as Rounding says, each quotient rounded to nearest once: A' / max finite
///                          and its multiplier, or the power of two that PowerOfTwo has. A' is A, but max
///                          finite * 2^-126 at least (under Clamp kClampedMaximum) and FLT_MAX at most
///   ScaleRule::TwoLevel    s = (A / max finite) / T, rounded to the scale's format, to nearest even,
///                          saturating; the multiplier 1 / (s * T), FLT_MAX at most. T is |tensorScale|, but
///                          2^-80 at least (also for NaN) and 2^80 at most; or what TensorSense says. Every
///                          operation is rounded to f32, to nearest, once
/// NaN (Inf, too, unless Special::Saturate) gives the code of NaN and the multiplier NaN, under NanScale 0.
/// Special::Ieee and UnitScale: as they say.
BlockScale blockScale(uint32_t amaxBits, const QuantizeRule &rule);
/// The same for any two formats, in the place of the rule's.
BlockScale blockScale(uint32_t amaxBits, ElementFormat element, ScaleFormat scale, const QuantizeRule &rule);
/// The scale of a block that had one of PowerOfTwo, of the value p, as one of TwoLevel: with r = p / T, but
/// 2^-100 at least and 2^100 at most, r within these bounds, rounded to the scale's format; the multiplier
/// r / scale. NaN stays NaN, with the multiplier NaN.
inline constexpr float kLeastRescaled = 0x1p-9f, kMostRescaled = 0x1p8f; // powers of two that ue4m3 has
BlockScale rescaled(ScaleFormat from, uint32_t code, ScaleFormat to, float tensorScale);
/// T, as the rule of TwoLevel takes it.
float usedTensorScale(const QuantizeRule &rule);
/// 1 / (scale * T), FLT_MAX at most: the multiplier that belongs to a scale of TwoLevel.
float blockMultiplier(ScaleFormat scale, uint32_t code, float tensorScale);

/// For four over six: elements of a block; what the second scale is greater by; elements whose squares are
/// summed first; the largest of the first scales, so that of the second ones none saturates.
inline constexpr int kFourOverSixElements = 16, kErrorRun = 4;
inline constexpr float kFourOverSixFactor = 1.5f, kFourOverSixLargest = 256;
/// What the tensor's largest magnitude is over T: the largest element times the largest scale.
float tensorRange(BlockFormat format, bool isFourOverSix);

/// Quantizes one block, or what is left of one at a row's end (it behaves as if padded with +0). Writes
/// values.size() codes, one a byte, and returns the scale's code. `random`: a byte for each element; empty:
/// they are rounded to nearest.
uint32_t quantizeBlock(std::span<const float> values, const QuantizeRule &rule, uint8_t *codes,
                       std::span<const uint8_t> random = {});

} // namespace mxc
