// Operations of a prologue whose result is truncated to a narrow type: as MLIR, and as the host computes
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

/// bf16, f16, f32, f64: what a value is rounded to.
struct FloatShape {
  const char *name;
  int digits, minExponent, maxExponent; // 2^minExponent is the smallest normal value
  int bits() const { return digits == 24 ? 32 : digits == 53 ? 64 : 16; }
};
inline constexpr FloatShape kBf16{"bf16", 8, -126, 127}, kF16{"f16", 11, -14, 15}, kF32{"f32", 24, -126, 127},
    kF64{"f64", 53, -1022, 1023};

/// The nearest value of the shape, ties to even, once; beyond the largest finite one Inf.
double roundedTo(const FloatShape &shape, double value);

/// The bits of a value of a 16-bit shape; NaN is 0x7FFF.
uint16_t narrowBits(const FloatShape &shape, double value);

struct NarrowOperation {
  const char *name;
  /// From %x and %y of the type W, their upper 32 bits %xi, %yi and upper 16 bits %xs, %ys, to %v of W.
  const char *body;
  /// The same, exactly as the operations round: `wide` is W.
  double (*compute)(double x, double y, const FloatShape &wide);
};
std::span<const NarrowOperation> narrowOperations();
