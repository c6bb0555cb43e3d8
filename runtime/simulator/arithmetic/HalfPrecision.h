// f16 and bf16 as values, without branches, so that loops over lanes vectorize.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace mxc::sim {

/// One 16-bit format: `digits` of the significand, the exponent of its smallest normal number.
struct F16 {
  static constexpr int kDigits = 11, kMinimumExponent = -14;
  static constexpr uint16_t kInfinity = 0x7c00, kOne = 0x3c00;

  static float widen(uint16_t bits) {
    uint32_t magnitude = bits & 0x7fff;
    uint32_t normal =
        (magnitude << 13) + (112 << 23); // the exponent moves by 112, infinity's and NaN's by 224
    normal += magnitude >= kInfinity ? 112 << 23 : 0;
    uint32_t subnormal = std::bit_cast<uint32_t>(float(int32_t(magnitude)) * 0x1p-24f);
    return std::bit_cast<float>((magnitude < 0x400 ? subnormal : normal) | uint32_t(bits & 0x8000) << 16);
  }
  /// The f16 of a magnitude, to nearest even. NaN gives anything.
  static uint16_t narrow(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint32_t normal = (bits + 0xfff + (bits >> 13 & 1) - (112 << 23)) >> 13;
    // The sum's last place is the smallest subnormal number.
    uint32_t subnormal = std::bit_cast<uint32_t>(value + 0.5f) - 0x3f000000;
    uint32_t result = value < 0x1p-14f ? subnormal : normal;
    return uint16_t(value < 0x1p16f ? result : kInfinity);
  }
};
struct BF16 {
  static constexpr int kDigits = 8, kMinimumExponent = -126;
  static constexpr uint16_t kInfinity = 0x7f80, kOne = 0x3f80;

  static float widen(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }
  static uint16_t narrow(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

inline constexpr uint16_t kCanonicalNan16 = 0x7fff; // of both formats

/// What tensor copies fill with when asked for NaN, of either sign; .oob turns it to zero (H200).
inline bool isOutOfBoundsNan16(uint16_t bits) { return (bits & 0x7fff) == 0x7ff7; }

template <class Format> inline bool isNan16(uint16_t bits) { return (bits & 0x7fff) > Format::kInfinity; }

/// Rounded to nearest even.
template <class Format> inline uint16_t narrow16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t result = Format::narrow(std::bit_cast<float>(bits & 0x7fffffff)) | (bits >> 16 & 0x8000);
  return value != value ? kCanonicalNan16 : uint16_t(result);
}

/// A rounded number's bits, made odd if it is inexact (0 or 1): one up, or down if the exact number is nearer
/// to zero (0 or 1). Rounding that again to at least two digits less is as if there had been one rounding.
template <class Bits> inline Bits toOdd(Bits bits, Bits isInexact, Bits isAway) {
  Bits step = isInexact & ~bits & 1;
  return bits + step - 2 * (step & isAway);
}

/// a + b rounded to odd. The error of a sum is a number of the same type (Knuth).
template <class T> inline T addToOdd(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int kSignBit = 8 * sizeof(T) - 1;
  T sum = a + b, part = sum - a;
  Bits bits = std::bit_cast<Bits>(sum), error = std::bit_cast<Bits>((a - (sum - part)) + (b - part));
  Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits isInexact = Bits((error << 1) - 1) < Bits((infinity << 1) - 1); // neither zero nor NaN
  return std::bit_cast<T>(toOdd<Bits>(bits, isInexact, (bits ^ error) >> kSignBit));
}

/// A double, rounded once: through a float that is rounded to odd.
template <class Format> inline uint16_t narrow16(double value) {
  float nearest = float(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  double error = value - double(nearest);
  bool isInexact = (error < 0) | (error > 0);
  return narrow16<Format>(
      std::bit_cast<float>(toOdd<uint32_t>(bits, isInexact, (error < 0) != (bits >> 31))));
}

/// Whether .ftz makes the result zero: rounded with an exponent without bounds, it would be below the normal
/// numbers (H200).
template <class Format> inline bool isTiny16(float value) {
  // Half a unit in the last place below the smallest normal number is a tie, which goes up.
  constexpr float kSmallest = std::bit_cast<float>(uint32_t(Format::kMinimumExponent + 127) << 23);
  constexpr float kHalfUnit = kSmallest / (2 << Format::kDigits);
  float magnitude = value < 0 ? -value : value;
  return magnitude < kSmallest - kHalfUnit;
}

} // namespace mxc::sim
