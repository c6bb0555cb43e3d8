// Floating-point formats of PTX, exactly: what a bit pattern means, and how a value is rounded to a pattern.
//
// Written from the PTX ISA (5.2.3 "alternate floating-point data formats", 9.7.9.21 "cvt") and from what an
// H200 answers; it shares nothing with the compiler's own tables, so that each checks the other.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace mxc::sim {

enum class Rounding : uint8_t {
  NearestEven, // .rn, .rni
  Zero,        // .rz, .rzi
  Down,        // .rm, .rmi
  Up,          // .rp, .rpi
  NearestAway, // .rna
  Stochastic,  // .rs
};

/// What the patterns at the top of a format's range mean.
enum class Specials : uint8_t {
  Ieee,    // the largest exponent: infinity and NaN
  NanOnly, // all ones is NaN, everything else finite
  None,    // every pattern is a finite number
};

/// A sign, `exponentBits`, `mantissaBits`; the pattern lies in the low bits.
struct FloatFormat {
  int exponentBits, mantissaBits, bias;
  Specials specials;
  bool isSigned = true;

  constexpr int magnitudeBits() const { return exponentBits + mantissaBits; }
  constexpr int minimumExponent() const { return 1 - bias; } // of normal numbers
  constexpr uint64_t magnitudeMask() const { return (uint64_t(1) << magnitudeBits()) - 1; }
  constexpr uint64_t signBit() const { return isSigned ? uint64_t(1) << magnitudeBits() : 0; }
  constexpr uint64_t infinity() const { // Ieee
    return ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  }
  constexpr uint64_t largest() const { // finite
    return specials == Specials::Ieee ? infinity() - 1 : magnitudeMask() - (specials == Specials::NanOnly);
  }
  /// What NVIDIA hardware answers for NaN: all ones without the sign. Formats without NaN: the largest
  /// number.
  constexpr uint64_t nan() const { return magnitudeMask(); }
  constexpr bool isNan(uint64_t bits) const {
    uint64_t magnitude = bits & magnitudeMask();
    return specials == Specials::Ieee      ? magnitude > infinity()
           : specials == Specials::NanOnly ? magnitude == magnitudeMask()
                                           : false;
  }
  constexpr bool isInfinite(uint64_t bits) const {
    return specials == Specials::Ieee && (bits & magnitudeMask()) == infinity();
  }
};

inline constexpr FloatFormat kF64{11, 52, 1023, Specials::Ieee}, kF32{8, 23, 127, Specials::Ieee},
    kF16{5, 10, 15, Specials::Ieee}, kBf16{8, 7, 127, Specials::Ieee}, kTf32{8, 10, 127, Specials::Ieee},
    kE5m2{5, 2, 15, Specials::Ieee}, kE4m3{4, 3, 7, Specials::NanOnly}, kE3m2{3, 2, 3, Specials::None},
    kE2m3{2, 3, 1, Specials::None}, kE2m1{2, 1, 1, Specials::None}, kUe4m3{4, 3, 7, Specials::NanOnly, false};

/// How a value becomes a pattern.
struct Conversion {
  Rounding rounding = Rounding::NearestEven;
  bool isSaturating = false; // .satfinite: what is too large, and infinity, becomes the largest number
  uint32_t randomBits =
      0; // Stochastic: added to the topmost `randomWidth` discarded bits; a carry rounds away
  int randomWidth = 0;
};

/// (-1)^isNegative * significand * 2^exponent, rounded to `format`.
uint64_t encode(const FloatFormat &format, bool isNegative, uint64_t significand, int exponent,
                const Conversion &how);
/// `value` rounded to `format`. NaN becomes format.nan(), without a sign.
uint64_t encode(const FloatFormat &format, double value, const Conversion &how);

/// The value of a pattern, exact. NaN of any format becomes a NaN.
constexpr double decode(const FloatFormat &format, uint64_t bits) {
  if (format.mantissaBits == 52) return std::bit_cast<double>(bits);
  uint64_t magnitude = bits & format.magnitudeMask();
  uint64_t sign = bits & format.signBit() ? uint64_t(1) << 63 : 0;
  int field = int(magnitude >> format.mantissaBits);
  uint64_t mantissa = magnitude & ((uint64_t(1) << format.mantissaBits) - 1);
  if (format.isNan(bits)) return std::bit_cast<double>(sign | 0x7ff8000000000000);
  if (format.isInfinite(bits)) return std::bit_cast<double>(sign | 0x7ff0000000000000);
  if (field == 0) { // subnormal: an integer of quanta; every quantum is a normal double
    uint64_t quantum = uint64_t(format.minimumExponent() - format.mantissaBits + 1023) << 52;
    double value = double(mantissa) * std::bit_cast<double>(quantum);
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | sign);
  }
  return std::bit_cast<double>(sign | uint64_t(field - format.bias + 1023) << 52 |
                               mantissa << (52 - format.mantissaBits));
}

/// The second where the mask is -1, the third where it is 0. Branches, which keep a loop from being
/// vectorized, are what this avoids.
constexpr int32_t select(int32_t mask, int32_t ifSet, int32_t ifClear) {
  return ifClear ^ ((ifSet ^ ifClear) & mask);
}

// ue8m0 has no sign and no mantissa: byte e is 2^(e - 127), 255 is NaN.
inline constexpr uint8_t kUe8m0Nan = 0xff, kUe8m0Largest = 0xfe;
/// From the bits of an f32, by its magnitude. Toward zero or up; too large: NaN, or the largest number if
/// saturating.
constexpr uint8_t encodeUe8m0(uint32_t f32Bits, Rounding rounding, bool isSaturating) {
  int32_t magnitude = int32_t(f32Bits & 0x7fffffff), code = magnitude >> 23;
  // Up: what lies above a power of two carries. Among the subnormals, 2^-127 (the bit 0x400000) is byte 0,
  // the smallest.
  int32_t isNormal = (0x7fffff - magnitude) >> 31;
  int32_t rounded = int32_t((uint32_t(magnitude) + 0x3fffff + (isNormal & 0x400000)) >> 23);
  if (rounding == Rounding::Up) code = rounded;
  int32_t isTooLarge = (kUe8m0Largest - code) >> 31, isNan = (0x7f800000 - magnitude) >> 31;
  code = select(isTooLarge, isSaturating ? kUe8m0Largest : kUe8m0Nan, code);
  return uint8_t(select(isNan, kUe8m0Nan, code));
}
constexpr double decodeUe8m0(uint8_t byte) { // 2^-127 is a normal double
  return byte == kUe8m0Nan ? std::bit_cast<double>(uint64_t(0x7ff8000000000000))
                           : std::bit_cast<double>(uint64_t(byte - 127 + 1023) << 52);
}

/// f32 to a format of at most 16 bits, to nearest even; the same as encode(), in a form that loops over lanes
/// vectorize.
template <FloatFormat Format, bool IsSaturating = true> inline uint32_t encodeNearest(uint32_t f32Bits) {
  constexpr int kDropped = 23 - Format.mantissaBits;
  constexpr bool isOverflowing = Format.specials == Specials::Ieee && !IsSaturating;
  constexpr uint32_t kTop = uint32_t(isOverflowing ? Format.infinity() : Format.largest());
  int32_t magnitude = int32_t(f32Bits & 0x7fffffff), code;
  if constexpr (Format.bias == 127) { // as f32, with fewer bits
    uint32_t odd = uint32_t(magnitude) >> kDropped & 1;
    code = int32_t((uint32_t(magnitude) + ((1u << (kDropped - 1)) - 1) + odd) >> kDropped);
    code = select((int32_t(kTop) - code) >> 31, int32_t(kTop), code);
  } else {
    // Adding a power of two whose last place is one quantum of the result rounds to a count of quanta.
    // Magnitudes compare as integers do.
    constexpr int32_t kHighest = int32_t((kTop << kDropped) + (uint32_t(127 - Format.bias) << 23));
    constexpr int32_t kLowest = (Format.minimumExponent() + 127) << 23;
    int32_t value = select((magnitude - kHighest) >> 31, magnitude, kHighest), power = value & 0x7f800000;
    power = select((kLowest - power) >> 31, power, kLowest);
    int32_t base = power + (kDropped << 23);
    int32_t count = std::bit_cast<int32_t>(std::bit_cast<float>(value) + std::bit_cast<float>(base)) - base;
    code = count + ((power - kLowest) >> kDropped);
  }
  int32_t sign = int32_t(f32Bits >> (31 - Format.magnitudeBits())) & int32_t(Format.signBit());
  return uint32_t(select((0x7f800000 - magnitude) >> 31, int32_t(Format.nan()), code | sign));
}

} // namespace mxc::sim
