// How a CUtensorMap is encoded (cuTensorMapEncodeTiled): every value that the driver asks for. Interleaving
// is none.
#pragma once

#include "compiler/abi/ShapeExpression.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mxc {

/// What the driver is told of the elements; not a kernel argument's type, which may be seen as another one.
enum class TensorMapType : uint8_t {
  U8,
  U16,
  U32,
  I32,
  U64,
  I64,
  F16,
  F32,
  F64,
  BF16,
  F32FlushToZero,
  TF32,
  TF32FlushToZero,
  U4Align8B,
  U4Align16B,
  U6Align16B // 16 elements each: packed, in 16 bytes, in 16 bytes of shared memory
};
enum class TensorMapSwizzle : uint8_t { None, B32, B64, B128, B128Atom32, B128Atom32Flip8, B128Atom64 };
enum class TensorMapPromotion : uint8_t { None, B64, B128, B256 };
enum class TensorMapFill : uint8_t { Zeros, Nan };

/// A view of an argument's or workspace's memory, of 1 to 5 dimensions, innermost first. It may merge and
/// split the argument's dimensions, so its sizes are expressions of their own: over dimensions, device facts,
/// and stride0 .. stride4, the strides in elements of the argument's dimensions (outermost first, as in its
/// shape).
struct TensorMapRecipe {
  std::string argument;
  ShapeExpression offset = {}; // of the view's first element from the argument's, in bytes; nothing = 0
  TensorMapType type = TensorMapType::U8;
  std::vector<ShapeExpression> sizes = {};   // elements; one a dimension
  std::vector<ShapeExpression> strides = {}; // bytes; of every dimension but the innermost
  std::vector<uint32_t> box = {};            // elements, 1 to 256
  std::vector<uint32_t> elementStrides = {}; // 1 to 8
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapPromotion promotion = TensorMapPromotion::B256;
  TensorMapFill fill = TensorMapFill::Zeros;
  bool operator==(const TensorMapRecipe &) const = default;
};

} // namespace mxc
