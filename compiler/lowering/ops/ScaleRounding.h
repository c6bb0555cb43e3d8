// How mx.encode_scale rounds a block's maximum to a power of two.
#pragma once

#include "dialect/MxOps.h"

#include <bit>

namespace mxc {

/// What is added to the bits of the maximum (f32) before its exponent is read.
inline int64_t roundingBias(const ElementFormatInfo &format, mx::RoundingMode rounding) {
  switch (rounding) {
  case mx::RoundingMode::Ceil: // the exponent rises where the mantissa is above max_finite's
    return 0x7fffff - (std::bit_cast<uint32_t>(format.maxFinite) & 0x7fffff);
  case mx::RoundingMode::Even:
    return int64_t(1) << (22 - format.mantissaBits);
  case mx::RoundingMode::Floor:
    return 0;
  default:
    llvm_unreachable("of a power of two");
  }
}

} // namespace mxc
