// A tensor map: what cuTensorMapEncodeTiled puts into a CUtensorMap, and tensormap.replace
// patches. It is plain data: it may be copied through kernel parameters, shared and global memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mxc::sim {

enum class TensorMapType : uint8_t { // as CUtensorMapDataType
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64,
  Bf16,
  F32Ftz,
  Tf32,
  Tf32Ftz,
  B4x16,       // 16 values of 4 bits, dense in shared memory too
  B4x16Padded, // .. in 16 bytes of shared memory each, the upper 8 unused
  B6x16Padded, // 16 values of 6 bits, likewise, the upper 4 unused
};

/// The bytes of a CUtensorMap's 128 that mean something: kernels copy and patch these alone (CuTe
/// DSL).
inline constexpr size_t kTensorMapBytes = 64;

struct TensorMap {
  enum class Swizzle : uint8_t { None, Span32, Span64, Span128, Span96 }; // as tensormap.replace counts
  enum class Atom : uint8_t { Bytes16, Bytes32, Bytes32Flip8, Bytes64 };  // as tensormap.replace counts
  enum class Fill : uint8_t { Zero, NotANumber };

  uint64_t address = 0;
  std::array<uint64_t, 4> strideBytes{}; // [0] is dimension 1's
  std::array<uint64_t, 5> size{1, 1, 1, 1, 1};
  std::array<uint16_t, 5> box{1, 1, 1, 1, 1};
  std::array<uint8_t, 5> elementStride{1, 1, 1, 1, 1};
  TensorMapType type = TensorMapType::U8;
  uint8_t rank = 1;
  Swizzle swizzle = Swizzle::None;
  Atom atom = Atom::Bytes16;
  Fill fill = Fill::Zero;
  uint8_t interleave = 0, promotion = 0; // interleave: always 0
  bool isTiled = true;                   // not im2col
  bool isUnknown = false;                // bits are set that no map has
  bool operator==(const TensorMap &) const = default;

  unsigned elementBits() const;       // in global memory
  unsigned sharedElementBits() const; // in shared memory: 8 for the padded types
  bool isFloat() const;
  unsigned swizzleBytes() const; // the span: 0, 32, 64, 128 (96)
  /// Elements of the box along a dimension: with an element stride of s, every s-th.
  uint32_t boxElements(unsigned dimension) const;
};
/// The bits are the hardware's: TensorMapEncoding.cpp. `bytes` are of any alignment.
TensorMap decodeTensorMap(const std::byte *bytes);
/// Values that do not fit are cut, as the hardware's fields are.
void encodeTensorMap(const TensorMap &map, std::byte *bytes);

/// What keeps a map from being used, after patches by kernels; "" if nothing does: "expected a rank of 1 to
/// 5, found 9".
std::string problemOf(const TensorMap &map);

/// The fields of tensormap.replace.tile, by their PTX names.
enum class TensorMapField : uint8_t {
  GlobalAddress, // global_address
  Rank,          // rank: the value is the rank - 1
  BoxDim,        // box_dim
  GlobalDim,     // global_dim
  GlobalStride,  // global_stride, in bytes; ordinal 0 is dimension 1's
  ElementStride, // element_stride
  ElementType,   // elemtype, in PTX's numbers
  Interleave,    // interleave_layout
  SwizzleMode,   // swizzle_mode
  SwizzleAtom,   // swizzle_atomicity
  FillMode,      // fill_mode
};

/// tensormap.replace: `ordinal` for box_dim, global_dim, global_stride and element_stride, whatever the rank.
/// False: no such ordinal. The value is not checked: problemOf says what came of it. (Zeros become a map by
/// being patched field by field: Triton makes its maps so.)
bool replaceTensorMapField(TensorMap &map, TensorMapField field, unsigned ordinal, uint64_t value);

} // namespace mxc::sim
