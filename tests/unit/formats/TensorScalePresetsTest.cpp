// Presets of NVFP4 against the peers' published algorithms, restated here, and what is given of the tensor's
// scale.
#include "tests/unit/formats/PeerElement.h"
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <limits>
#include <set>

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
  CHECK(presets == std::set<std::string_view>{"te", "torchao"});
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
