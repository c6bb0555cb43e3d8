#include "compiler/reference/BlockwiseReference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace mxc {

namespace {

constexpr int kBlock = 128, kStep = 32; // elements of K: of a scale, and that the tensor core adds at a time
constexpr int kFraction = 13;           // bits after the largest term's leading one that sums keep
constexpr int kZeroExponent = -1000;    // of terms that take no part in the alignment

/// An element as the tensor core sees it: (-1)^sign * significand * 2^(exponent - mantissa bits).
struct Term {
  int16_t significand = 0, exponent = kZeroExponent; // signed
};

struct TermTable {
  std::array<Term, 256> terms;
  std::array<bool, 256> isSpecial; // NaN or an infinity
  std::array<double, 256> values;
  int mantissaBits;

  explicit TermTable(ElementFormat element) : mantissaBits(info(element).mantissaBits) {
    const ElementFormatInfo &format = info(element);
    const int bias = format.exponentBias();
    for (int code = 0; code < 256; ++code) {
      values[size_t(code)] = decode(element, uint8_t(code));
      isSpecial[size_t(code)] = !std::isfinite(values[size_t(code)]);
      const int mantissa = code & ((1 << mantissaBits) - 1), biased = (code & 0x7F) >> mantissaBits;
      if (isSpecial[size_t(code)] || (!mantissa && !biased)) continue;
      const int significand = biased ? mantissa | 1 << mantissaBits : mantissa;
      terms[size_t(code)] = {int16_t(code & 0x80 ? -significand : significand),
                             int16_t(std::max(biased, 1) - bias)};
    }
  }
};

/// All codes of an operand's part as terms.
struct Rows {
  std::vector<uint8_t> codes;
  TermTable table;
  std::vector<Term> terms;
  std::vector<uint8_t> isSpecial; // a row and step

  Rows(const FactorPart &part, int64_t rows, int64_t k)
      : codes(part.factor.codes(part.row, rows, part.column, k)), table(part.factor.format().element) {
    const int64_t steps = (k + kStep - 1) / kStep;
    isSpecial.resize(size_t(rows * steps));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < k; ++i) {
        const uint8_t code = codes[size_t(row * k + i)];
        terms.push_back(table.terms[code]);
        isSpecial[size_t(row * steps + i / kStep)] |= uint8_t(table.isSpecial[code]);
      }
  }
};

/// Toward zero, to 1 + kFraction significant bits.
double cut(int64_t sum, int exponent) {
  const uint64_t magnitude = uint64_t(sum < 0 ? -sum : sum);
  const int excess = int(std::bit_width(magnitude)) - (kFraction + 1);
  const uint64_t kept = excess > 0 ? magnitude >> excess << excess : magnitude;
  return std::ldexp(sum < 0 ? -double(kept) : double(kept), exponent);
}

/// A magnitude in units of 2^unit, of significand * 2^exponent, cut toward zero.
int64_t inUnits(int64_t significand, int exponent, int unit) {
  const int64_t magnitude = significand < 0 ? -significand : significand;
  const int shift = exponent - unit;
  const int64_t units = shift >= 0 ? magnitude << shift : shift < -62 ? 0 : magnitude >> -shift;
  return significand < 0 ? -units : units;
}

/// One step: `count` products and the sum so far, +0 before the first.
double step(double sum, const Term *a, const Term *b, int64_t count, int mantissaBits) {
  std::array<int, kStep> significands, exponents;
  int largest = kZeroExponent;
  for (int64_t i = 0; i < count; ++i) {
    significands[size_t(i)] = a[i].significand * b[i].significand;
    exponents[size_t(i)] = significands[size_t(i)] ? a[i].exponent + b[i].exponent : kZeroExponent;
    largest = std::max(largest, exponents[size_t(i)]);
  }
  if (sum != 0) largest = std::max(largest, std::ilogb(sum));
  if (largest == kZeroExponent) return 0;
  const int unit = largest - kFraction;
  int64_t total = 0;
  for (int64_t i = 0; i < count; ++i)
    total += inUnits(significands[size_t(i)], exponents[size_t(i)] - mantissaBits, unit);
  if (sum != 0) { // exponents of FP8 products are far from f32's ends
    const int exponent = std::ilogb(sum);
    total += inUnits(int64_t(std::ldexp(sum, 23 - exponent)), exponent - 23, unit);
  }
  return total ? cut(total, unit) : 0;
}

/// The same where a NaN or an infinity is among the terms: these decide.
double specialStep(double sum, const Rows &a, const Rows &b, size_t atA, size_t atB, int64_t count) {
  double special = std::isfinite(sum) ? 0 : sum;
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t x = a.codes[atA + size_t(i)], y = b.codes[atB + size_t(i)];
    if (a.table.isSpecial[x] || b.table.isSpecial[y]) special += a.table.values[x] * b.table.values[y];
  }
  return special;
}

} // namespace

bool hasBlockwiseBits(const BlockFormatInfo &format) {
  return format.scale == ScaleFormat::F32 && format.blockColumns == kBlock;
}

static float scaleOf(const FactorPart &part, int64_t row, int64_t block) {
  return part.factor.scale(part.batch, part.scaleRow + row, part.column / kBlock + block, part.scaleRows);
}

void multiplyBlockwise(const FactorPart &left, const FactorPart &right, const ProductSizes &s,
                       HostProduct &product, size_t at) {
  const Rows a(left, s.m, s.k), b(right, s.n, s.k);
  const int64_t steps = (s.k + kStep - 1) / kStep;
  const int mantissaBits = a.table.mantissaBits + b.table.mantissaBits;
  for (int64_t m = 0; m < s.m; ++m)
    for (int64_t n = 0; n < s.n; ++n) {
      float total = 0;
      for (int64_t block = 0; block * kBlock < s.k; ++block) {
        double sum = 0;
        const int64_t end = std::min(s.k, (block + 1) * kBlock);
        for (int64_t k = block * kBlock; k < end; k += kStep) {
          const int64_t count = std::min<int64_t>(kStep, end - k);
          const size_t atA = size_t(m * s.k + k), atB = size_t(n * s.k + k);
          const bool isSpecial = !std::isfinite(sum) || a.isSpecial[size_t(m * steps + k / kStep)] ||
                                 b.isSpecial[size_t(n * steps + k / kStep)];
          sum = isSpecial ? specialStep(sum, a, b, atA, atB, count)
                          : step(sum, &a.terms[atA], &b.terms[atB], count, mantissaBits);
        }
        const float scale = scaleOf(left, m, block) * scaleOf(right, n, block);
        total = std::fma(float(sum), scale, total);
      }
      product.sums[at + size_t(m * s.n + n)] = total;
    }
}

} // namespace mxc
