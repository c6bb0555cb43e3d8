#include "tests/end-to-end/BlockwiseData.h"

#include <cmath>
#include <limits>

std::byte BlockwiseRandom::code(const std::string &element) {
  const uint32_t largest = element == "f8E4M3FN" ? 0x7E : 0x7B, code = random_() & 0xFF;
  const bool isSpecial = (code & 0x7F) > largest;
  return std::byte(isSpecial && !(specials_ && random_() % 8 == 0) ? code & 0xB7 : code);
}

float BlockwiseRandom::scale() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  std::uniform_real_distribution<float> mantissa(0.5f, 1.0f);
  const float scale = std::ldexp(mantissa(random_), int(random_() % 24) - 16);
  switch (specials_ ? random_() % 64 : 64) {
  case 0:
    return 0;
  case 1:
    return std::ldexp(scale, 100);
  case 2:
    return std::ldexp(scale, -120);
  case 3:
    return -scale;
  case 4:
    return random_() % 4 ? scale : kNan;
  case 5:
    return random_() % 4 ? scale : kInfinity;
  default:
    return scale;
  }
}

std::vector<std::byte> BlockwiseRandom::codes(const std::string &element, int64_t count) {
  std::vector<std::byte> codes;
  for (int64_t i = 0; i < count; ++i)
    codes.push_back(code(element));
  return codes;
}

std::vector<float> BlockwiseRandom::scales(int64_t count) {
  std::vector<float> scales;
  for (int64_t i = 0; i < count; ++i)
    scales.push_back(scale());
  return scales;
}
