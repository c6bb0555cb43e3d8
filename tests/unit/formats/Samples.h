// Input values that the tests of the formats share.
#pragma once

#include "dialect/formats/BlockScale.h"
#include "dialect/formats/Reference.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace mxc::test {

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }

inline constexpr std::array kElements = {ElementFormat::E4M3, ElementFormat::E5M2, ElementFormat::E3M2,
                                         ElementFormat::E2M3, ElementFormat::E2M1};

/// The OCP MX format of the element: blocks of 32 under a ue8m0 scale.
inline BlockFormat mxFormatOf(ElementFormat element) { return *blockFormatOf(element, ScaleFormat::UE8M0); }

/// All 65,536 values of bf16 or f16.
inline std::vector<float> everyValue(FloatType type) {
  std::vector<float> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = uint16_t(bits);
    values.push_back(loadFloat(type, &half, 0));
  }
  return values;
}

/// Positive f32 bits within 4 places of mantissa 1.0, of `mantissa`, and of the even rule's threshold, in
/// every binade, and all of the smallest subnormals.
inline std::vector<uint32_t> boundaryBits(ElementFormat element) {
  const uint32_t maxMantissa = bitsOf(info(element).maxFinite) & 0x7FFFFF;
  const uint32_t evenThreshold = 0x800000 - (1u << (22 - info(element).mantissaBits));
  std::vector<uint32_t> bits;
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (uint32_t mantissa : {0u, 0x400000u, maxMantissa, evenThreshold})
      for (int ulps = -4; ulps <= 4; ++ulps) {
        const int64_t near = int64_t(exponent << 23 | mantissa) + ulps;
        if (near >= 0 && near < 0x7F800000) bits.push_back(uint32_t(near));
      }
  for (uint32_t subnormal = 0; subnormal < 100'000; ++subnormal)
    bits.push_back(subnormal);
  return bits;
}

/// Values over many binades, zeros of both signs among them.
inline std::vector<float> heavyTailed(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values) {
    const float spread = normal(random);
    value = random() % 16 == 0 ? (random() % 2 ? 0.0f : -0.0f) : normal(random) * std::exp2(8 * spread);
  }
  return values;
}

} // namespace mxc::test
