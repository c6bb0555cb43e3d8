#include "dialect/formats/ElementFormat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace mxc {
namespace {

constexpr int32_t kInfinityBits = 0x7F800000;

constexpr std::array kFormats = {
#define MXC_ELEMENT_FORMAT(Name, name, mlirType, exponentBits, mantissaBits, emax, maxFinite, nan,           \
                           safetensorsType)                                                                  \
  ElementFormatInfo{ElementFormat::Name, name, mlirType,  exponentBits,                                      \
                    mantissaBits,        emax, maxFinite, NanEncoding::nan,                                  \
                    safetensorsType},
#include "dialect/formats/ElementFormats.def"
};

/// 2^exponent for the exponents of normal f32 numbers.
constexpr float powerOfTwo(int exponent) { return std::bit_cast<float>(uint32_t(exponent + 127) << 23); }

/// Free of branches, and in signed integers (SSE2 compares no others), so that the loop over a block becomes
/// vector code.
template <int kIndex> inline uint8_t encodeAs(float x) {
  constexpr ElementFormatInfo format = kFormats[kIndex];
  constexpr int shift = 23 - format.mantissaBits;
  constexpr int32_t maxBits = std::bit_cast<int32_t>(format.maxFinite);
  constexpr int32_t rebias = (127 - format.exponentBias()) << format.mantissaBits;
  constexpr int32_t minNormalBits = (128 - format.exponentBias()) << 23;
  constexpr int32_t maxCode = (maxBits >> shift) - rebias;
  constexpr int32_t nanCode = format.nan == NanEncoding::None ? maxCode : 0x7F;
  // Its last place is the format's smallest subnormal: adding it rounds to nearest even there.
  constexpr float subnormalRounder = powerOfTwo(24 - format.exponentBias() - format.mantissaBits);

  const int32_t bits = std::bit_cast<int32_t>(x);
  const int32_t magnitude = bits & 0x7FFFFFFF;
  const int32_t sign = int32_t(uint32_t(bits) >> 31) << (format.bits() - 1);
  const int32_t clamped = magnitude < maxBits ? magnitude : maxBits;
  const int32_t tieToEven = clamped >> shift & 1;
  const int32_t normal = ((clamped + (1 << (shift - 1)) - 1 + tieToEven) >> shift) - rebias;
  const int32_t subnormal = std::bit_cast<int32_t>(std::bit_cast<float>(clamped) + subnormalRounder) -
                            std::bit_cast<int32_t>(subnormalRounder);
  const int32_t finite = (clamped < minNormalBits ? subnormal : normal) | sign;
  return uint8_t(magnitude > kInfinityBits ? nanCode : finite);
}

template <int kIndex> void encodeAll(std::span<const float> values, float multiplier, uint8_t *codes) {
  for (size_t i = 0; i < values.size(); ++i)
    codes[i] = encodeAs<kIndex>(values[i] * multiplier);
}

} // namespace

std::span<const ElementFormatInfo> elementFormats() { return kFormats; }
const ElementFormatInfo &info(ElementFormat format) { return kFormats[size_t(format)]; }

std::optional<ElementFormat> elementFormatNamed(std::string_view name) {
  for (const ElementFormatInfo &format : kFormats)
    if (name == format.name || name == format.mlirType) return format.format;
  return std::nullopt;
}

uint8_t encode(ElementFormat format, float x) {
  switch (format) {
#define MXC_ELEMENT_FORMAT(Name, ...)                                                                        \
  case ElementFormat::Name:                                                                                  \
    return encodeAs<int(ElementFormat::Name)>(x);
#include "dialect/formats/ElementFormats.def"
  }
  __builtin_unreachable();
}

// Counts steps of the binade that x lies in, exactly: 24 bits, and 8 after the point.
uint8_t encodeStochastic(ElementFormat format, float x, uint8_t random) {
  if (x != x) return encode(format, x);
  const ElementFormatInfo &f = info(format);
  const float magnitude = std::min(std::fabs(x), f.maxFinite);
  const int leastExponent = 1 - f.exponentBias();
  const int exponent = magnitude == 0 ? leastExponent : std::max(std::ilogb(magnitude), leastExponent);
  const double steps = std::ldexp(double(magnitude), f.mantissaBits - exponent);
  const int counted = int(std::floor(steps + random / 256.0));
  const int code = ((exponent - leastExponent) << f.mantissaBits) + counted;
  const int sign = std::signbit(x) ? 1 << (f.bits() - 1) : 0;
  return uint8_t(std::min(code, int(encode(format, f.maxFinite))) | sign);
}

void encodeScaled(ElementFormat format, std::span<const float> values, float multiplier, uint8_t *codes) {
  switch (format) {
#define MXC_ELEMENT_FORMAT(Name, ...)                                                                        \
  case ElementFormat::Name:                                                                                  \
    return encodeAll<int(ElementFormat::Name)>(values, multiplier, codes);
#include "dialect/formats/ElementFormats.def"
  }
}

float decode(ElementFormat format, uint8_t code) {
  const ElementFormatInfo &f = info(format);
  const uint32_t mantissaMask = (1u << f.mantissaBits) - 1, exponentMask = (1u << f.exponentBits) - 1;
  const uint32_t mantissa = code & mantissaMask, exponent = code >> f.mantissaBits & exponentMask;
  const float sign = code >> (f.bits() - 1) & 1 ? -1.0f : 1.0f;
  if (f.nan == NanEncoding::AllOnes && exponent == exponentMask && mantissa == mantissaMask)
    return std::numeric_limits<float>::quiet_NaN();
  if (f.nan == NanEncoding::Ieee && exponent == exponentMask)
    return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  const uint32_t significand = exponent ? mantissa + mantissaMask + 1 : mantissa;
  return sign * float(significand) *
         powerOfTwo(int(exponent ? exponent : 1) - f.exponentBias() - f.mantissaBits);
}

} // namespace mxc
