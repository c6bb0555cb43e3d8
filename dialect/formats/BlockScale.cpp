#include "dialect/formats/BlockScale.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace mxc {
namespace {

constexpr uint32_t kInfinityBits = 0x7F800000;

constexpr std::array<std::string_view, 6> kRoundingNames = {"ceil",    "floor",      "even",
                                                            "nearest", "reciprocal", "inverse"};
constexpr std::array<std::string_view, 5> kSpecialNames = {"propagate", "saturate", "nan_scale", "ieee",
                                                           "unit_scale"};
constexpr std::array<std::string_view, 3> kTinyBlockNames = {"exact", "byte_one", "clamp"};
constexpr std::array<std::string_view, 3> kTensorSenseNames = {"tensor_scale", "tensor_amax",
                                                               "tensor_divisor"};

template <typename Enum, size_t n>
std::optional<Enum> enumNamed(const std::array<std::string_view, n> &names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return Enum(found - names.begin());
}

// Each row is proven bit-exact (but for the f32 maxima that the header names) in
// tests/unit/formats/CompatPresetsTest.cpp, which restates the peer's algorithm.
constexpr std::array kCompatPresets = {
    // TransformerEngine, common/util/ptx_arch_spec.cuh (float_to_e8m0) and common/cast/mxfp8/: the maximum
    // drops NaN (fmaxf from 0); A * fl32(1/448) is rounded up with satfinite, so Inf gives 0xFE. All input
    // types alike.
    CompatPreset{"te", ScaleFormat::UE8M0, Rounding::Ceil, Special::Saturate, TinyBlock::Exact},
    // torchao, csrc/cuda/mx_kernels/mxfp8_quantize.cuh (max.NaN, e8m0 with NOSAT) and
    // prototype/mx_formats/mx_tensor.py, in RCEIL mode as its training recipes use; its FLOOR is this preset
    // with rounding = floor.
    CompatPreset{"torchao", ScaleFormat::UE8M0, Rounding::Ceil, Special::Propagate, TinyBlock::Exact},
    // Megatron-LM, core/inference/quantization/mxfp8_quantize.py: bits(A/448) + 0x7FFFFF, so a subnormal
    // ratio gives byte 1, and Inf gives 0xFF with multiplier 1/Inf = 0; tl.max drops NaN.
    CompatPreset{"megatron", ScaleFormat::UE8M0, Rounding::Ceil, Special::NanScale, TinyBlock::ByteOne},
    // cuBLASLt's quantized output, cuBLAS manual, "1D block scaling": the exponent goes up by one for a non-
    // zero mantissa (of a denormal: above one half) when it is below 254; Inf and NaN keep 255.
    CompatPreset{"cublas", ScaleFormat::UE8M0, Rounding::Ceil, Special::Propagate, TinyBlock::Exact},
    // DeepGEMM, deep_gemm/utils/math.py, per_token_cast_to_fp8 and its siblings without use_ue8m0, on a CPU
    // (torch divides by a constant on a GPU by its reciprocal): amax.clamp(1e-4) / 448, x * (1 / sf).
    CompatPreset{"deepseek", ScaleFormat::F32, Rounding::Reciprocal, Special::Ieee, TinyBlock::Clamp},
    // TransformerEngine, common/recipe/recipe_common.cuh, compute_scale_from_amax with amax_epsilon = 0, as
    // the recipe Float8BlockScaling has it: 448 / amax with its mantissa cleared, and its reciprocal; or with
    // NVTE_FP8_BLOCK_SCALING_FP32_SCALES=1 as it is. Zero and Inf have the scale 1; fmaxf drops NaN.
    CompatPreset{"te_blockwise", ScaleFormat::F32, Rounding::Ceil, Special::UnitScale, TinyBlock::Exact},
    CompatPreset{"te_blockwise_f32", ScaleFormat::F32, Rounding::Inverse, Special::UnitScale,
                 TinyBlock::Exact},
    // TransformerEngine's NVFP4, common/cast/nvfp4/ and the reference of its own tests: A times (2688 / amax
    // times 1/6), x times the reciprocal of the scale times that of 2688 / amax. fmaxf drops NaN.
    CompatPreset{"te", ScaleFormat::UE4M3, Rounding::Reciprocal, Special::Saturate, TinyBlock::Exact},
    // FlashInfer, vec_dtypes and quantization utilities for fp4 (cvt_warp_fp16_to_fp4), vLLM's alike: G times
    // (A
    // times 1/6), x times the reciprocal of the scale times that of G, by approximate reciprocals, whose bits
    // are the chip's. So this is the rule of te, within one step of it: semantics/presets.md says how near.
    CompatPreset{"flashinfer", ScaleFormat::UE4M3, Rounding::Reciprocal, Special::Saturate, TinyBlock::Exact},
    // torchao 0.18, prototype/mx_formats/nvfp4_tensor.py, nvfp4_quantize with per_tensor_scale: A / 6 / T is
    // clamped to e4m3's smallest normal number and above, and x is multiplied by (1 / T) / what that becomes.
    CompatPreset{"torchao", ScaleFormat::UE4M3, Rounding::Inverse, Special::Propagate, TinyBlock::Clamp},
};

constexpr bool isQuotient(Rounding rounding) { return rounding >= Rounding::Nearest; }

// The words of scales of each rule.
bool hasRounding(ScaleRule rule, Rounding rounding) {
  return rule == ScaleRule::Quotient || isQuotient(rounding) == (rule == ScaleRule::TwoLevel);
}

/// The largest |x| as f32 bits: they order as the magnitudes do, with Inf above the finite and NaN above Inf.
/// Signed, for the same reason as in encode.
uint32_t absoluteMaximum(std::span<const float> values, Special special) {
  const int32_t largest = countsNan(special) ? 0x7FFFFFFF : int32_t(kInfinityBits);
  int32_t maximum = 0;
  for (float value : values) {
    const int32_t magnitude = std::bit_cast<int32_t>(value) & 0x7FFFFFFF;
    const int32_t counted = magnitude > largest ? 0 : magnitude;
    maximum = counted > maximum ? counted : maximum;
  }
  return uint32_t(maximum);
}

} // namespace

std::string_view name(Rounding rounding) { return kRoundingNames[size_t(rounding)]; }
std::string_view name(Special special) { return kSpecialNames[size_t(special)]; }
std::string_view name(TinyBlock tiny) { return kTinyBlockNames[size_t(tiny)]; }
std::string_view name(TensorSense sense) { return kTensorSenseNames[size_t(sense)]; }
std::optional<Rounding> roundingNamed(std::string_view name) {
  return enumNamed<Rounding>(kRoundingNames, name);
}
std::optional<Special> specialNamed(std::string_view name) { return enumNamed<Special>(kSpecialNames, name); }
std::optional<TinyBlock> tinyBlockNamed(std::string_view name) {
  return enumNamed<TinyBlock>(kTinyBlockNames, name);
}
std::optional<TensorSense> tensorSenseNamed(std::string_view name) {
  return enumNamed<TensorSense>(kTensorSenseNames, name);
}

std::span<const CompatPreset> compatPresets() { return kCompatPresets; }

std::optional<CompatPreset> compatPresetNamed(std::string_view name, ScaleFormat scale) {
  for (const CompatPreset &preset : kCompatPresets)
    if (preset.name == name && preset.scale == scale) return preset;
  return std::nullopt;
}

Rounding defaultRounding(ScaleFormat scale) {
  return hasRounding(info(scale).rule, Rounding::Nearest) ? Rounding::Nearest : Rounding::Ceil;
}

std::string faultOfRule(const QuantizeRule &rule, ScaleFormat scale) {
  const auto isFor = [](std::string_view clause, std::string_view word, std::string_view what) {
    return std::string(clause) + " = " + std::string(word) + " is for " + std::string(what);
  };
  if (!hasRounding(info(scale).rule, rule.rounding))
    return isFor("rounding", name(rule.rounding),
                 isQuotient(rule.rounding) ? "scales of f32 or ue4m3" : "scales of ue8m0 or f32");
  if (info(scale).rule != ScaleRule::Quotient) {
    const bool isPower = info(scale).rule == ScaleRule::PowerOfTwo;
    constexpr std::string_view quotients = "scales of f32", oneLevel = "scales of f32 or ue8m0";
    if (rule.special == Special::Ieee) return isFor("special", name(rule.special), quotients);
    if (isPower) return "";
    if (rule.special == Special::UnitScale) return isFor("special", name(rule.special), oneLevel);
    if (rule.tiny == TinyBlock::ByteOne) return isFor("tiny", name(rule.tiny), "scales of ue8m0");
    return "";
  }
  if (rule.tiny == TinyBlock::ByteOne) return isFor("tiny", name(rule.tiny), "scales of ue8m0");
  if (rule.special == Special::Ieee && !isQuotient(rule.rounding))
    return isFor("special", name(rule.special),
                 "scales that are quotients: rounding = nearest, reciprocal or inverse");
  return "";
}

bool hasQuantizeRule(BlockFormat format) {
  const BlockFormatInfo &block = info(format);
  const bool isTwoLevel = info(block.scale).rule == ScaleRule::TwoLevel;
  return info(block.scale).rule != ScaleRule::None &&
         block.tensorScale == (isTwoLevel ? TensorScale::Tensor : TensorScale::None);
}

static BlockScale powerOfTwo(uint32_t amaxBits, const ElementFormatInfo &element, const QuantizeRule &rule) {
  if (rule.tiny == TinyBlock::Clamp) amaxBits = std::max(amaxBits, std::bit_cast<uint32_t>(kClampedMaximum));
  uint32_t rounded = amaxBits;
  switch (rule.rounding) {
  case Rounding::Ceil: // carries into the exponent just where A's mantissa is above max finite's
    rounded += 0x7FFFFF - (std::bit_cast<uint32_t>(element.maxFinite) & 0x7FFFFF);
    break;
  case Rounding::Floor:
    break;
  case Rounding::Even:
    rounded += 1u << (22 - element.mantissaBits);
    break;
  default: // quotients
    break;
  }
  // A / max finite rounds to zero in f32 up to max finite * 2^-150, the bits of which are max finite / 2.
  const bool raised = rule.tiny == TinyBlock::ByteOne && amaxBits > uint32_t(element.maxFinite / 2);
  const int smallest = raised ? 1 : 0, largest = 254;
  const int code =
      amaxBits == kInfinityBits ? largest : std::clamp(int(rounded >> 23) - element.emax, smallest, largest);
  return {uint32_t(code), scaleValue(ScaleFormat::UE8M0, uint32_t(largest - code))};
}

// A, but so large at least that the quotients are normal numbers, or as the rule says; NaN stays NaN.
static float clampedMaximum(float amax, float maxFinite, const QuantizeRule &rule) {
  constexpr float most = std::numeric_limits<float>::max();
  if (rule.tiny == TinyBlock::Clamp)
    amax = amax < kClampedMaximum ? kClampedMaximum : amax;
  else if (rule.rounding != Rounding::Inverse)
    amax = std::max(amax, maxFinite * std::numeric_limits<float>::min());
  return rule.special != Special::Ieee && amax > most ? most : amax;
}

// A scale of f32.
static BlockScale quotient(uint32_t amaxBits, const ElementFormatInfo &element, const QuantizeRule &rule) {
  constexpr float most = std::numeric_limits<float>::max();
  const auto scaled = [](float scale, float multiplier) {
    return BlockScale{scale == scale ? std::bit_cast<uint32_t>(scale) : info(ScaleFormat::F32).nan,
                      multiplier};
  };
  const float maxFinite = element.maxFinite;
  const float amax = clampedMaximum(std::bit_cast<float>(amaxBits), maxFinite, rule);
  switch (rule.rounding) {
  case Rounding::Nearest:
    return scaled(amax / maxFinite, maxFinite / amax);
  case Rounding::Reciprocal:
    return scaled(amax / maxFinite, 1 / (amax / maxFinite));
  case Rounding::Inverse: {
    const float inverse = maxFinite / amax, multiplier = inverse > most ? most : inverse;
    return scaled(1 / multiplier, multiplier);
  }
  default: { // that of a byte
    const BlockScale power = powerOfTwo(amaxBits, element, rule);
    return scaled(scaleValue(ScaleFormat::UE8M0, power.code), power.multiplier);
  }
  }
}

// Within 2^-80 and 2^80 no quotient that a scale can have leaves the normal numbers.
static float within(float x, float least, float most) {
  const float magnitude = std::fabs(x);
  return magnitude >= least ? std::min(magnitude, most) : least; // NaN, too
}
static float usedTensorScale(float tensorScale) { return within(tensorScale, 0x1p-80f, 0x1p80f); }

float tensorRange(BlockFormat format, bool isFourOverSix) {
  const float largest = isFourOverSix ? kFourOverSixLargest : info(ElementFormat::E4M3).maxFinite;
  return info(info(format).element).maxFinite * largest;
}

// 1 / T, as the rule of products takes it.
static float inverseTensorScale(const QuantizeRule &rule) {
  const float range = tensorRange(rule.format, rule.isFourOverSix);
  switch (rule.sense) {
  case TensorSense::Scale:
    return 1 / usedTensorScale(rule.tensorScale);
  case TensorSense::Amax:
    return range / within(rule.tensorScale, range * 0x1p-80f, range * 0x1p80f);
  case TensorSense::Divisor:
    break;
  }
  return usedTensorScale(rule.tensorScale);
}

float usedTensorScale(const QuantizeRule &rule) {
  if (rule.rounding == Rounding::Reciprocal) return 1 / inverseTensorScale(rule);
  const float range = tensorRange(rule.format, rule.isFourOverSix);
  switch (rule.sense) {
  case TensorSense::Scale:
    break;
  case TensorSense::Amax:
    return within(rule.tensorScale, range * 0x1p-80f, range * 0x1p80f) / range;
  case TensorSense::Divisor:
    return 1 / usedTensorScale(rule.tensorScale);
  }
  return usedTensorScale(rule.tensorScale);
}

float blockMultiplier(ScaleFormat scale, uint32_t code, float tensorScale) {
  const float multiplier = 1 / (scaleValue(scale, code) * usedTensorScale(tensorScale));
  constexpr float most = std::numeric_limits<float>::max();
  return multiplier <= most ? multiplier : most; // also where it is NaN
}

BlockScale rescaled(ScaleFormat from, uint32_t code, ScaleFormat to, float tensorScale) {
  if (code == info(from).nan) return {info(to).nan, std::numeric_limits<float>::quiet_NaN()};
  const float reciprocal = 1 / usedTensorScale(tensorScale),
              ratio = std::clamp(scaleValue(from, code) * reciprocal, 0x1p-100f, 0x1p100f);
  const uint32_t scale = encode(ElementFormat::E4M3, std::clamp(ratio, kLeastRescaled, kMostRescaled));
  return {scale, ratio / scaleValue(to, scale)};
}

static BlockScale twoLevel(uint32_t amaxBits, float maxFinite, ScaleFormat scale, const QuantizeRule &rule,
                           float factor = 1) {
  const float amax = std::bit_cast<float>(amaxBits), tensorScale = usedTensorScale(rule);
  float wanted = amax / maxFinite / tensorScale * factor;
  if (rule.rounding == Rounding::Reciprocal) {
    const float inverse = inverseTensorScale(rule), perBlock = inverse * (1 / maxFinite);
    wanted = amax * perBlock;
  }
  if (rule.tiny == TinyBlock::Clamp) wanted = std::max(wanted, kClampedScale);
  const uint32_t code = encode(ElementFormat::E4M3, wanted);
  if (rule.rounding == Rounding::Inverse)
    return {code, std::min(1 / tensorScale / scaleValue(scale, code), std::numeric_limits<float>::max())};
  return {code, blockMultiplier(scale, code, tensorScale)};
}

BlockScale blockScale(uint32_t amaxBits, ElementFormat element, ScaleFormat scale, const QuantizeRule &rule) {
  const bool isKept = rule.special == Special::Ieee || rule.special == Special::UnitScale ||
                      (rule.special == Special::Saturate && amaxBits == kInfinityBits);
  if (amaxBits >= kInfinityBits && !isKept)
    return {info(scale).nan,
            rule.special == Special::NanScale ? 0.0f : std::numeric_limits<float>::quiet_NaN()};
  if (rule.special == Special::UnitScale && (amaxBits == 0 || amaxBits == kInfinityBits))
    return {convertScale(ScaleFormat::F32, std::bit_cast<uint32_t>(1.0f), scale).code, 1};
  switch (info(scale).rule) {
  case ScaleRule::PowerOfTwo:
    return powerOfTwo(amaxBits, info(element), rule);
  case ScaleRule::TwoLevel:
    return twoLevel(amaxBits, info(element).maxFinite, scale, rule);
  case ScaleRule::Quotient:
  case ScaleRule::None:
    break;
  }
  return quotient(amaxBits, info(element), rule);
}

BlockScale blockScale(uint32_t amaxBits, const QuantizeRule &rule) {
  return blockScale(amaxBits, info(rule.format).element, info(rule.format).scale, rule);
}

// The error of a block under one of its scales, in units of the tensor's. The products of codes and scales
// are exact.
static float squaredError(std::span<const float> values, const uint8_t *codes, uint32_t scaleCode,
                          const QuantizeRule &rule) {
  const BlockFormatInfo &format = info(rule.format);
  const float scale = scaleValue(format.scale, scaleCode), reciprocal = 1 / usedTensorScale(rule);
  std::array<float, kFourOverSixElements> off = {};
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = decode(format.element, codes[i]) * scale, exact = values[i] * reciprocal;
    off[i] = value - exact;
  }
  float sums[2]; // of elements with even places, and with odd ones
  for (size_t place : {0, 1}) {
    float runs[kFourOverSixElements / kErrorRun];
    for (size_t run = 0; run < std::size(runs); ++run) {
      const float first = off[kErrorRun * run + place], second = off[kErrorRun * run + place + 2];
      runs[run] = std::fma(second, second, first * first);
    }
    sums[place] = (runs[0] + runs[1]) + (runs[2] + runs[3]);
  }
  return sums[0] + sums[1];
}

uint32_t quantizeBlock(std::span<const float> values, const QuantizeRule &rule, uint8_t *codes,
                       std::span<const uint8_t> random) {
  const ElementFormat element = info(rule.format).element;
  const uint32_t amaxBits = absoluteMaximum(values, rule.special);
  const BlockScale scale = blockScale(amaxBits, rule);
  for (size_t i = 0; i < random.size(); ++i)
    codes[i] = encodeStochastic(element, values[i] * scale.multiplier, random[i]);
  if (random.empty()) encodeScaled(element, values, scale.multiplier, codes);
  if (!rule.isFourOverSix || amaxBits >= kInfinityBits) return scale.code;
  std::array<uint8_t, kFourOverSixElements> others = {};
  const BlockScale other =
      twoLevel(amaxBits, info(element).maxFinite, info(rule.format).scale, rule, kFourOverSixFactor);
  encodeScaled(element, values, other.multiplier, others.data());
  if (!(squaredError(values, others.data(), other.code, rule) <
        squaredError(values, codes, scale.code, rule)))
    return scale.code;
  std::copy_n(others.begin(), values.size(), codes);
  return other.code;
}

} // namespace mxc
