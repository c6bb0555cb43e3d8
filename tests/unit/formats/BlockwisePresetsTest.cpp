// Presets of f32 scales for blocks of 128 against the peers' published algorithms, restated here: own element
// encoder, the peer's own way to the maximum, to the scale and to the multiplier.
#include "tests/unit/formats/PeerElement.h"
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <limits>
#include <set>

using namespace mxc;
using namespace mxc::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kMost = std::numeric_limits<float>::max();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Block {
  float scale = 0;
  std::vector<int> codes;
};

// torch's conversion to float8_e4m3fn does not saturate: from 464 on there is NaN, and NaN keeps its sign,
// which says nothing.
int convertInTorch(float x) { return std::abs(x) <= 464 ? convert(kE4m3, x) : 0x7F; }

// DeepGEMM (2026-10), deep_gemm/utils/math.py: per_token_cast_to_fp8, per_channel_cast_to_fp8 and
// per_block_cast_to_fp8 without use_ue8m0, in torch on a CPU, whose amax and clamp keep NaN.
Block deepGemm(std::span<const float> values, bool usesPowers = false) {
  float amax = 0;
  for (float value : values)
    amax = std::isnan(value) || std::isnan(amax) ? kNan : std::max(amax, std::fabs(value));
  if (amax < 1e-4f) amax = 1e-4f;
  float scale = amax / 448.0f;
  if (usesPowers) { // ceil_to_ue8m0
    const uint32_t bits = bitsOf(scale), exponent = (bits >> 23 & 0xFF) + ((bits & 0x7FFFFF) != 0);
    scale = floatOf(std::clamp(exponent, 1u, 254u) << 23);
  }
  const float multiplier = 1.0f / scale;
  Block block{scale, {}};
  for (float value : values)
    block.codes.push_back(convertInTorch(value * multiplier));
  return block;
}

// TransformerEngine (2026-10), common/transpose/quantize_transpose_{vector,square}_blockwise.cu: fmaxf drops
// NaN; common/recipe/recipe_common.cuh, compute_scale_from_amax with epsilon 0. `largestInput`: of the type
// of the inputs, where the quotient overflows.
Block transformerEngine(const Element &element, std::span<const float> values, bool isPower,
                        float largestInput) {
  float amax = 0, scale = 1;
  for (float value : values)
    amax = maxDroppingNan(amax, std::fabs(value));
  if (amax != 0 && !std::isinf(amax)) {
    scale = element.largest / amax;
    if (std::isinf(scale)) scale = largestInput;
    if (isPower) scale = floatOf(bitsOf(scale) & 0xFF800000);
  }
  Block block{float(1.0 / double(scale)), {}};
  for (float value : values)
    block.codes.push_back(convert(element, value * scale));
  return block;
}

float largestOf(FloatType type) {
  return type == FloatType::BF16 ? 0x1.FEp127f : type == FloatType::F16 ? 65504.0f : kMost;
}

BlockFormat formatOf(const Element &element) {
  return *blockFormatOf(element.format, ScaleFormat::F32, BlockShape{1, 128});
}

bool agrees(std::string_view preset, const Element &element, std::span<const float> values,
            const Block &expected) {
  const CompatPreset p = compatPresetNamed(preset, ScaleFormat::F32).value();
  const QuantizeRule rule{formatOf(element), p.rounding, p.special, p.tiny};
  std::vector<uint8_t> codes(values.size());
  const uint32_t scale = quantizeBlock(values, rule, codes.data());
  const bool isNan = std::isnan(expected.scale);
  return scale == (isNan ? 0x7FFFFFFF : bitsOf(expected.scale)) &&
         std::equal(codes.begin(), codes.end(), expected.codes.begin(), expected.codes.end());
}

bool deepseekAgrees(std::span<const float> values) {
  return agrees("deepseek", kE4m3, values, deepGemm(values));
}

void checkAll(std::span<const float> values, FloatType type) {
  std::vector<uint32_t> bits;
  for (float value : values)
    bits.push_back(bitsOf(value));
  CAPTURE(bits);
  CHECK(deepseekAgrees(values));
  for (const Element &element : {kE4m3, kE5m2}) {
    float amax = 0;
    for (float value : values)
      amax = maxDroppingNan(amax, std::fabs(value));
    const float largest = largestOf(type);
    CHECK(agrees("te_blockwise", element, values, transformerEngine(element, values, true, largest)));
    // In place of a quotient that overflows f32 stands the largest of the inputs' type there, of f32 here.
    if (amax == 0 || std::isfinite(element.largest / amax) || type == FloatType::F32)
      CHECK(agrees("te_blockwise_f32", element, values, transformerEngine(element, values, false, largest)));
  }
}

} // namespace

TEST_CASE("blockwise presets: there is a peer for every one") {
  std::set<std::string_view> presets;
  for (const CompatPreset &preset : compatPresets())
    if (preset.scale == ScaleFormat::F32) presets.insert(preset.name);
  CHECK(presets == std::set<std::string_view>{"deepseek", "te_blockwise", "te_blockwise_f32"});
}

TEST_CASE("blockwise presets: every bf16 and f16, alone and beside smaller, zero and special elements") {
  for (FloatType type : {FloatType::BF16, FloatType::F16})
    for (float value : everyValue(type)) {
      uint16_t smaller; // in the input type, somewhere in the binades below
      storeFloat(type, &smaller, 0, std::isfinite(value) ? value * -0.2937f : 1.5f);
      checkAll(std::array{value}, type);
      checkAll(std::array{value, loadFloat(type, &smaller, 0), -0.0f}, type);
      checkAll(std::array{0.8125f, value, kNan}, type);
    }
}

TEST_CASE("blockwise presets: f32 around every boundary, at random and with heavy tails") {
  for (ElementFormat element : {ElementFormat::E4M3, ElementFormat::E5M2})
    for (uint32_t bits : boundaryBits(element))
      checkAll(std::array{floatOf(bits), floatOf(bits) * -0.2937f}, FloatType::F32);
  std::mt19937 random(5);
  for (int i = 0; i < 50'000; ++i)
    checkAll(std::array{floatOf(uint32_t(random()))}, FloatType::F32);
  for (uint32_t seed = 0; seed < 500; ++seed)
    checkAll(heavyTailed(128, seed), FloatType::F32);
}

TEST_CASE("blockwise presets: blocks of zeros, NaN and Inf") {
  for (float value : {0.0f, -0.0f, kNan, -kNan, kInf, -kInf}) {
    checkAll(std::vector<float>(128, value), FloatType::F32);
    std::vector<float> one = heavyTailed(128, 9);
    one[17] = value;
    checkAll(one, FloatType::F32);
  }
  checkAll(std::array{kInf, kNan, 1.0f, -kInf, -0.0f}, FloatType::F32);
}

TEST_CASE("blockwise presets: DeepGEMM's powers of two are ceil with its clamp, for finite blocks") {
  const QuantizeRule rule{formatOf(kE4m3), Rounding::Ceil, Special::Propagate, TinyBlock::Clamp};
  QuantizeRule ofBytes = rule;
  ofBytes.format = BlockFormat::MXFP8_E4M3;
  const auto check = [&](float value) {
    uint8_t code;
    const Block expected = deepGemm(std::array{value}, /*usesPowers=*/true);
    REQUIRE(quantizeBlock(std::array{value}, rule, &code) == bitsOf(expected.scale));
    REQUIRE(code == expected.codes.front());
    REQUIRE(quantizeBlock(std::array{value}, ofBytes, &code) == bitsOf(expected.scale) >> 23);
    REQUIRE(code == expected.codes.front());
  };
  for (float value : everyValue(FloatType::BF16))
    if (std::isfinite(value)) check(value);
  for (uint32_t bits : boundaryBits(ElementFormat::E4M3))
    check(floatOf(bits));
}

TEST_CASE("rules: scales of one byte are the powers of two that f32 scales have") {
  const auto check = [](const QuantizeRule &wide, const QuantizeRule &narrow, float value) {
    uint8_t code, sameCode;
    const float scale = floatOf(quantizeBlock(std::array{value}, wide, &code));
    const uint32_t byte = quantizeBlock(std::array{value}, narrow, &sameCode);
    REQUIRE((std::isnan(scale) ? byte == 0xFF : scaleValue(ScaleFormat::UE8M0, byte) == scale));
    REQUIRE(sameCode == code);
  };
  for (TinyBlock tiny : {TinyBlock::Exact, TinyBlock::Clamp})
    for (Special special : {Special::Propagate, Special::Saturate, Special::UnitScale}) {
      const QuantizeRule wide{formatOf(kE4m3), Rounding::Ceil, special, tiny};
      QuantizeRule narrow = wide;
      narrow.format = BlockFormat::MXFP8_E4M3;
      for (float value : everyValue(FloatType::BF16))
        check(wide, narrow, value);
    }
}

TEST_CASE("blockwise presets: the rules differ where the peers do") {
  const auto scaleOf = [](std::string_view name, float amax) {
    const CompatPreset p = compatPresetNamed(name, ScaleFormat::F32).value();
    return floatOf(blockScale(bitsOf(amax), {formatOf(kE4m3), p.rounding, p.special, p.tiny}).code);
  };
  CHECK(scaleOf("deepseek", 0) == 1e-4f / 448);
  CHECK(scaleOf("te_blockwise", 0) == 1);
  CHECK(scaleOf("deepseek", kInf) == kInf);
  CHECK(scaleOf("te_blockwise_f32", kInf) == 1);
  CHECK(scaleOf("te_blockwise", 3) == 0x1p-7f);
  CHECK(scaleOf("deepseek", 11) != scaleOf("te_blockwise_f32", 11)); // 11 / 448, and 1 / (448 / 11)
}

TEST_CASE("rules: words that are for other scales") {
  const auto fault = [](QuantizeRule rule, ScaleFormat scale) { return faultOfRule(rule, scale); };
  CHECK(fault({}, ScaleFormat::UE8M0) == "");
  CHECK(fault({.rounding = Rounding::Nearest}, ScaleFormat::UE8M0) ==
        "rounding = nearest is for scales of f32 or ue4m3");
  CHECK(fault({}, ScaleFormat::UE4M3) == "rounding = ceil is for scales of ue8m0 or f32");
  CHECK(fault({.special = Special::Ieee}, ScaleFormat::UE8M0) == "special = ieee is for scales of f32");
  CHECK(fault({.special = Special::UnitScale, .tiny = TinyBlock::Clamp}, ScaleFormat::UE8M0) == "");
  CHECK(fault({.rounding = Rounding::Inverse, .tiny = TinyBlock::Clamp}, ScaleFormat::UE4M3) == "");
  CHECK(fault({.rounding = Rounding::Nearest, .tiny = TinyBlock::ByteOne}, ScaleFormat::UE4M3) ==
        "tiny = byte_one is for scales of ue8m0");
  CHECK(fault({.tiny = TinyBlock::ByteOne}, ScaleFormat::F32) == "tiny = byte_one is for scales of ue8m0");
  CHECK(fault({.special = Special::Ieee}, ScaleFormat::F32) ==
        "special = ieee is for scales that are quotients: rounding = nearest, reciprocal or inverse");
  CHECK(fault({.rounding = Rounding::Nearest, .special = Special::Ieee}, ScaleFormat::F32) == "");
}
