// How far a block-scaled product's sum may be from the exact one (docs/semantics/product.md, P2).
#pragma once

#include "dialect/formats/Reference.h"

#include <algorithm>
#include <cmath>

namespace mxc {

/// Returns the part of P2's bound that grows with the magnitude of the terms, for sums of `k` of them.
inline double relativeSumDistance(int64_t k) { return 0x1p-12 * std::max(1.0, double(k) / 4096); }

/// Returns the part of P2's bound that does not.
inline double leastSumDistance(int64_t k) { return double(k) * 0x1p-152; }

/// Returns the distance between neighbours of the type at `value`, which is not negative; at infinity it is
/// infinity.
inline double stepOf(FloatType type, double value) {
  const int bits = type == FloatType::BF16 ? 7 : type == FloatType::F16 ? 10 : 23;
  const int least = type == FloatType::F16 ? -14 : -126;
  if (std::isinf(value)) return value;
  return std::ldexp(1.0, (value > 0 ? std::max(least, std::ilogb(value)) : least) - bits);
}

} // namespace mxc
