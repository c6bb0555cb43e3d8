// The bits of a CUtensorMap, as cuTensorMapEncodeTiled of an H200's driver (13.0) was seen to set them and as
// kernels' authors write them without the driver (CuTe DSL, sm_90a and sm_100a). 32-bit words:
//
//   0, 1    address of element 0
//   2       bit 0 im2col, 1 set by CuTe DSL for sm_100a, 4 rank - 1 (3), 7 type (4), 11 interleave (2),
//           13 swizzle (2), 15 NaN fill, 16 tf32, 17 L2 promotion (2), 19 swizzle atomicity (2), 21 set by
//           CuTe DSL for tensors of 128 KiB and more
//   3 .. 6  strides of dimensions 1 to 4 in 16 bytes, lower 32 bits; 7: their upper 4 bits, 4 x 4
//   8 .. 12 sizes - 1
//   13      element strides - 1 (5 x 3), 24 box of dimension 0 - 1 (8)
//   14      box of dimensions 1 to 4 - 1 (4 x 8)
//   15      0 (im2col: pixels)
//   16 ..   not read: whatever lay there, even what nobody wrote
#include "runtime/simulator/TensorMapFormat.h"

#include <cstring>
#include <iterator>

namespace mxc::sim {

namespace {

struct Field { // of word 2
  uint8_t shift, bits;
  uint32_t mask() const { return ((1u << bits) - 1) << shift; }
  uint32_t of(uint32_t word) const { return (word & mask()) >> shift; }
  uint32_t in(uint64_t value) const { return uint32_t(value) << shift & mask(); }
};
constexpr Field kIm2col{0, 1}, kRank{4, 3}, kType{7, 4}, kInterleave{11, 2}, kSwizzle{13, 2}, kFill{15, 1},
    kTf32{16, 1}, kPromotion{17, 2}, kAtom{19, 2};
constexpr Field kSwizzle96{31, 1}; // seen nowhere yet, and ours until then

/// Type numbers by TensorMapType; tf32 is f32 with a bit of its own.
constexpr uint8_t kTypeNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8, 11, 12, 13};
static_assert(std::size(kTypeNumbers) == size_t(TensorMapType::B6x16Padded) + 1);
constexpr bool isTf32(size_t type) {
  return type == size_t(TensorMapType::Tf32) || type == size_t(TensorMapType::Tf32Ftz);
}

TensorMapType typeOf(uint32_t number, bool tf32) {
  for (size_t type = 0; type < std::size(kTypeNumbers); ++type)
    if (kTypeNumbers[type] == number && isTf32(type) == tf32) return TensorMapType(type);
  return TensorMapType(255);
}

uint32_t typeBits(TensorMapType type) {
  size_t index = size_t(type);
  if (index >= std::size(kTypeNumbers)) return kType.mask(); // a number that no type has
  return kType.in(kTypeNumbers[index]) | kTf32.in(isTf32(index));
}

} // namespace

TensorMap decodeTensorMap(const std::byte *bytes) {
  uint32_t words[16];
  std::memcpy(words, bytes, sizeof words);
  TensorMap map;
  map.address = words[0] | uint64_t(words[1]) << 32;
  uint32_t kinds = words[2];
  map.isTiled = !kIm2col.of(kinds);
  map.rank = uint8_t(kRank.of(kinds) + 1);
  map.type = typeOf(kType.of(kinds), kTf32.of(kinds));
  map.interleave = uint8_t(kInterleave.of(kinds));
  map.swizzle = kSwizzle96.of(kinds) ? TensorMap::Swizzle::Span96 : TensorMap::Swizzle(kSwizzle.of(kinds));
  map.atom = TensorMap::Atom(kAtom.of(kinds));
  map.fill = TensorMap::Fill(kFill.of(kinds));
  map.promotion = uint8_t(kPromotion.of(kinds));
  for (unsigned d = 0; d < 5; ++d) {
    map.size[d] = words[8 + d] + uint64_t(1);
    map.elementStride[d] = uint8_t((words[13] >> 3 * d & 7) + 1);
    map.box[d] = uint16_t((d ? words[14] >> 8 * (d - 1) & 255 : words[13] >> 24) + 1);
    if (d) map.strideBytes[d - 1] = (words[2 + d] | uint64_t(words[7] >> 4 * (d - 1) & 15) << 32) << 4;
  }
  constexpr uint32_t kUnused = 0x7FC0000C, kUnusedOfStrides = 0xFFFF0000, kUnusedOfBox = 0x00FF8000;
  map.isUnknown = kinds & kUnused || words[7] & kUnusedOfStrides || words[13] & kUnusedOfBox ||
                  (map.isTiled && words[15]);
  return map;
}

void encodeTensorMap(const TensorMap &map, std::byte *bytes) {
  uint32_t words[kTensorMapBytes / sizeof(uint32_t)]{};
  words[0] = uint32_t(map.address), words[1] = uint32_t(map.address >> 32);
  bool is96 = map.swizzle == TensorMap::Swizzle::Span96;
  words[2] = kIm2col.in(!map.isTiled) | kRank.in(map.rank - 1u) | typeBits(map.type) |
             kInterleave.in(map.interleave) | kSwizzle.in(is96 ? 0 : uint64_t(map.swizzle)) |
             kSwizzle96.in(is96) | kAtom.in(uint64_t(map.atom)) | kFill.in(uint64_t(map.fill)) |
             kPromotion.in(map.promotion);
  for (unsigned d = 0; d < 5; ++d) {
    words[8 + d] = uint32_t(map.size[d] - 1);
    words[13] |= ((map.elementStride[d] - 1u) & 7) << 3 * d;
    (d ? words[14] : words[13]) |= ((map.box[d] - 1u) & 255) << (d ? 8 * (d - 1) : 24);
    if (!d) continue;
    words[2 + d] = uint32_t(map.strideBytes[d - 1] >> 4);
    words[7] |= uint32_t(map.strideBytes[d - 1] >> 36 & 15) << 4 * (d - 1);
  }
  std::memcpy(bytes, words, sizeof words);
}

} // namespace mxc::sim
