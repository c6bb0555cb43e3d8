// Scales of f32: A / max finite and max finite / A, with A kept where neither leaves the normal numbers.
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace mxc;
using namespace mxc::test;

static BlockScale scaleOf(uint32_t amaxBits, ElementFormat element, Special special = Special::Propagate) {
  return blockScale(amaxBits, element, ScaleFormat::F32, {.rounding = Rounding::Nearest, .special = special});
}

TEST_CASE("f32 scales: two divisions, each rounded to nearest once") {
  for (ElementFormat element : kElements)
    for (uint32_t bits : boundaryBits(element)) {
      const double maxFinite = info(element).maxFinite, smallest = std::ldexp(maxFinite, -126);
      const double amax = std::max<double>(floatOf(bits), smallest);
      const BlockScale found = scaleOf(bits, element);
      // A double's quotient of two f32 is far enough from every tie for the second rounding to change
      // nothing.
      if (floatOf(found.code) != float(amax / maxFinite) || found.multiplier != float(maxFinite / amax))
        FAIL("amax " << amax << ": scale " << floatOf(found.code) << ", multiplier " << found.multiplier);
      if (floatOf(found.code) < std::numeric_limits<float>::min() || !std::isnormal(found.multiplier))
        FAIL("amax " << amax << ": subnormal");
    }
}

TEST_CASE("f32 scales: a block of zeros, and one below the smallest scale, have the smallest") {
  for (uint32_t bits : {0u, 1u, 0x00400000u})
    CHECK(floatOf(scaleOf(bits, ElementFormat::E4M3).code) == 0x1p-126f);
  CHECK(scaleOf(0, ElementFormat::E4M3).multiplier == 0x1p126f);
}

TEST_CASE("f32 scales: Inf and NaN by their rules") {
  constexpr uint32_t inf = 0x7F800000, nan = 0x7FC00001, code = 0x7FFFFFFF;
  for (uint32_t bits : {inf, nan}) {
    CHECK(scaleOf(bits, ElementFormat::E4M3).code == code);
    CHECK(std::isnan(scaleOf(bits, ElementFormat::E4M3).multiplier));
    CHECK(scaleOf(bits, ElementFormat::E4M3, Special::NanScale).code == code);
    CHECK(bitsOf(scaleOf(bits, ElementFormat::E4M3, Special::NanScale).multiplier) == 0);
  }
  const float most = std::numeric_limits<float>::max();
  const BlockScale saturated = scaleOf(inf, ElementFormat::E4M3, Special::Saturate);
  CHECK(floatOf(saturated.code) == most / 448);
  CHECK(saturated.multiplier == 448 / most);
  CHECK(encode(ElementFormat::E4M3, std::numeric_limits<float>::infinity() * saturated.multiplier) == 0x7E);
}

TEST_CASE("f32 scales: the largest element has max finite's code") {
  for (ElementFormat element : kElements)
    for (float value : everyValue(FloatType::BF16)) {
      if (!std::isfinite(value) || std::abs(value) < std::ldexp(info(element).maxFinite, -126)) continue;
      const BlockScale scale = scaleOf(bitsOf(std::abs(value)), element);
      REQUIRE(decode(element, encode(element, std::abs(value) * scale.multiplier)) ==
              info(element).maxFinite);
    }
}

// What kernels compute in place of two divisions, with any reciprocal that rcp.approx may give.
TEST_CASE("f32 scales: quotients by multiply-adds are those of divisions") {
  const auto divide = [](float x, float y, float reciprocal) {
    const float near = x * reciprocal;
    return std::fma(std::fma(-y, near, x), reciprocal, near);
  };
  for (float maxFinite : {448.0f, 57344.0f})
    for (uint32_t significand = 0; significand < 1 << 23; ++significand) {
      const float of = floatOf(0x3F800000 | significand), nearest = 1 / of;
      for (int ulps : {-1, 0, 1}) {
        const float near = floatOf(bitsOf(nearest) + uint32_t(ulps));
        const float reciprocal = std::fma(std::fma(-of, near, 1.0f), near, near);
        if (divide(maxFinite, of, reciprocal) != maxFinite / of) FAIL(significand << " " << ulps);
      }
      for (uint32_t exponent : {9, 10, 16, 17, 127, 253, 254}) {
        const float amax = floatOf(exponent << 23 | significand);
        if (amax < maxFinite * 0x1p-126f) continue;
        if (divide(amax, maxFinite, 1 / maxFinite) != amax / maxFinite) FAIL(exponent << " " << significand);
        const uint32_t shifted = bitsOf(maxFinite / of) - ((exponent - 127) << 23);
        if (floatOf(shifted) != maxFinite / amax) FAIL(exponent << " " << significand);
      }
    }
}
