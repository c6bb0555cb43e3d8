// f16 and bf16 as values: every pattern, every tie, and f16 fma against exact integers.
#include "runtime/simulator/arithmetic/HalfPrecision.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace mxc::sim;

namespace {

template <class Format> double valueOf(uint16_t bits) {
  int fractionBits = Format::kDigits - 1, field = (bits & 0x7fff) >> fractionBits,
      fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = field == 0 ? std::ldexp(fraction, Format::kMinimumExponent - fractionBits)
                                : std::ldexp(fraction + (1 << fractionBits),
                                             Format::kMinimumExponent - fractionBits + field - 1);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// n * 2^-48, which may not fit a double, to the nearest f16.
uint16_t roundedF16(__int128 n) {
  bool isNegative = n < 0;
  unsigned __int128 magnitude = isNegative ? -(unsigned __int128)n : (unsigned __int128)n;
  int low = 0, high = 0x7c00; // the largest pattern whose value is not greater
  auto scaled = [](int bits) {
    return (unsigned __int128)std::ldexp(valueOf<F16>(uint16_t(bits)), 24) << 24;
  };
  if (magnitude >= scaled(high)) return isNegative ? 0xfc00 : 0x7c00;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    (scaled(middle) <= magnitude ? low : high) = middle;
  }
  unsigned __int128 below = magnitude - scaled(low), above = scaled(low + 1) - magnitude;
  int nearest = below < above || (below == above && low % 2 == 0) ? low : low + 1;
  return uint16_t(nearest | (isNegative ? 0x8000 : 0));
}

template <class Format> void checkAllPatterns() {
  for (int bits = 0; bits < 0x10000; ++bits) {
    uint16_t pattern = uint16_t(bits);
    float value = Format::widen(pattern);
    if (isNan16<Format>(pattern)) {
      CHECK(std::isnan(value));
      CHECK(narrow16<Format>(value) == kCanonicalNan16);
      continue;
    }
    if ((pattern & 0x7fff) != Format::kInfinity && double(value) != valueOf<Format>(pattern)) FAIL(bits);
    if (narrow16<Format>(value) != pattern) FAIL(bits);
    if ((pattern & 0x7fff) >= Format::kInfinity - 1) continue;
    double next = valueOf<Format>(uint16_t(pattern + 1)), tie = (valueOf<Format>(pattern) + next) / 2;
    uint16_t even = pattern & 1 ? uint16_t(pattern + 1) : pattern;
    if (narrow16<Format>(tie) != even) FAIL(bits);
    if (narrow16<Format>(std::nextafter(tie, 0.0)) != pattern) FAIL(bits);
    if (narrow16<Format>(std::nextafter(tie, 2 * next)) != uint16_t(pattern + 1)) FAIL(bits);
  }
}

} // namespace

TEST_CASE("every pattern and every tie of f16 and bf16") {
  checkAllPatterns<F16>();
  checkAllPatterns<BF16>();
  CHECK(narrow16<F16>(65519.9) == 0x7bff);
  CHECK(narrow16<F16>(65520.0) == F16::kInfinity);
  CHECK(narrow16<F16>(-1e300) == 0xfc00);
  CHECK(narrow16<BF16>(0x1.ff8p127) == BF16::kInfinity);
  CHECK(narrow16<F16>(1e-300) == 0);
  CHECK(narrow16<BF16>(-1e-300) == 0x8000);
}

TEST_CASE("f16 fma against exact integers") {
  std::mt19937 random(1);
  for (int k = 0; k < 300000; ++k) {
    uint16_t a = uint16_t(random()), b = uint16_t(random()), c = uint16_t(random());
    if (k % 2)
      c = uint16_t((c & 0x83ff) | (((a >> 10 & 31) + (b >> 10 & 31) - 15 + int(random() % 24) - 12) & 31)
                                      << 10);
    if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00 || (c & 0x7c00) == 0x7c00) continue;
    auto units = [](uint16_t bits) { return __int128(std::ldexp(valueOf<F16>(bits), 24)); };
    __int128 sum = units(a) * units(b) + (units(c) << 24);
    uint16_t found = narrow16<F16>(addToOdd(F16::widen(a) * F16::widen(b), F16::widen(c)));
    if (sum != 0 && found != roundedF16(sum)) FAIL(a << ' ' << b << ' ' << c);
  }
}

TEST_CASE("a sum rounded to odd keeps bf16's ties apart") {
  // 1.00390625 is a tie between 1 and 1.0078125; what is added is too small for a double.
  double tie = 1.00390625, tiny = 0x1p-120;
  CHECK(narrow16<BF16>(tie) == 0x3f80);
  CHECK(narrow16<BF16>(tie + tiny) == 0x3f80);
  CHECK(narrow16<BF16>(addToOdd(tie, tiny)) == 0x3f81);
  CHECK(narrow16<BF16>(addToOdd(tie, -tiny)) == 0x3f80);
  CHECK(narrow16<BF16>(addToOdd(-tie, -tiny)) == 0xbf81);
  CHECK(std::isinf(addToOdd(INFINITY, 1.0f)));
}
