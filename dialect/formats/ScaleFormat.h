// Formats of scales and their exact values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {

enum class ScaleFormat : uint8_t {
#define MXC_SCALE_FORMAT(Name, ...) Name,
#include "dialect/formats/ScaleFormats.def"
};

struct ScaleFormatInfo {
  ScaleFormat format;
  std::string_view name;     // "ue8m0": the ABI's, and PTX's spelling
  std::string_view mlirType; // "f8E8M0FNU"
  int bits;
  uint8_t nan;                      // the code of NaN, of formats of one byte
  std::string_view safetensorsType; // "F8_E8M0"
};

const ScaleFormatInfo &info(ScaleFormat format);
std::optional<ScaleFormat>
scaleFormatNamed(std::string_view name); // by name, not by MLIR type: f8E4M3FN is an element's

/// The value of a code of one byte, exactly: of ue8m0 2^(code-127), of which 2^-127 is a subnormal f32. NaN
/// stays NaN.
float scaleValue(ScaleFormat format, uint8_t code);

/// A code for people: "0x7f (2^0)", "0xff (NaN)", "0x38 (1)".
std::string scaleText(ScaleFormat format, uint8_t code);

} // namespace mxc
