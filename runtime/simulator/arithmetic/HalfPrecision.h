// f16 and bf16 as values, without branches, so that loops over lanes vectorize.
#pragma once

#include <bit>
#include <cstdint>

namespace mxc::sim {

/// One 16-bit format: `digits` of the significand, the exponent of its smallest normal number.
struct F16 {
  static constexpr int kDigits = 11, kMinimumExponent = -14;
  static constexpr double kOverflow = 0x1p16; // what magnitudes are infinite, once rounded
  static constexpr uint16_t kInfinity = 0x7c00, kOne = 0x3c00;

  static float widen(uint16_t bits) {
    // The exponent moves by 112; multiplying lets subnormal numbers come out right.
    uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
    uint32_t value = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
    value |= magnitude >= 0x0f800000 ? 0x7f800000 : 0;
    return std::bit_cast<float>(value | uint32_t(bits & 0x8000) << 16);
  }
  /// Of a value that the format has.
  static uint16_t narrowExact(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint32_t magnitude = std::bit_cast<uint32_t>(std::bit_cast<float>(bits & 0x7fffffff) * 0x1p-112f);
    return uint16_t(magnitude >> 13 | (bits >> 16 & 0x8000));
  }
};
struct BF16 {
  static constexpr int kDigits = 8, kMinimumExponent = -126;
  static constexpr double kOverflow = 0x1p128;
  static constexpr uint16_t kInfinity = 0x7f80, kOne = 0x3f80;

  static float widen(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }
  static uint16_t narrowExact(float value) { return uint16_t(std::bit_cast<uint32_t>(value) >> 16); }
};

inline constexpr uint16_t kCanonicalNan16 = 0x7fff; // of both formats

/// What tensor copies fill with when asked for NaN, of either sign; .oob turns it to zero (H200).
inline bool isOutOfBoundsNan16(uint16_t bits) { return (bits & 0x7fff) == 0x7ff7; }

template <class Format> inline bool isNan16(uint16_t bits) { return (bits & 0x7fff) > Format::kInfinity; }

/// Rounded to nearest even, once. Adding 1.5 * 2^52 quanta leaves a double no room for less than one quantum.
template <class Format> inline uint16_t narrow16(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value), exponent = bits >> 52 & 0x7ff;
  constexpr uint64_t kMinimum = uint64_t(Format::kMinimumExponent + 1023), kMaximum = uint64_t(200 + 1023);
  exponent = exponent < kMinimum ? kMinimum : exponent > kMaximum ? kMaximum : exponent;
  double shift = std::bit_cast<double>((exponent + 53 - Format::kDigits) << 52 | uint64_t(1) << 51);
  double rounded = (value + shift) - shift;
  double magnitude = std::bit_cast<double>(std::bit_cast<uint64_t>(rounded) & ~(uint64_t(1) << 63));
  uint16_t sign = uint16_t(bits >> 48 & 0x8000);
  uint16_t result = Format::narrowExact(float(magnitude));
  result = magnitude >= Format::kOverflow ? Format::kInfinity : result;
  result |= sign;
  return value != value ? kCanonicalNan16 : result;
}

/// Whether .ftz makes the result zero: rounded with an exponent without bounds, it would be below the normal
/// numbers (H200).
template <class Format> inline bool isTiny16(double value) {
  // Half a unit in the last place below the smallest normal number is a tie, which goes up.
  constexpr double kSmallest = std::bit_cast<double>(uint64_t(Format::kMinimumExponent + 1023) << 52);
  constexpr double kHalfUnit =
      std::bit_cast<double>(uint64_t(Format::kMinimumExponent - Format::kDigits - 1 + 1023) << 52);
  double magnitude = value < 0 ? -value : value;
  return magnitude < kSmallest - kHalfUnit;
}

/// a + b rounded to odd: rounding the result again, to at most 51 digits, is as if there had been one
/// rounding.
inline double addToOdd(double a, double b) {
  double sum = a + b, part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  bool isInexact = error < 0 || error > 0, isEven = (bits & 1) == 0;
  bool isAway = (error < 0) != (sum < 0); // the exact sum is nearer to zero
  uint64_t odd = isAway ? bits - 1 : bits + 1;
  return std::bit_cast<double>(isInexact && isEven ? odd : bits);
}

} // namespace mxc::sim
