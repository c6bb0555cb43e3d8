#include "runtime/simulator/arithmetic/FloatFormats.h"

#include <algorithm>

namespace mxc::sim {

using Wide = unsigned __int128;

/// Whether what lies below the last kept bit takes the magnitude to the next one.
static bool isRoundedAway(Wide discarded, int discardedBits, bool isKeptOdd, bool isNegative,
                          const Conversion &how) {
  Wide half = Wide(1) << (discardedBits - 1);
  switch (how.rounding) {
  case Rounding::NearestEven:
    return discarded > half || (discarded == half && isKeptOdd);
  case Rounding::NearestAway:
    return discarded >= half;
  case Rounding::Zero:
    return false;
  case Rounding::Down:
    return isNegative && discarded;
  case Rounding::Up:
    return !isNegative && discarded;
  case Rounding::Stochastic:
    break;
  }
  // PTX ISA 9.7.9.21: by the carry out of adding the random bits to the discarded ones. Where more are
  // discarded than there are random bits, the topmost take part.
  Wide random = how.randomBits;
  int shift = discardedBits - how.randomWidth;
  random = shift >= 0 ? random << shift : random >> -shift;
  return (discarded + random) >> discardedBits != 0;
}

static uint64_t overflow(const FloatFormat &format, bool isNegative, const Conversion &how) {
  bool isTowardZero =
      how.rounding == Rounding::Zero || how.rounding == (isNegative ? Rounding::Up : Rounding::Down);
  if (how.isSaturating || isTowardZero || format.specials == Specials::None) return format.largest();
  return format.specials == Specials::Ieee ? format.infinity() : format.nan();
}

uint64_t encode(const FloatFormat &format, bool isNegative, uint64_t significand, int exponent,
                const Conversion &how) {
  uint64_t sign = isNegative ? format.signBit() : 0;
  if (significand == 0 || (isNegative && !format.isSigned)) return sign;
  int leading = std::bit_width(significand) - 1 + exponent; // 2^leading <= magnitude < 2^(leading + 1)
  int place = std::max(leading, format.minimumExponent());
  int dropped = place - format.mantissaBits - exponent;
  uint64_t kept;
  if (dropped <= 0) {
    kept = significand << -dropped;
  } else {
    dropped = std::min(dropped, 100); // all of it is far below half a quantum then
    kept = uint64_t(Wide(significand) >> dropped);
    Wide discarded = Wide(significand) & ((Wide(1) << dropped) - 1);
    kept += isRoundedAway(discarded, dropped, kept & 1, isNegative, how);
  }
  // The leading bit of a normal significand adds one to the exponent's field, as does a carry out of the
  // rounding.
  uint64_t code = (uint64_t(place - format.minimumExponent()) << format.mantissaBits) + kept;
  if (code > format.largest()) code = overflow(format, isNegative, how);
  return code | sign;
}

uint64_t encode(const FloatFormat &format, double value, const Conversion &how) {
  if (std::isnan(value)) return format.nan();
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool isNegative = bits >> 63;
  if (std::isinf(value)) {
    if (isNegative && !format.isSigned) return 0;
    uint64_t sign = isNegative ? format.signBit() : 0;
    bool isKept = format.specials == Specials::Ieee && !how.isSaturating;
    return sign | (isKept ? format.infinity()
                          : overflow(format, isNegative, {Rounding::NearestEven, how.isSaturating}));
  }
  int field = int(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & 0xfffffffffffff;
  return encode(format, isNegative, field ? mantissa | uint64_t(1) << 52 : mantissa,
                std::max(field, 1) - 1075, how);
}

} // namespace mxc::sim
