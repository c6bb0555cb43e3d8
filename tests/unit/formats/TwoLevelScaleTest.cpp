// NVFP4's rule, restated with searches over all codes in place of roundings by bits.
#include "dialect/formats/BlockScale.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>

using namespace mxc;

static constexpr float kFloatMaximum = std::numeric_limits<float>::max();

/// The code of the nearest value among codes 0 to `last`, of two the even one; beyond the last value the
/// last.
template <class Value> static uint32_t nearest(float x, uint32_t last, Value value) {
  uint32_t best = 0;
  for (uint32_t code = 1; code <= last; ++code) {
    const double distance = std::fabs(double(x) - value(code)), least = std::fabs(double(x) - value(best));
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return best;
}
static uint32_t nearestScale(float x) {
  if (x > 448) return 0x7E;
  return nearest(x, 0x7E, [](uint32_t code) { return double(scaleValue(ScaleFormat::UE4M3, code)); });
}
static uint32_t nearestElement(float x) {
  static constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const float magnitude = std::min(std::fabs(x), 6.0f);
  return nearest(magnitude, 7, [](uint32_t code) { return kValues[code]; }) | (std::signbit(x) ? 8 : 0);
}

TEST_CASE("two levels: the scale of every bf16 maximum under several scales of the tensor") {
  const QuantizeRule plain{.format = BlockFormat::NVFP4};
  for (float tensorScale : {1.0f, 0.37f, 1 / 2688.0f, 3.3f / 2688, 1e-38f, 1e-44f, 3e38f, -0.25f}) {
    QuantizeRule rule = plain;
    rule.tensorScale = tensorScale;
    const float used = std::fmin(std::fmax(std::fabs(tensorScale), 0x1p-80f), 0x1p80f);
    for (uint32_t half = 0; half < 0x7F80; ++half) {
      const float amax = std::bit_cast<float>(half << 16);
      const volatile float perBlock = amax / 6.0f;
      const volatile float quotient = perBlock / used;
      const BlockScale scale = blockScale(half << 16, rule);
      REQUIRE(scale.code == nearestScale(quotient));
      const volatile float product = scaleValue(ScaleFormat::UE4M3, scale.code) * used;
      const volatile float reciprocal = 1.0f / product;
      REQUIRE(scale.multiplier == std::fmin(reciprocal, kFloatMaximum));
    }
  }
}

TEST_CASE("two levels: codes of every bf16 in a block whose largest is given") {
  for (float amax : {6.0f, 5.5f, 448.0f, 2.25f, 0.013671875f}) {
    const QuantizeRule rule{.format = BlockFormat::NVFP4, .tensorScale = 0.0421f};
    const BlockScale scale = blockScale(std::bit_cast<uint32_t>(amax), rule);
    for (uint32_t half = 0; half < 0x10000; ++half) {
      const float x = std::bit_cast<float>(half << 16);
      if (!(std::fabs(x) <= amax)) continue;
      const float values[2] = {amax, x};
      uint8_t codes[2];
      REQUIRE(quantizeBlock(values, rule, codes) == scale.code);
      const volatile float scaled = x * scale.multiplier;
      REQUIRE(codes[1] == nearestElement(scaled));
    }
  }
}

TEST_CASE("two levels: NaN, infinities, zeros and scales of the tensor that are none") {
  const uint32_t inf = 0x7F800000, nan = 0x7FC00000;
  QuantizeRule rule{.format = BlockFormat::NVFP4, .tensorScale = 0.5f};
  for (uint32_t amax : {inf, nan}) {
    CHECK(blockScale(amax, rule).code == 0x7F);
    CHECK(std::isnan(blockScale(amax, rule).multiplier));
    rule.special = Special::NanScale;
    CHECK(blockScale(amax, rule).code == 0x7F);
    CHECK(blockScale(amax, rule).multiplier == 0);
    rule.special = Special::Propagate;
  }
  rule.special = Special::Saturate;
  CHECK(blockScale(inf, rule).code == 0x7E);
  CHECK(blockScale(inf, rule).multiplier == 1 / 224.0f);
  CHECK(blockScale(0, rule).code == 0);
  CHECK(blockScale(0, rule).multiplier == kFloatMaximum);
  rule.tensorScale = std::numeric_limits<float>::quiet_NaN();
  CHECK(blockScale(0x3F800000, rule).code == 0x7E);
  rule.tensorScale = 0;
  CHECK(blockScale(0x3F800000, rule).code == 0x7E);
  CHECK(blockScale(0, rule).code == 0);
}
