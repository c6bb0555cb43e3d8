#include "runtime/measure/InputValues.h"

#include "dialect/formats/ElementFormat.h"
#include "dialect/formats/Error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

namespace mxc::measure {

namespace {

uint64_t hash(uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

/// The sum of four uniform numbers is nearly normal.
float normal(uint64_t bits) {
  int sum = 0;
  for (int part = 0; part < 4; ++part)
    sum += static_cast<int>(bits >> 16 * part & 0xffff) - 0x8000;
  return static_cast<float>(sum) * (1.7320508f / 65536);
}

/// Element `i` of heavy-tailed input, `Encode`d.
template <typename Code, typename Encode>
void fillFloats(uint64_t seed, std::span<std::byte> bytes, Encode encode) {
  float scale = 1;
  for (size_t i = 0; i < bytes.size() / sizeof(Code); ++i) {
    if (i % 32 == 0) scale = std::exp2(24 * static_cast<float>(hash(~seed ^ i / 32) >> 40) * 0x1p-24f - 12);
    const Code code = encode(normal(hash(seed + i)) * scale);
    std::memcpy(&bytes[i * sizeof code], &code, sizeof code);
  }
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint16_t bf16(float value) {
  const uint32_t bits = bitsOf(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Rounds toward zero, since any value will do. The values fit f16's normal numbers and a few subnormal ones,
/// which become zero.
uint16_t f16(float value) {
  const uint32_t bits = bitsOf(value);
  const int exponent = static_cast<int>(bits >> 23 & 255) - 127 + 15;
  const uint32_t sign = bits >> 16 & 0x8000;
  if (exponent <= 0) return static_cast<uint16_t>(sign);
  if (exponent >= 31) return static_cast<uint16_t>(sign | 0x7bff);
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 0x3ff));
}

/// Each byte's own code or, if an 8-bit format has no finite number there, the next one below that is finite.
struct FiniteCodes {
  std::array<uint8_t, 256> codes;
  explicit FiniteCodes(const std::string &type) {
    const std::optional<ElementFormat> format = elementFormatNamed(type);
    for (size_t byte = 0; byte < codes.size(); ++byte) {
      codes[byte] = static_cast<uint8_t>(byte);
      if (!format || info(*format).bits() < 8) continue; // packed: finite numbers alone
      while (!std::isfinite(decode(*format, codes[byte])))
        --codes[byte];
    }
  }
};

template <typename Bend> void fillCodes(uint64_t seed, std::span<std::byte> bytes, Bend bend) {
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t random = hash(seed + i);
    for (size_t j = i; j < std::min(i + 8, bytes.size()); ++j, random >>= 8)
      bytes[j] = static_cast<std::byte>(bend(static_cast<uint8_t>(random)));
  }
}

} // namespace

void fillInput(const AbiArgument &argument, uint64_t seed, std::span<std::byte> bytes) {
  seed = hash(seed);
  const std::string &type = argument.type;
  if (argument.role == ArgumentRole::Random) return fillCodes(seed, bytes, [](uint8_t code) { return code; });
  if (argument.role == ArgumentRole::Index || argument.role == ArgumentRole::Ends || type == "i32" ||
      type == "i64")
    throw Error(ErrorKind::InvalidInput, "argument '" + argument.name + "' of type " + type +
                                             " says places, which cannot be made up: expected a kernel of "
                                             "numbers alone");
  if (type == "f32") return fillFloats<float>(seed, bytes, [](float value) { return value; });
  if (type == "bf16") return fillFloats<uint16_t>(seed, bytes, bf16);
  if (type == "f16") return fillFloats<uint16_t>(seed, bytes, f16);
  if (type == "ue8m0")
    return fillCodes(seed, bytes, [](uint8_t code) { return static_cast<uint8_t>(111 + code % 24); });
  if (type == "ue4m3")
    return fillCodes(seed, bytes, [](uint8_t code) { return static_cast<uint8_t>(16 + code % 96); });
  const FiniteCodes finite(type);
  fillCodes(seed, bytes, [&](uint8_t code) { return finite.codes[code]; });
}

} // namespace mxc::measure
