#include "runtime/simulator/TensorMapFormat.h"

#include <iterator>

namespace mxc::sim {

unsigned TensorMap::elementBits() const {
  static constexpr uint8_t kBits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
  static_assert(std::size(kBits) == size_t(TensorMapType::B6x16Padded) + 1);
  return static_cast<size_t>(type) < std::size(kBits) ? kBits[static_cast<size_t>(type)] : 8;
}

unsigned TensorMap::sharedElementBits() const {
  return type == TensorMapType::B4x16Padded || type == TensorMapType::B6x16Padded ? 8 : elementBits();
}

bool TensorMap::isFloat() const {
  using enum TensorMapType;
  return type == F16 || (type >= F32 && type <= Tf32Ftz);
}

unsigned TensorMap::swizzleBytes() const {
  constexpr unsigned kBytes[] = {0, 32, 64, 128, 96};
  return kBytes[static_cast<size_t>(swizzle)];
}

uint32_t TensorMap::boxElements(unsigned dimension) const {
  uint32_t step = dimension == 0 ? 1 : elementStride[dimension]; // dimension 0 has no stride
  return (box[dimension] + step - 1u) / step;
}

static std::string mismatch(const char *what, const char *expected, uint64_t found) {
  return std::string("its ") + what + ": expected " + expected + ", found " + std::to_string(found);
}

std::string problemOf(const TensorMap &map) {
  if (map.isUnknown) return "these 128 bytes are no tensor map";
  if (!map.isTiled) return "im2col maps are not simulated";
  if (map.rank < 1 || map.rank > 5) return mismatch("rank", "1 to 5", map.rank);
  if (map.type > TensorMapType::B6x16Padded) return mismatch("element type", "0 to 15", uint64_t(map.type));
  if (map.swizzle > TensorMap::Swizzle::Span96)
    return mismatch("swizzle mode", "0 to 4", uint64_t(map.swizzle));
  if (map.atom > TensorMap::Atom::Bytes64) return mismatch("swizzle atomicity", "0 to 3", uint64_t(map.atom));
  if (map.fill > TensorMap::Fill::NotANumber) return mismatch("fill mode", "0 or 1", uint64_t(map.fill));
  if (map.interleave)
    return mismatch("interleave layout", "0 (the simulator knows no other)", map.interleave);
  bool isPadded = map.sharedElementBits() != map.elementBits();
  uint64_t alignment = isPadded ? 32 : 16;
  const char *aligned = isPadded ? "a multiple of 32" : "a multiple of 16";
  if (map.address % alignment) return mismatch("address", aligned, map.address);
  for (unsigned d = 0; d < map.rank; ++d) {
    if (map.box[d] < 1 || map.box[d] > 256) return mismatch("box", "1 to 256", map.box[d]);
    if (d && (map.elementStride[d] < 1 || map.elementStride[d] > 8))
      return mismatch("element stride", "1 to 8", map.elementStride[d]);
    if (d && map.strideBytes[d - 1] % alignment) return mismatch("stride", aligned, map.strideBytes[d - 1]);
  }
  uint64_t innerBits = uint64_t(map.box[0]) * map.elementBits();
  if (innerBits % 128 && !isPadded) return mismatch("inner box bits", "a multiple of 128", innerBits);
  if (isPadded && map.box[0] != 128) return mismatch("inner box of a padded type", "128", map.box[0]);
  uint64_t sharedBytes = uint64_t(map.box[0]) * map.sharedElementBits() / 8;
  if (map.swizzle != TensorMap::Swizzle::None && sharedBytes > map.swizzleBytes())
    return mismatch("inner box bytes", "at most the swizzle's span", sharedBytes);
  return "";
}

// PTX, tensormap.replace: the encodings of new_val.
static TensorMapType typeOfPtx(uint64_t value) {
  using enum TensorMapType;
  static constexpr TensorMapType kTypes[] = {U8,      U16,   U32,         S32,        U64,  S64,
                                             F16,     F32,   F32Ftz,      F64,        Bf16, Tf32,
                                             Tf32Ftz, B4x16, B4x16Padded, B6x16Padded};
  return value < std::size(kTypes) ? kTypes[value] : static_cast<TensorMapType>(255);
}

bool replaceTensorMapField(TensorMap &map, TensorMapField field, unsigned ordinal, uint64_t value) {
  using enum TensorMapField;
  auto byte = static_cast<uint8_t>(value > 255 ? 255 : value);
  switch (field) {
  case BoxDim:
  case GlobalDim:
  case ElementStride:
    if (ordinal >= 5) return false;
    if (field == BoxDim) map.box[ordinal] = static_cast<uint16_t>(value > 0xffff ? 0xffff : value);
    if (field == GlobalDim) map.size[ordinal] = value;
    if (field == ElementStride) map.elementStride[ordinal] = byte;
    return true;
  case GlobalStride:
    if (ordinal >= 4) return false;
    map.strideBytes[ordinal] = value;
    return true;
  case GlobalAddress:
    map.address = value;
    return true;
  case Rank:
    map.rank = static_cast<uint8_t>(value > 254 ? 255 : value + 1);
    return true;
  case ElementType:
    map.type = typeOfPtx(value);
    return true;
  case Interleave:
    map.interleave = byte;
    return true;
  case SwizzleMode:
    map.swizzle = static_cast<TensorMap::Swizzle>(byte);
    return true;
  case SwizzleAtom:
    map.atom = static_cast<TensorMap::Atom>(byte);
    return true;
  case FillMode:
    map.fill = static_cast<TensorMap::Fill>(byte);
    return true;
  }
  return false;
}

} // namespace mxc::sim
