#include "dialect/formats/PackedCodes.h"

#include <algorithm>

namespace mxc {

void packCodes(ElementFormat format, std::span<const uint8_t> codes, uint8_t *packed) {
  const int bits = info(format).bits();
  const unsigned mask = (1u << bits) - 1;
  std::fill_n(packed, storageBytes(format, int64_t(codes.size())), uint8_t(0));
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t first = i * size_t(bits), byte = first / 8;
    const unsigned shifted = (codes[i] & mask) << first % 8;
    packed[byte] |= uint8_t(shifted);
    if (shifted > 0xFFu) packed[byte + 1] |= uint8_t(shifted >> 8); // a code of 6 bits may lie in two bytes
  }
}

void unpackCodes(ElementFormat format, const uint8_t *packed, std::span<uint8_t> codes) {
  const int bits = info(format).bits();
  const unsigned mask = (1u << bits) - 1;
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t first = i * size_t(bits), byte = first / 8, shift = first % 8;
    unsigned word = packed[byte];
    if (shift + size_t(bits) > 8) word |= unsigned(packed[byte + 1]) << 8;
    codes[i] = uint8_t(word >> shift & mask);
  }
}

} // namespace mxc
