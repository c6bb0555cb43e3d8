// Presets of NVFP4 against the peers' published algorithms, restated here, and what is given of the tensor's
// scale.
#include "tests/unit/formats/PeerElement.h"
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <bit>
#include <limits>
#include <set>
#include <tuple>

using namespace mxc;
using namespace mxc::test;

namespace {

constexpr float kMost = std::numeric_limits<float>::max(), kNan = std::numeric_limits<float>::quiet_NaN();

struct Block {
  int scale = 0;
  std::vector<int> codes;
};

// To nearest, ties to the even code; the sign is kept, also a zero's.
int e2m1Of(float x) {
  static constexpr float magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  int code = 0;
  for (int next = 1; next < 8; ++next) {
    const float middle = (magnitudes[next - 1] + magnitudes[next]) / 2;
    if (std::fabs(x) > middle || (std::fabs(x) == middle && next % 2 == 0)) code = next;
  }
  return code | (std::signbit(x) ? 8 : 0);
}

float e4m3Value(int code) {
  return code < 8 ? float(code) * 0x1p-9f : std::ldexp(float(8 + code % 8), code / 8 - 10);
}

float amaxOf(std::span<const float> values) {
  float amax = 0;
  for (float value : values)
    amax = maxDroppingNan(amax, std::fabs(value));
  return amax;
}

// TransformerEngine (d0067d0), pytorch/custom_recipes/reference_nvfp4.py, _quantize_blockwise_reference,
// which its tests hold the kernels against.
Block transformerEngine(std::span<const float> values, float tensorAmax) {
  float encode = std::min(2688.0f / tensorAmax, kMost);
  if (tensorAmax == 0 || encode == 0) encode = 1;
  const float decode = 1 / encode, multiplier = encode * (1.0f / 6.0f);
  Block block{convert(kE4m3, std::min(amaxOf(values) * multiplier, kMost)), {}};
  const float factor = std::min(1 / (e4m3Value(block.scale) * decode), kMost);
  for (float value : values)
    block.codes.push_back(e2m1Of(std::clamp(value * factor, -6.0f, 6.0f)));
  return block;
}

// torchao (0.18), prototype/mx_formats/nvfp4_tensor.py, nvfp4_quantize.
Block torchao(std::span<const float> values, float perTensorScale) {
  const float scaled = amaxOf(values) / 6.0f / perTensorScale;
  Block block{convert(kE4m3, std::clamp(scaled, 0x1p-6f, 448.0f)), {}};
  const float factor = 1 / perTensorScale / e4m3Value(block.scale);
  for (float value : values)
    block.codes.push_back(e2m1Of(std::clamp(value * factor, -6.0f, 6.0f)));
  return block;
}

// FlashInfer (vLLM alike), cvt_warp_fp16_to_fp4: G times A times the reciprocal of 6, and the reciprocal of
// the scale times that of G, each an approximation that may be `ulps` of its last place off.
Block flashInfer(std::span<const float> values, float g, int ulps) {
  const auto reciprocal = [ulps](float x) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(1 / x) + uint32_t(ulps));
  };
  Block block{convert(kE4m3, std::min(g * (amaxOf(values) * reciprocal(6)), kMost)), {}};
  const float scale = e4m3Value(block.scale), factor = scale != 0 ? reciprocal(scale * reciprocal(g)) : 0;
  for (float value : values)
    block.codes.push_back(e2m1Of(std::clamp(value * factor, -6.0f, 6.0f)));
  return block;
}

QuantizeRule ruleOf(std::string_view preset, TensorSense sense, float given) {
  const CompatPreset p = compatPresetNamed(preset, ScaleFormat::UE4M3).value();
  return {.format = BlockFormat::NVFP4,
          .rounding = p.rounding,
          .special = p.special,
          .tiny = p.tiny,
          .tensorScale = given,
          .sense = sense};
}

bool agrees(const QuantizeRule &rule, std::span<const float> values, const Block &expected) {
  uint8_t codes[16];
  const int scale = int(quantizeBlock(values, rule, codes));
  return scale == expected.scale && std::equal(expected.codes.begin(), expected.codes.end(), codes);
}

void check(std::span<const float> values, float tensorAmax, float tensorScale) {
  const bool isEngines =
      agrees(ruleOf("te", TensorSense::Amax, tensorAmax), values, transformerEngine(values, tensorAmax));
  const bool isTorchaos =
      agrees(ruleOf("torchao", TensorSense::Scale, tensorScale), values, torchao(values, tensorScale));
  if (isEngines && isTorchaos) return;
  std::vector<uint32_t> bits;
  for (float value : values)
    bits.push_back(bitsOf(value));
  CAPTURE(bits, bitsOf(tensorAmax), bitsOf(tensorScale), isEngines, isTorchaos);
  CHECK(false);
}

} // namespace

TEST_CASE("presets of tensor scales: there is a peer for every one") {
  std::set<std::string_view> presets;
  for (const CompatPreset &preset : compatPresets())
    if (preset.scale == ScaleFormat::UE4M3) presets.insert(preset.name);
  CHECK(presets == std::set<std::string_view>{"te", "torchao", "flashinfer"});
}

TEST_CASE("presets of tensor scales: every bf16 below the tensor's largest") {
  for (float largest : {6.0f, 3.0078125f, 0x1.4p60f, 0x1p-60f})
    for (float value : everyValue(FloatType::BF16)) {
      if (!(std::fabs(value) <= largest)) continue;
      for (float scale : {largest / 2688, 0x1p-7f})
        check(std::array{value, value * -0.2937f, -0.0f, value * 0.75f}, largest, scale);
    }
}

TEST_CASE("presets of tensor scales: eighths, whose quotients are ties, and heavy tails") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 20'000; ++trial) {
    std::array<float, 16> values;
    for (float &value : values)
      value = float(int(random() % 97) - 48) / 8;
    for (float scale : {1.0f, 0x1p-8f, 6.0f / 2688})
      check(values, 6, scale);
    const std::vector<float> tails = heavyTailed(16, uint32_t(trial));
    check(tails, std::max(amaxOf(tails), 0x1p-60f) * (trial % 3 ? 1 : 37), 0.013f);
  }
}

TEST_CASE("presets of tensor scales: an empty tensor, NaN and infinities") {
  check(std::vector<float>(16, 0.0f), 0, 1);
  check(std::vector<float>(16, -0.0f), 0x1p40f, 1);
  std::array<float, 16> values = {kNan, 1, 2, -3};
  uint8_t codes[16];
  CHECK(quantizeBlock(values, ruleOf("te", TensorSense::Amax, 3), codes) == 0x7E); // fmaxf drops it
  CHECK(codes[0] == 7);
  CHECK(quantizeBlock(values, ruleOf("torchao", TensorSense::Scale, 1), codes) == 0x7F);
}

namespace {

// How many scales and codes of the preset differ from FlashInfer's; none by more than a step.
struct Difference {
  int blocks = 0, scales = 0, elements = 0, codes = 0;

  void add(std::span<const float> values, float g, int ulps) {
    const Block expected = flashInfer(values, g, ulps);
    uint8_t found[16];
    const int scale = int(quantizeBlock(values, ruleOf("flashinfer", TensorSense::Divisor, g), found));
    REQUIRE(std::abs(scale - expected.scale) <= 1);
    ++blocks;
    scales += scale != expected.scale;
    if (scale != expected.scale || scale == 0) return; // of 0 both read as zeros
    for (size_t i = 0; i < values.size(); ++i) {
      REQUIRE(std::abs(int(found[i]) - expected.codes[i]) <= 1); // signs agree
      ++elements;
      codes += found[i] != expected.codes[i];
    }
  }
};

float neighbour(float x, int ulps) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) + uint32_t(ulps));
}

} // namespace

TEST_CASE("presets of tensor scales: flashinfer agrees with FlashInfer but beside ties") {
  for (int ulps : {0, 1, -1}) {
    std::mt19937 random(13);
    const auto mantissa = [&] { return 1 + float(random() % 8388608) * 0x1p-23f; };
    Difference anywhere, besideTies;
    for (int trial = 0; trial < 20'000; ++trial) {
      const std::vector<float> values = heavyTailed(16, uint32_t(trial));
      const float amax = std::max(amaxOf(values), 0x1p-60f);
      anywhere.add(values, 2688 / (amax * std::ldexp(mantissa(), int(random() % 4))), ulps);
    }
    for (int trial = 0; trial < 300; ++trial) {
      const float g = std::ldexp(mantissa(), int(random() % 20) - 10);
      for (int code = 0; code < 0x7E; ++code) { // A / 6 * g is between two scales; and elements between codes
        const float tie = (e4m3Value(code) + e4m3Value(code + 1)) / 2 * 6 / g,
                    most = e4m3Value(code + 1) * 6 / g;
        for (int apart = -2; apart <= 2; ++apart) {
          besideTies.add(std::array{neighbour(tie, apart)}, g, ulps);
          std::vector<float> values = {most};
          for (float middle : {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f})
            values.push_back(neighbour(most / 6 * middle, apart));
          besideTies.add(values, g, ulps);
        }
      }
    }
    CAPTURE(ulps, anywhere.scales, anywhere.codes, besideTies.scales, besideTies.codes);
    CHECK(anywhere.scales * 10'000 <= anywhere.blocks);
    CHECK(anywhere.codes * 10'000 <= anywhere.elements);
    CHECK(besideTies.scales > 0);                 // what the tolerance is for
    CHECK((besideTies.codes > 0) == (ulps != 0)); // the multiplier is FlashInfer's, rounded
  }
}

TEST_CASE("presets of tensor scales: flashinfer's bits are te's") {
  const CompatPreset ours = compatPresetNamed("flashinfer", ScaleFormat::UE4M3).value(),
                     engines = compatPresetNamed("te", ScaleFormat::UE4M3).value();
  CHECK(std::tuple(ours.rounding, ours.special, ours.tiny) ==
        std::tuple(engines.rounding, engines.special, engines.tiny));
}

TEST_CASE("tensor scales: an amax and a divisor stand for what they say") {
  std::mt19937 random(11);
  const auto used = [](TensorSense sense, float given, bool isFourOverSix = false) {
    return usedTensorScale({.format = BlockFormat::NVFP4,
                            .rounding = Rounding::Nearest,
                            .tensorScale = given,
                            .sense = sense,
                            .isFourOverSix = isFourOverSix});
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const float given = std::ldexp(1 + float(random() % 8388608) * 0x1p-23f, int(random() % 100) - 50);
    CHECK(used(TensorSense::Scale, -given) == given);
    CHECK(used(TensorSense::Amax, given) == given / 2688);
    CHECK(used(TensorSense::Amax, given, /*isFourOverSix=*/true) == given / 1536);
    CHECK(used(TensorSense::Divisor, given) == 1 / given);
  }
  for (float none : {0.0f, kNan, 0x1p-100f})
    CHECK(used(TensorSense::Amax, none) == 0x1p-80f);
  CHECK(used(TensorSense::Divisor, 0) == 0x1p80f);
}
