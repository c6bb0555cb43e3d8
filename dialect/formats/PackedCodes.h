// Codes in memory: packed, element 0 in the lowest bits of the first byte. Two e2m1 a byte, four 6-bit codes
// in three bytes; the host computes with one code a byte.
#pragma once

#include "dialect/formats/ElementFormat.h"

namespace mxc {

/// Bytes of `count` elements of `bits` bits each, packed; a last byte that is not full counts. Rows in memory
/// are whole bytes (semantics/constraints.md, K6). Overflows only where the result does.
constexpr int64_t storageBytes(int bits, int64_t count) {
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}
inline int64_t storageBytes(ElementFormat format, int64_t count) {
  return storageBytes(info(format).bits(), count);
}

/// Packs codes (one a byte, bits above the format's width ignored) to storageBytes(format, codes.size())
/// bytes.
void packCodes(ElementFormat format, std::span<const uint8_t> codes, uint8_t *packed);

/// The inverse: codes.size() codes from storageBytes(format, codes.size()) bytes.
void unpackCodes(ElementFormat format, const uint8_t *packed, std::span<uint8_t> codes);

} // namespace mxc
