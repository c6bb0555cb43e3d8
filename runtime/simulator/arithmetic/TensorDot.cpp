// The arithmetic of tensor cores: alignment, exact sums, one rounding.
//
// Eight outputs of a row are computed at once: a vector of 32-bit integers each for exponents and terms. A
// product of two significands with F fraction bits has at most 27 bits, so that eight of them add up in 32.
#include "runtime/simulator/arithmetic/TensorDot.h"

#include "runtime/simulator/arithmetic/TensorDotDouble.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

namespace mxc::sim {
namespace {

constexpr int kWidth = 8;
constexpr int kMaximumK = 256;           // of b1
constexpr int kSmallestAlignment = -133; // the floor under the largest exponent, measured on sm_90a
constexpr uint32_t kNaNF32 = 0x7FFFFFFF, kNaNF16 = 0x7FFF;

typedef int16_t Shorts __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(32)));
typedef int64_t Longs __attribute__((vector_size(64)));

/// A row of A, and where the k that it covers lie in B.
struct RowOfA {
  int32_t significands[kMaximumK], exponents[kMaximumK];
  size_t offsets[kMaximumK]; // k * stride of B
  int k = 0;
};

struct Sums {
  alignas(32)
      int32_t exponents[kWidth]; // in: at least this, without the scales; out: the largest exponent, likewise
  alignas(64) int64_t values[kWidth]; // of the products, in units of 2^(exponent - F)
};

/// The aligned and cut products of a row of A with eight columns of B.
[[gnu::always_inline]] inline void sumProductsBody(const RowOfA &a, const int16_t *significands,
                                                   const int16_t *exponents, Sums &sums) {
  Ints largest;
  std::memcpy(&largest, sums.exponents, sizeof largest);
  for (int k = 0; k < a.k; ++k) {
    Shorts b;
    std::memcpy(&b, exponents + a.offsets[k], sizeof b);
    Ints exponent = __builtin_convertvector(b, Ints) + a.exponents[k];
    largest = exponent > largest ? exponent : largest;
  }
  Longs total{};
  for (int first = 0; first < a.k; first += 8) {
    Ints partial{};
    for (int k = first, end = std::min(first + 8, a.k); k < end; ++k) {
      Shorts b, e;
      std::memcpy(&b, significands + a.offsets[k], sizeof b);
      std::memcpy(&e, exponents + a.offsets[k], sizeof e);
      Ints product = __builtin_convertvector(b, Ints) * a.significands[k];
      Ints shift = largest - __builtin_convertvector(e, Ints) - a.exponents[k];
      shift = shift > 31 ? Ints{} + 31 : shift;
      Ints sign = product >> 31; // cut toward zero: the magnitude is shifted
      Ints term = ((product ^ sign) - sign) >> shift;
      partial += (term ^ sign) - sign;
    }
    total += __builtin_convertvector(partial, Longs);
  }
  std::memcpy(sums.exponents, &largest, sizeof largest);
  std::memcpy(sums.values, &total, sizeof total);
}

/// Plain integer products.
template <bool isXor>
[[gnu::always_inline]] inline void sumIntegersBody(const RowOfA &a, const int16_t *significands,
                                                   int32_t *values) {
  Ints total{};
  for (int k = 0; k < a.k; ++k) {
    Shorts b;
    std::memcpy(&b, significands + a.offsets[k], sizeof b);
    Ints wide = __builtin_convertvector(b, Ints);
    total += isXor ? wide ^ a.significands[k] : wide * a.significands[k];
  }
  std::memcpy(values, &total, sizeof total);
}

// The same code for the host's widest vectors and for any host.
struct Kernels {
  void (*sumProducts)(const RowOfA &, const int16_t *, const int16_t *, Sums &);
  void (*sumIntegers)(const RowOfA &, const int16_t *, int32_t *);
  void (*sumXors)(const RowOfA &, const int16_t *, int32_t *);
};

#if defined(__x86_64__)
#define MXC_WIDE __attribute__((target("avx2")))
MXC_WIDE void sumProductsWide(const RowOfA &a, const int16_t *significands, const int16_t *exponents,
                              Sums &sums) {
  sumProductsBody(a, significands, exponents, sums);
}
MXC_WIDE void sumIntegersWide(const RowOfA &a, const int16_t *significands, int32_t *values) {
  sumIntegersBody<false>(a, significands, values);
}
MXC_WIDE void sumXorsWide(const RowOfA &a, const int16_t *significands, int32_t *values) {
  sumIntegersBody<true>(a, significands, values);
}
#undef MXC_WIDE
#endif
void sumProducts(const RowOfA &a, const int16_t *significands, const int16_t *exponents, Sums &sums) {
  sumProductsBody(a, significands, exponents, sums);
}
void sumIntegers(const RowOfA &a, const int16_t *significands, int32_t *values) {
  sumIntegersBody<false>(a, significands, values);
}
void sumXors(const RowOfA &a, const int16_t *significands, int32_t *values) {
  sumIntegersBody<true>(a, significands, values);
}

Kernels chooseKernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return {sumProductsWide, sumIntegersWide, sumXorsWide};
#endif
  return {sumProducts, sumIntegers, sumXors};
}
const Kernels kKernels = chooseKernels();

/// An accumulator's value: magnitude * 2^(exponent - fractionBits).
struct Addend {
  uint32_t magnitude = 0;
  int exponent = DotOperand::kZeroExponent, fractionBits = 23;
  bool isNegative = false;
  uint8_t special = DotOperand::kFinite;
};

template <int exponentBits, int fractionBits> Addend decodeAddend(uint32_t bits) {
  constexpr uint32_t kLargest = (1u << exponentBits) - 1, kOne = 1u << fractionBits;
  uint32_t field = bits >> fractionBits & kLargest, fraction = bits & (kOne - 1);
  Addend addend{.fractionBits = fractionBits, .isNegative = bool(bits >> (exponentBits + fractionBits) & 1)};
  if (field == kLargest) {
    addend.special = fraction            ? DotOperand::kNaN
                     : addend.isNegative ? DotOperand::kMinusInfinite
                                         : DotOperand::kInfinite;
  } else if (field || fraction) {
    addend.magnitude = field ? kOne | fraction : fraction;
    addend.exponent = int(field ? field : 1) - int(kLargest >> 1);
  }
  return addend;
}

Addend decodeAddend(Accumulator accumulator, uint32_t bits) {
  return accumulator == Accumulator::F16 ? decodeAddend<5, 10>(bits) : decodeAddend<8, 23>(bits);
}

/// C in units of 2^(largest - F), cut toward zero.
int64_t alignedAddend(const Addend &c, int largest, int fractionBits) {
  int shift = largest - c.exponent + c.fractionBits - fractionBits;
  int64_t magnitude = shift > 31   ? 0
                      : shift >= 0 ? int64_t(c.magnitude >> shift)
                                   : int64_t(c.magnitude) << -shift;
  return c.isNegative ? -magnitude : magnitude;
}

/// sum * 2^unit cut toward zero, with that many fraction bits. What becomes zero is +0; 2^128 and more is an
/// infinity.
uint32_t roundToF32(int64_t sum, int unit, int fractionBits) {
  if (sum == 0) return 0;
  uint64_t magnitude = sum < 0 ? -uint64_t(sum) : uint64_t(sum);
  uint32_t sign = sum < 0 ? 0x80000000 : 0;
  int top = 63 - std::countl_zero(magnitude), exponent = top + unit;
  if (exponent >= 128) return sign | 0x7F800000;
  bool isNormal = exponent >= -126;
  int shift = isNormal ? top - 23 : -149 - unit;
  uint64_t fraction = shift > 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
  uint32_t bits = isNormal ? uint32_t(exponent + 126) << 23 : 0; // the leading bit of the fraction adds one
  bits += uint32_t(fraction);
  bits &= ~0u << (23 - fractionBits);
  return bits ? sign | bits : 0;
}

/// sum * 2^unit to nearest even. What becomes zero is +0.
uint32_t roundToF16(int64_t sum, int unit) {
  if (sum == 0) return 0;
  uint64_t magnitude = sum < 0 ? -uint64_t(sum) : uint64_t(sum);
  int top = 63 - std::countl_zero(magnitude), exponent = top + unit;
  if (exponent > 15) return sum < 0 ? 0xFC00 : 0x7C00;
  bool isNormal = exponent >= -14;
  int shift = isNormal ? top - 10 : -24 - unit;
  uint64_t fraction = 0;
  if (shift <= 0)
    fraction = magnitude << -shift;
  else if (shift <= 63) {
    uint64_t rest = magnitude & ((uint64_t(1) << shift) - 1), half = uint64_t(1) << (shift - 1);
    fraction = magnitude >> shift;
    fraction += rest > half || (rest == half && (fraction & 1));
  }
  uint32_t bits = (isNormal ? uint32_t(exponent + 14) << 10 : 0) +
                  uint32_t(fraction); // a carry may reach 0x7C00: infinity
  return bits ? (sum < 0 ? 0x8000 : 0) | bits : 0;
}

uint32_t rounded(const DotModel &model, int64_t sum, int unit) {
  return model.accumulator == Accumulator::F16 ? roundToF16(sum, unit)
                                               : roundToF32(sum, unit, model.resultFractionBits);
}

/// Where a NaN or an infinity is among the terms.
uint32_t specialResult(const DotModel &model, const DotOperand &a, int m, const DotOperand &b, int n,
                       const Addend &c) {
  uint8_t found = c.special | ((a.rowIsSpecial[size_t(m)] | b.rowIsSpecial[size_t(n)]) & DotOperand::kNaN);
  for (int k = 0; k < a.k(); ++k) {
    size_t atA = size_t(k) * size_t(a.stride) + size_t(m), atB = size_t(k) * size_t(b.stride) + size_t(n);
    uint8_t specialA = a.specials.empty() ? 0 : a.specials[atA],
            specialB = b.specials.empty() ? 0 : b.specials[atB];
    if (!(specialA | specialB)) continue;
    bool isZero = (!specialA && !a.significands[atA]) || (!specialB && !b.significands[atB]);
    bool isNegative = (specialA == DotOperand::kMinusInfinite || a.significands[atA] < 0) !=
                      (specialB == DotOperand::kMinusInfinite || b.significands[atB] < 0);
    if (isZero || ((specialA | specialB) & DotOperand::kNaN)) found |= DotOperand::kNaN;
    found |= isNegative ? DotOperand::kMinusInfinite : DotOperand::kInfinite;
  }
  constexpr uint8_t kBoth = DotOperand::kInfinite | DotOperand::kMinusInfinite;
  bool isF16 = model.accumulator == Accumulator::F16;
  if ((found & DotOperand::kNaN) || (found & kBoth) == kBoth) return isF16 ? kNaNF16 : kNaNF32;
  uint32_t infinity = isF16 ? 0x7C00 : 0x7F800000, sign = isF16 ? 0x8000 : 0x80000000;
  return found & DotOperand::kMinusInfinite ? sign | infinity : infinity;
}

/// The k of A's row m for which keep(k).
template <class Keep>
void loadRow(RowOfA &row, const DotOperand &a, const DotOperand &b, int m, int shift, Keep keep) {
  row.k = 0;
  for (int k = 0; k < a.k(); ++k) {
    if (!keep(k)) continue;
    size_t at = size_t(k) * size_t(a.stride) + size_t(m);
    row.significands[row.k] = a.significands[at] * (1 << shift);
    row.exponents[row.k] = a.exponents[at];
    row.offsets[row.k++] = size_t(k) * size_t(b.stride);
  }
}

/// One step for eight outputs: C and the products of a row, rounded. Columns from `n` on.
void step(const DotModel &model, const RowOfA &row, int scaleA, const DotOperand &b, int n, const Addend *c,
          uint32_t *results) {
  Sums sums;
  for (int i = 0; i < kWidth; ++i)
    sums.exponents[i] =
        std::max(c[i].exponent, kSmallestAlignment) - scaleA - b.scaleExponents[size_t(n + i)];
  kKernels.sumProducts(row, b.significands.data() + n, b.exponents.data() + n, sums);
  for (int i = 0; i < kWidth; ++i) {
    int largest = sums.exponents[i] + scaleA + b.scaleExponents[size_t(n + i)];
    int64_t sum = sums.values[i] + alignedAddend(c[i], largest, model.fractionBits);
    results[i] = rounded(model, sum, largest - model.fractionBits);
  }
}

/// Groups of 16 products are exact; they and C are one step. A group's alignment exponent is that of its
/// scales.
uint32_t stepOfGroups(const DotModel &model, const DotOperand &a, int m, const DotOperand &b, int n,
                      const Addend &c, const int32_t (*dots)[kWidth], int groups) {
  constexpr int kFraction = 1 + 1 + 3 + 3; // of two e2m1 in halves, and two scales in eighths
  std::array<int64_t, kMaximumK / DotOperand::kGroup> terms;
  std::array<int, kMaximumK / DotOperand::kGroup> exponents;
  int largest = std::max(c.exponent, kSmallestAlignment);
  for (int g = 0; g < groups; ++g) {
    size_t atA = size_t(g) * size_t(a.stride) + size_t(m), atB = size_t(g) * size_t(b.stride) + size_t(n);
    terms[size_t(g)] = int64_t(dots[g][n % kWidth]) * a.scaleSignificands[atA] * b.scaleSignificands[atB];
    exponents[size_t(g)] = a.scaleExponents[atA] + b.scaleExponents[atB];
    if (terms[size_t(g)]) largest = std::max(largest, exponents[size_t(g)]);
  }
  int64_t sum = alignedAddend(c, largest, model.fractionBits);
  for (int g = 0; g < groups; ++g) {
    if (!terms[size_t(g)]) continue;
    int shift = std::min(largest - exponents[size_t(g)], 63);
    sum += (terms[size_t(g)] * (int64_t(1) << (model.fractionBits - kFraction))) /
           (int64_t(1) << std::min(shift, 62));
  }
  return rounded(model, sum, largest - model.fractionBits);
}

/// What every floating-point rule shares: addends in, results out, NaN and infinities aside. compute(n,
/// addends, results).
template <class Compute>
void forOutputs(const DotModel &model, const DotOperand &a, const DotOperand &b, int m, uint32_t *c,
                bool readsC, Compute compute) {
  for (int n = 0; n < b.rows(); n += kWidth) {
    int count = std::min(kWidth, b.rows() - n);
    Addend addends[kWidth];
    uint32_t results[kWidth];
    for (int i = 0; readsC && i < count; ++i)
      addends[i] = decodeAddend(model.accumulator, c[n + i]);
    compute(n, addends, results);
    for (int i = 0; i < count; ++i) {
      bool isSpecial = a.rowIsSpecial[size_t(m)] | b.rowIsSpecial[size_t(n + i)] | addends[i].special;
      c[n + i] = isSpecial ? specialResult(model, a, m, b, n + i, addends[i]) : results[i];
    }
  }
}

void accumulateFixedPoint(const DotModel &model, const DotOperand &a, const DotOperand &b, int m, uint32_t *c,
                          bool readsC) {
  RowOfA row;
  loadRow(row, a, b, m, model.fractionBits - a.fractionBits - b.fractionBits, [](int) { return true; });
  forOutputs(model, a, b, m, c, readsC, [&](int n, const Addend *addends, uint32_t *results) {
    step(model, row, a.scaleExponents[size_t(m)], b, n, addends, results);
  });
}

void accumulateTwoHalves(const DotModel &model, const DotOperand &a, const DotOperand &b, int m, uint32_t *c,
                         bool readsC) {
  RowOfA halves[2];
  for (int half = 0; half < 2; ++half)
    loadRow(halves[half], a, b, m, model.fractionBits - a.fractionBits - b.fractionBits,
            [half](int k) { return (k >> 1 & 1) == half; });
  forOutputs(model, a, b, m, c, readsC, [&](int n, const Addend *, uint32_t *results) {
    Addend none[kWidth];
    step(model, halves[0], 0, b, n, none, results);
    for (int i = 0; i < kWidth; ++i)
      none[i] = decodeAddend(model.accumulator, results[i]);
    step(model, halves[1], 0, b, n, none, results);
    for (int i = 0; readsC && i < std::min(kWidth, b.rows() - n); ++i)
      results[i] = std::bit_cast<uint32_t>(std::bit_cast<float>(results[i]) + std::bit_cast<float>(c[n + i]));
  });
}

void accumulateGroups(const DotModel &model, const DotOperand &a, const DotOperand &b, int m, uint32_t *c,
                      bool readsC) {
  int groups = a.k() / DotOperand::kGroup;
  RowOfA rows[kMaximumK / DotOperand::kGroup];
  for (int g = 0; g < groups; ++g)
    loadRow(rows[g], a, b, m, 0, [g](int k) { return k / DotOperand::kGroup == g; });
  forOutputs(model, a, b, m, c, readsC, [&](int n, const Addend *addends, uint32_t *results) {
    int32_t dots[kMaximumK / DotOperand::kGroup][kWidth];
    for (int g = 0; g < groups; ++g)
      kKernels.sumIntegers(rows[g], b.significands.data() + n, dots[g]);
    for (int i = 0; i < kWidth; ++i)
      results[i] = stepOfGroups(model, a, m, b, n + i, addends[i], dots, groups);
  });
}

void accumulateIntegers(const DotModel &model, const DotOperand &a, const DotOperand &b, int m, uint32_t *c,
                        bool readsC) {
  RowOfA row;
  loadRow(row, a, b, m, 0, [](int) { return true; });
  for (int n = 0; n < b.rows(); n += kWidth) {
    int32_t sums[kWidth];
    (model.isXor ? kKernels.sumXors : kKernels.sumIntegers)(row, b.significands.data() + n, sums);
    for (int i = 0; i < std::min(kWidth, b.rows() - n); ++i) {
      int64_t sum = int64_t(sums[i]) + (readsC ? int32_t(c[n + i]) : 0);
      if (model.saturates)
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      c[n + i] = uint32_t(sum);
    }
  }
}

} // namespace

/// Where products of elements of 8 bits and fewer are added up otherwise than others.
struct ByteArithmetic {
  TensorUnit unit;
  TargetName until; // not on chips that run PTX for this
  DotModel model;
};
static const ByteArithmetic kByteArithmetic[] = {
    {TensorUnit::Wgmma, "sm_100", {.fractionBits = 13, .resultFractionBits = 13}},
    {TensorUnit::MmaSync, "sm_120", {.rule = DotModel::Rule::TwoHalves}}, // sm_100a's is taken to be sm_90a's
};

DotModel dotModelOf(TargetName chip, TensorUnit unit, Element a, Element b, Accumulator accumulator,
                    bool isGroupScaled) {
  DotModel model;
  bool isByte = bitsOf(a) <= 8 && bitsOf(b) <= 8;
  if (isInteger(a))
    model.rule = DotModel::Rule::Integer;
  else if (isGroupScaled)
    model.rule = DotModel::Rule::Groups, model.fractionBits = 35;
  else if (isByte)
    for (const ByteArithmetic &row : kByteArithmetic)
      if (row.unit == unit && !row.until.ptxRunsOn(chip)) model = row.model;
  model.accumulator = accumulator;
  return model;
}

void accumulate(const DotModel &model, const DotOperand &a, const DotOperand &b, uint32_t *c, size_t cStride,
                bool readsC) {
  assert(a.k() == b.k() && a.k() <= kMaximumK);
  if (model.isDouble && model.rule != DotModel::Rule::Integer)
    return accumulateInDouble(model.accumulator, a, b, c, cStride, readsC);
  auto *rule = &accumulateFixedPoint;
  switch (model.rule) {
  case DotModel::Rule::FixedPoint:
    break;
  case DotModel::Rule::TwoHalves:
    rule = accumulateTwoHalves;
    break;
  case DotModel::Rule::Groups:
    rule = accumulateGroups;
    break;
  case DotModel::Rule::Integer:
    rule = accumulateIntegers;
    break;
  }
  for (int m = 0; m < a.rows(); ++m)
    rule(model, a, b, m, c + size_t(m) * cStride, readsC);
}

} // namespace mxc::sim
