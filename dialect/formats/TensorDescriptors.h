// Descriptors that the tensor cores of sm_90 and sm_100 take: their fields, and the bits that they become.
// Encoded here and nowhere else; the simulator decodes on its own.
#pragma once

#include "dialect/formats/ElementFormat.h"

namespace mxc {

namespace descriptors {
template <int first, int count> constexpr uint64_t field(uint64_t value) {
  return (value & ((uint64_t(1) << count) - 1)) << first;
}
} // namespace descriptors

/// Bytes that a row of an operand in shared memory is swizzled in.
enum class OperandSwizzle : uint8_t { None, B128 };

/// Where a wgmma operand lies (PTX ISA, "matrix descriptor" of wgmma). Bytes; the address is added as units
/// of 16.
struct WarpgroupOperand {
  int leadingBytes, strideBytes; // of eight rows
  OperandSwizzle swizzle;

  constexpr uint64_t bits() const {
    using namespace descriptors;
    return field<16, 14>(leadingBytes / 16) | field<32, 14>(strideBytes / 16) |
           field<62, 2>(swizzle == OperandSwizzle::B128 ? 1 : 0);
  }
};

/// Where a tcgen05 operand, or a tile of scales, lies (PTX ISA, "shared memory descriptor" of tcgen05).
struct TensorMemoryOperand {
  int leadingBytes, strideBytes;
  OperandSwizzle swizzle;
  bool goesOn =
      false; // of 48 bytes of K: the leading field is an address, where rows go on after their 128 bytes

  constexpr uint64_t bits() const {
    using namespace descriptors;
    constexpr int kVersion = 1;
    return field<16, 14>(leadingBytes / 16) | field<32, 14>(strideBytes / 16) | field<46, 3>(kVersion) |
           field<52, 1>(goesOn) | field<61, 3>(swizzle == OperandSwizzle::B128 ? 2 : 0);
  }
};

/// What a block-scaled tcgen05.mma multiplies (PTX ISA, "instruction descriptor", tables of the kinds mxf*).
struct BlockMmaInstruction {
  int m, n;
  int elementA, elementB; // codes (elementCode)
  bool isPowerOfTwo;      // scales are ue8m0
  int scaleByte = 0;      // of a cell: which one has the block's scale, of both operands
  bool isWide = false;    // K = 96

  constexpr uint32_t bits() const {
    using namespace descriptors;
    return uint32_t(field<4, 2>(scaleByte) | field<7, 3>(elementA) | field<10, 3>(elementB) |
                    field<17, 6>(n / 8) | field<23, 1>(isPowerOfTwo) | field<27, 2>(m / 128) |
                    field<29, 2>(scaleByte) | field<31, 1>(isWide));
  }
  /// Kind mxf8f6f4 has the codes of elementCode; the others have e2m1 alone, which is 1.
  static constexpr int kOnlyE2M1 = 1;
  static constexpr int elementCode(ElementFormat format) {
    switch (format) {
    case ElementFormat::E4M3:
      return 0;
    case ElementFormat::E5M2:
      return 1;
    case ElementFormat::E2M3:
      return 3;
    case ElementFormat::E3M2:
      return 4;
    case ElementFormat::E2M1:
      return 5;
    }
    return -1;
  }
};

/// K-major operands in rows of 128 bytes: eight rows lie 1024 bytes apart. Leading offsets are not used where
/// K stays within a row; they are as others write them.
inline constexpr WarpgroupOperand kWarpgroupRows = {16, 1024, OperandSwizzle::B128};
inline constexpr TensorMemoryOperand kTensorRows = {16, 1024, OperandSwizzle::B128};
/// The same for 48 bytes of K. The flag is set where rows do not cross, too.
inline constexpr TensorMemoryOperand kWideTensorRows = {0, 1024, OperandSwizzle::B128, /*goesOn=*/true};
inline constexpr TensorMemoryOperand kScaleTile = {16, 128, OperandSwizzle::None};

static_assert(kWarpgroupRows.bits() == 0x4000004000010000);
static_assert(kTensorRows.bits() == 0x4000404000010000);
static_assert(kWideTensorRows.bits() == 0x4010404000000000);
static_assert(kScaleTile.bits() == 0x0000400800010000);
static_assert(BlockMmaInstruction{.m = 128, .n = 256, .elementA = 0, .elementB = 0, .isPowerOfTwo = true}
                  .bits() == 0x08C00000);
static_assert(BlockMmaInstruction{.m = 256,
                                  .n = 128,
                                  .elementA = 1,
                                  .elementB = 5,
                                  .isPowerOfTwo = false,
                                  .scaleByte = 2,
                                  .isWide = true}
                  .bits() == 0xD02014A0);

} // namespace mxc
