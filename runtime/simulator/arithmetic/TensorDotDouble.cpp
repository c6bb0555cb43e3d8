#include "runtime/simulator/arithmetic/TensorDotDouble.h"

#include <bit>
#include <cmath>
#include <limits>

namespace mxc::sim {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                 kNaN = std::numeric_limits<double>::quiet_NaN();

double valueAt(const DotOperand &operand, int row, int k) {
  size_t at = size_t(k) * size_t(operand.stride) + size_t(row);
  uint8_t special = operand.specials.empty() ? 0 : operand.specials[at];
  if (special == DotOperand::kInfinite) return kInfinity;
  if (special == DotOperand::kMinusInfinite) return -kInfinity;
  if (special || operand.rowIsSpecial[size_t(row)] & DotOperand::kNaN) return kNaN;
  bool isGrouped = !operand.scaleSignificands.empty();
  size_t group = size_t(isGrouped ? k / DotOperand::kGroup : 0) * size_t(operand.stride) + size_t(row);
  double value = std::ldexp(operand.significands[at],
                            operand.exponents[at] - operand.fractionBits + operand.scaleExponents[group]);
  return isGrouped ? value * operand.scaleSignificands[group] / 8 : value;
}

/// [row * k + ..]
std::vector<double> valuesOf(const DotOperand &operand) {
  std::vector<double> values;
  values.reserve(size_t(operand.rows()) * size_t(operand.k()));
  for (int row = 0; row < operand.rows(); ++row)
    for (int k = 0; k < operand.k(); ++k)
      values.push_back(valueAt(operand, row, k));
  return values;
}

double valueOf(Accumulator accumulator, uint32_t bits) {
  return accumulator == Accumulator::F16 ? double(std::bit_cast<_Float16>(uint16_t(bits)))
                                         : double(std::bit_cast<float>(bits));
}

/// Zero is +0, a NaN the canonical one, as the tensor cores give them.
uint32_t bitsOf(Accumulator accumulator, double value) {
  bool isF16 = accumulator == Accumulator::F16;
  if (std::isnan(value)) return isF16 ? 0x7FFF : 0x7FFFFFFF;
  uint32_t bits = isF16 ? std::bit_cast<uint16_t>(_Float16(value)) : std::bit_cast<uint32_t>(float(value));
  return bits & (isF16 ? 0x7FFF : 0x7FFFFFFF) ? bits : 0;
}

} // namespace

void accumulateInDouble(Accumulator accumulator, const DotOperand &a, const DotOperand &b, uint32_t *c,
                        size_t cStride, bool readsC) {
  const std::vector<double> left = valuesOf(a), right = valuesOf(b);
  const size_t k = size_t(a.k());
  for (size_t m = 0; m < size_t(a.rows()); ++m)
    for (size_t n = 0; n < size_t(b.rows()); ++n) {
      uint32_t &result = c[m * cStride + n];
      double sum = readsC ? valueOf(accumulator, result) : 0;
      for (size_t i = 0; i < k; ++i)
        sum += left[m * k + i] * right[n * k + i];
      result = bitsOf(accumulator, sum);
    }
}

} // namespace mxc::sim
