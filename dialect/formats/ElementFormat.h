// Element formats of the MX family and their exact host conversions. No LLVM in here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mxc {

enum class ElementFormat : uint8_t {
#define MXC_ELEMENT_FORMAT(Name, ...) Name,
#include "dialect/formats/ElementFormats.def"
};

enum class NanEncoding : uint8_t { None, AllOnes, Ieee };

struct ElementFormatInfo {
  ElementFormat format;
  std::string_view name;          // "e4m3", also PTX's spelling
  std::string_view mlirType;      // "f8E4M3FN"
  int exponentBits, mantissaBits; // beside the sign bit
  int emax;                       // exponent of the largest binade
  float maxFinite;
  NanEncoding nan;
  std::string_view safetensorsType; // "F8_E4M3"
  int bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr int exponentBias() const { return (1 << (exponentBits - 1)) - 1; }
};

std::span<const ElementFormatInfo> elementFormats();
const ElementFormatInfo &info(ElementFormat format);
std::optional<ElementFormat> elementFormatNamed(std::string_view name); // by name ("e4m3") or MLIR type

/// The code of x, to nearest even, saturating to +-max finite (infinities too). The sign of zero is kept. NaN
/// becomes the canonical NaN (0x7F for 8-bit formats) whatever its sign, or +max finite where the format has
/// none (numerics.md, "Special values"; PTX's cvt.rn.satfinite does the same).
uint8_t encode(ElementFormat format, float x);

/// The same, rounded by eight random bits in place of to nearest: they are added below the last bit that is
/// kept, and a carry takes the magnitude to the next one.
uint8_t encodeStochastic(ElementFormat format, float x, uint8_t random);

/// codes[i] = encode(format, values[i] * multiplier), the product rounded to f32 first. One loop a format,
/// for whole blocks.
void encodeScaled(ElementFormat format, std::span<const float> values, float multiplier, uint8_t *codes);

/// The exact value of a code; bits above the format's width are ignored.
float decode(ElementFormat format, uint8_t code);

} // namespace mxc
