// Formats of scales and their exact values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mxc {

enum class ScaleFormat : uint8_t {
#define MXC_SCALE_FORMAT(Name, ...) Name,
#include "dialect/formats/ScaleFormats.def"
};

/// How a scale follows from the largest magnitude of its block.
enum class ScaleRule : uint8_t {
  None,       // not yet written
  PowerOfTwo, // its power of two, rounded as QuantizeRule::rounding says
  Quotient,   // magnitude / max finite
  TwoLevel,   // magnitude / max finite / the tensor's scale, rounded to the format
};

struct ScaleFormatInfo {
  ScaleFormat format;
  std::string_view name;     // "ue8m0": the ABI's, and PTX's spelling
  std::string_view mlirType; // "f8E8M0FNU"
  int bits;
  uint32_t nan; // the code of NaN
  ScaleRule rule;
  std::string_view safetensorsType; // "F8_E8M0"
  int bytes() const { return bits / 8; }
};

std::span<const ScaleFormatInfo> scaleFormats();
const ScaleFormatInfo &info(ScaleFormat format);
std::optional<ScaleFormat>
scaleFormatNamed(std::string_view name); // by name, not by MLIR type: f8E4M3FN is an element's

/// The value of a code, exactly: of ue8m0 2^(code-127), of which 2^-127 is a subnormal f32. NaN stays NaN.
float scaleValue(ScaleFormat format, uint32_t code);

/// A code of `from` as one of `to`: the same format, or f32 and ue8m0. An f32 becomes the nearest power of
/// two, the larger one at equal distance, 2^-127 at least and 2^127 at most; NaN, infinities and what has a
/// sign become NaN. `isExact`: the value is the same, or NaN as before.
struct ConvertedScale {
  uint32_t code;
  bool isExact = true;
};
ConvertedScale convertScale(ScaleFormat from, uint32_t code, ScaleFormat to);
/// Whether it can.
bool convertsScales(ScaleFormat from, ScaleFormat to);

/// Code `index` of an array of them, little-endian; no alignment is needed.
uint32_t loadScale(ScaleFormat format, const uint8_t *scales, int64_t index);
void storeScale(ScaleFormat format, uint8_t *scales, int64_t index, uint32_t code);

/// A code for people: "0x7f (2^0)", "0xff (NaN)", "0x38 (1)".
std::string scaleText(ScaleFormat format, uint32_t code);

} // namespace mxc
