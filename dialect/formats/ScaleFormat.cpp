#include "dialect/formats/ScaleFormat.h"

#include "dialect/formats/ElementFormat.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace mxc {

static constexpr std::array kFormats = {
#define MXC_SCALE_FORMAT(Name, name, mlirType, bits, nan, safetensorsType)                                   \
  ScaleFormatInfo{ScaleFormat::Name, name, mlirType, bits, nan, safetensorsType},
#include "dialect/formats/ScaleFormats.def"
};

const ScaleFormatInfo &info(ScaleFormat format) { return kFormats[size_t(format)]; }

std::optional<ScaleFormat> scaleFormatNamed(std::string_view name) {
  for (const ScaleFormatInfo &format : kFormats)
    if (format.name == name) return format.format;
  return std::nullopt;
}

float scaleValue(ScaleFormat format, uint8_t code) {
  switch (format) {
  case ScaleFormat::UE8M0:
    if (code == info(format).nan) break;
    return std::bit_cast<float>(code == 0 ? 0x00400000u : uint32_t(code) << 23);
  case ScaleFormat::UE4M3:
    return decode(ElementFormat::E4M3, code & 0x7F);
  case ScaleFormat::F32: // no code of a byte
    break;
  }
  return std::numeric_limits<float>::quiet_NaN();
}

std::string scaleText(ScaleFormat format, uint8_t code) {
  char text[32];
  float value = scaleValue(format, code);
  if (std::isnan(value))
    std::snprintf(text, sizeof text, "0x%02x (NaN)", code);
  else if (format == ScaleFormat::UE8M0)
    std::snprintf(text, sizeof text, "0x%02x (2^%d)", code, std::ilogb(value));
  else
    std::snprintf(text, sizeof text, "0x%02x (%.9g)", code, double(value));
  return text;
}

} // namespace mxc
