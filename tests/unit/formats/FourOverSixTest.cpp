// Four over six, restated: two quantizations of a block, and the one with the smaller squared error.
#include "dialect/formats/BlockScale.h"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

using namespace mxc;

namespace {

using Block = std::array<float, 16>;
using Codes = std::array<uint8_t, 16>;

float valueOf(uint8_t code) { return decode(ElementFormat::E2M1, code); }

struct Candidate {
  uint32_t scale;
  Codes codes;
  float error;
};

// Every operation rounded to f32 once.
Candidate candidate(const Block &x, float tensorScale, float factor) {
  float amax = 0;
  for (float value : x)
    amax = std::fmax(amax, std::fabs(value));
  const volatile float perBlock = amax / 6.0f;
  const volatile float quotient = perBlock / tensorScale;
  const volatile float stretched = quotient * factor;
  Candidate result;
  result.scale = encode(ElementFormat::E4M3, stretched);
  const float scale = scaleValue(ScaleFormat::UE4M3, result.scale);
  const float multiplier = blockMultiplier(ScaleFormat::UE4M3, result.scale, tensorScale);
  const volatile float reciprocal = 1 / tensorScale;
  std::array<float, 16> off;
  for (size_t i = 0; i < 16; ++i) {
    const volatile float scaled = x[i] * multiplier;
    result.codes[i] = encode(ElementFormat::E2M1, scaled);
    const volatile float was = x[i] * reciprocal;
    const volatile float difference = valueOf(result.codes[i]) * scale - was;
    off[i] = difference;
  }
  std::array<float, 8> sums; // of a run's elements with even places, and with odd ones
  for (size_t i = 0; i < 8; ++i) {
    const float a = off[i / 2 * 4 + i % 2], b = off[i / 2 * 4 + i % 2 + 2];
    const volatile float first = a * a;
    sums[i] = std::fma(b, b, float(first));
  }
  const volatile float even = (sums[0] + sums[2]) + (sums[4] + sums[6]),
                       odd = (sums[1] + sums[3]) + (sums[5] + sums[7]);
  result.error = even + odd;
  return result;
}

struct Random {
  uint32_t state = 1;
  float uniform() { return float(int32_t(state = state * 1664525 + 1013904223)) * 0x1p-31f; }
};

} // namespace

TEST_CASE("four over six: scale and codes of the better candidate") {
  Random random;
  int fours = 0;
  const int trials = 20000;
  for (int trial = 0; trial < trials; ++trial) {
    Block x;
    const float size = std::ldexp(1.0f, trial % 30 - 22);
    for (float &value : x)
      value = random.uniform() * random.uniform() * size;
    const float tensorScale = trial % 3 ? 0x1p-9f : 0.0042f;
    const Candidate six = candidate(x, tensorScale, 1), four = candidate(x, tensorScale, 1.5f);
    const Candidate &expected = four.error < six.error ? four : six;
    fours += &expected == &four;
    Codes codes;
    const QuantizeRule rule{.format = BlockFormat::NVFP4, .tensorScale = tensorScale, .isFourOverSix = true};
    REQUIRE(quantizeBlock(x, rule, codes.data()) == expected.scale);
    REQUIRE(codes == expected.codes);
  }
  CHECK(fours > trials / 10);
  CHECK(fours < trials - trials / 10);
}

TEST_CASE("four over six: ties, zeros, ends of rows and special values keep six") {
  const QuantizeRule plain{.format = BlockFormat::NVFP4, .tensorScale = 0.5f};
  for (Special special : {Special::Propagate, Special::Saturate, Special::NanScale})
    for (std::vector<float> x : {std::vector<float>(16, 0.0f), {6, 3, 0}, {NAN, 5, 1}, {INFINITY, 5, -1}}) {
      QuantizeRule rule = plain, choosing = plain;
      rule.special = choosing.special = special, choosing.isFourOverSix = true;
      Codes expected = {}, found = {};
      CHECK(quantizeBlock(x, choosing, found.data()) == quantizeBlock(x, rule, expected.data()));
      CHECK(found == expected);
    }
  // Too small for a scale of its own, but not for one that is greater by a half.
  const float tiny = 0x1.8p-10f * 6 * 0.5f * 0.6f;
  QuantizeRule choosing = plain;
  choosing.isFourOverSix = true;
  uint8_t code;
  CHECK(quantizeBlock(std::array{tiny}, plain, &code) == 0);
  CHECK(quantizeBlock(std::array{tiny}, choosing, &code) == 1);
}
