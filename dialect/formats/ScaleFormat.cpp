#include "dialect/formats/ScaleFormat.h"

#include "dialect/formats/ElementFormat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace mxc {

static constexpr std::array kFormats = {
#define MXC_SCALE_FORMAT(Name, name, mlirType, bits, nan, rule, safetensorsType)                             \
  ScaleFormatInfo{ScaleFormat::Name, name, mlirType, bits, nan, ScaleRule::rule, safetensorsType},
#include "dialect/formats/ScaleFormats.def"
};

std::span<const ScaleFormatInfo> scaleFormats() { return kFormats; }
const ScaleFormatInfo &info(ScaleFormat format) { return kFormats[size_t(format)]; }

std::optional<ScaleFormat> scaleFormatNamed(std::string_view name) {
  for (const ScaleFormatInfo &format : kFormats)
    if (format.name == name) return format.format;
  return std::nullopt;
}

float scaleValue(ScaleFormat format, uint32_t code) {
  switch (format) {
  case ScaleFormat::UE8M0:
    if (code == info(format).nan) break;
    return std::bit_cast<float>(code == 0 ? 0x00400000u : code << 23);
  case ScaleFormat::UE4M3:
    return decode(ElementFormat::E4M3, uint8_t(code & 0x7F));
  case ScaleFormat::F32:
    return std::bit_cast<float>(code);
  }
  return std::numeric_limits<float>::quiet_NaN();
}

bool convertsScales(ScaleFormat from, ScaleFormat to) {
  const auto isEither = [](ScaleFormat f) { return f == ScaleFormat::F32 || f == ScaleFormat::UE8M0; };
  return from == to || (isEither(from) && isEither(to));
}

/// The ue8m0 code of the power of two that is nearest to an f32.
static uint32_t nearestPowerOfTwo(uint32_t bits) {
  constexpr uint32_t infinity = 0x7F800000, leastNormal = 0x00800000, largestCode = 254;
  if (bits >= infinity) return info(ScaleFormat::UE8M0).nan; // signs are above it
  if (bits < leastNormal) return bits >= leastNormal / 4 * 3;
  return std::min((bits + leastNormal / 2) >> 23, largestCode);
}

ConvertedScale convertScale(ScaleFormat from, uint32_t code, ScaleFormat to) {
  if (from == to) return {code};
  if (to == ScaleFormat::F32)
    return {code == info(from).nan ? info(to).nan : std::bit_cast<uint32_t>(scaleValue(from, code))};
  const uint32_t power = nearestPowerOfTwo(code);
  const float before = scaleValue(from, code), after = scaleValue(to, power);
  return {power, before == after || std::isnan(before)};
}

uint32_t loadScale(ScaleFormat format, const uint8_t *scales, int64_t index) {
  uint32_t code = 0;
  std::memcpy(&code, scales + index * info(format).bytes(), size_t(info(format).bytes()));
  return code;
}

void storeScale(ScaleFormat format, uint8_t *scales, int64_t index, uint32_t code) {
  std::memcpy(scales + index * info(format).bytes(), &code, size_t(info(format).bytes()));
}

std::string scaleText(ScaleFormat format, uint32_t code) {
  char text[32];
  const int digits = info(format).bits / 4;
  float value = scaleValue(format, code);
  if (std::isnan(value))
    std::snprintf(text, sizeof text, "0x%0*x (NaN)", digits, code);
  else if (format == ScaleFormat::UE8M0)
    std::snprintf(text, sizeof text, "0x%0*x (2^%d)", digits, code, std::ilogb(value));
  else
    std::snprintf(text, sizeof text, "0x%0*x (%.9g)", digits, code, double(value));
  return text;
}

} // namespace mxc
