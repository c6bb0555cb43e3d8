// Every representable value, every midpoint and both neighbours of each, in every format and rounding.
#include "runtime/simulator/arithmetic/FloatFormats.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>

using namespace mxc::sim;

namespace {

struct Named {
  std::string name;
  FloatFormat format;
};
const Named kSmall[] = {{"f16", kF16},   {"bf16", kBf16}, {"tf32", kTf32}, {"e5m2", kE5m2},  {"e4m3", kE4m3},
                        {"e3m2", kE3m2}, {"e2m3", kE2m3}, {"e2m1", kE2m1}, {"ue4m3", kUe4m3}};

/// The value of a magnitude's pattern, by the definition.
double definition(const FloatFormat &format, uint64_t magnitude) {
  int field = int(magnitude >> format.mantissaBits);
  double fraction = std::ldexp(double(magnitude & ((1u << format.mantissaBits) - 1)), -format.mantissaBits);
  return field == 0 ? std::ldexp(fraction, 1 - format.bias) : std::ldexp(1 + fraction, field - format.bias);
}

const double kInfinity = std::numeric_limits<double>::infinity();

/// What `value`, between the values of `below` and `below` + 1 and nearer to neither if `side` is 0, becomes.
uint64_t expected(uint64_t below, int side, bool isNegative, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return below;
  case Rounding::Down:
    return below + isNegative;
  case Rounding::Up:
    return below + !isNegative;
  case Rounding::NearestAway:
    return below + (side >= 0);
  default:
    return side == 0 ? below + (below & 1) : below + (side > 0);
  }
}

} // namespace

TEST_CASE("patterns mean what the format's definition says") {
  for (const auto &[name, format] : kSmall) {
    INFO(name);
    for (uint64_t code = 0; code <= format.largest(); ++code) {
      REQUIRE(decode(format, code) == definition(format, code));
      REQUIRE(encode(format, decode(format, code), {}) == code);
      if (!format.isSigned) continue;
      REQUIRE(decode(format, code | format.signBit()) == -definition(format, code));
      REQUIRE(encode(format, decode(format, code | format.signBit()), {}) == (code | format.signBit()));
    }
    REQUIRE(encode(format, std::nan(""), {}) == format.magnitudeMask());
  }
  CHECK(decode(kE4m3, 0x7e) == 448);
  CHECK(decode(kE5m2, 0x7b) == 57344);
  CHECK(decode(kE3m2, 0x1f) == 28);
  CHECK(decode(kE2m3, 0x1f) == 7.5);
  CHECK(decode(kE2m1, 0x7) == 6);
  CHECK(std::isnan(decode(kE4m3, 0x7f)));
  CHECK(std::isnan(decode(kE5m2, 0xfe)));
  CHECK(decode(kE5m2, 0xfc) == -kInfinity);
}

TEST_CASE("between two values every rounding chooses as it must") {
  using enum Rounding;
  for (const auto &[name, format] : kSmall) {
    INFO(name);
    for (uint64_t code = 0; code < format.largest(); ++code) {
      double low = definition(format, code), high = definition(format, code + 1), middle = (low + high) / 2;
      struct {
        double value;
        int side;
      } inputs[] = {{std::nextafter(low, kInfinity), -1},
                    {std::nextafter(middle, 0), -1},
                    {middle, 0},
                    {std::nextafter(middle, kInfinity), 1},
                    {std::nextafter(high, 0), 1}};
      for (auto [value, side] : inputs)
        for (Rounding rounding : {NearestEven, Zero, Down, Up, NearestAway}) {
          if (encode(format, value, {rounding, true}) != expected(code, side, false, rounding))
            FAIL("code " << code << ", value " << value << ", rounding "
                         << int(rounding)); // REQUIRE takes ten times as long
          uint64_t negative = format.isSigned ? expected(code, side, true, rounding) | format.signBit() : 0;
          if (encode(format, -value, {rounding, true}) != negative)
            FAIL("code " << code << ", value " << -value << ", rounding " << int(rounding));
        }
    }
  }
  SUCCEED("every code, value and rounding agreed");
}

TEST_CASE("what is too large saturates, or becomes infinity where the rounding says so") {
  using enum Rounding;
  for (const auto &[name, format] : kSmall) {
    INFO(name);
    double largest = definition(format, format.largest());
    double step = largest - definition(format, format.largest() - 1);
    for (double value : {largest + step / 2, largest * 2, 1e300, kInfinity})
      for (Rounding rounding : {NearestEven, Zero, Down, Up, NearestAway}) {
        REQUIRE(encode(format, value, {rounding, true}) == format.largest());
        if (format.isSigned)
          REQUIRE(encode(format, -value, {rounding, true}) == (format.largest() | format.signBit()));
        if (format.specials != Specials::Ieee) continue;
        bool isCut = value < kInfinity && (rounding == Zero || rounding == Down);
        REQUIRE(encode(format, value, {rounding}) == (isCut ? format.largest() : format.infinity()));
      }
  }
}

namespace {

/// encodeNearest against encode at and around every value and midpoint, and over the whole range.
template <FloatFormat kFormat, bool kSaturates> void checkNearest() {
  auto at = [](uint32_t bits) {
    uint64_t exact = encode(kFormat, double(std::bit_cast<float>(bits)), {Rounding::NearestEven, kSaturates});
    if (encodeNearest<kFormat, kSaturates>(bits) != exact) {
      INFO(bits);
      REQUIRE(encodeNearest<kFormat, kSaturates>(bits) == exact);
    }
  };
  for (uint64_t code = 0; code <= kFormat.largest(); ++code)
    for (double value :
         {definition(kFormat, code), (definition(kFormat, code) + definition(kFormat, code + 1)) / 2})
      for (int off = -2; off <= 2; ++off) {
        uint32_t bits = std::bit_cast<uint32_t>(float(value)) + uint32_t(off);
        at(bits & 0x7fffffff), at(bits | 0x80000000);
      }
  for (uint32_t bits : {0u, 1u, 0x7fffffu, 0x800000u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fffffffu})
    at(bits), at(bits | 0x80000000);
  for (uint32_t bits = 0; bits < 0xfffff000; bits += 997)
    at(bits);
}

} // namespace

TEST_CASE("the vectorized rounding is the exact one") {
  checkNearest<kF16, false>();
  checkNearest<kF16, true>();
  checkNearest<kBf16, false>();
  checkNearest<kBf16, true>();
  checkNearest<kE5m2, true>();
  checkNearest<kE4m3, true>();
  checkNearest<kE3m2, true>();
  checkNearest<kE2m3, true>();
  checkNearest<kE2m1, true>();
}

TEST_CASE("integers of 64 bits round once") {
  CHECK(encode(kF32, false, 0x100000100000001, 0, {}) == 0x5b800001);
  CHECK(encode(kF32, false, 0x100000100000000, 0, {}) == 0x5b800000);
  CHECK(encode(kF32, false, ~uint64_t(0), 0, {}) == 0x5f800000);
  CHECK(encode(kF32, false, ~uint64_t(0), 0, {Rounding::Zero}) == 0x5f7fffff);
  CHECK(encode(kF16, true, 65520, 0, {}) == 0xfc00);
  CHECK(encode(kF16, true, 65519, 0, {}) == 0xfbff);
}

TEST_CASE("ue8m0 is the exponent, cut or rounded up") {
  for (int code = 0; code < 255; ++code) {
    float power = float(std::ldexp(1.0, code - 127));
    REQUIRE(decodeUe8m0(uint8_t(code)) == std::ldexp(1.0, code - 127));
    uint32_t bits = std::bit_cast<uint32_t>(power);
    for (uint32_t sign : {0u, 0x80000000u}) {
      REQUIRE(encodeUe8m0(bits | sign, Rounding::Zero, true) == code);
      REQUIRE(encodeUe8m0(bits | sign, Rounding::Up, true) == code);
      REQUIRE(encodeUe8m0((bits - 1) | sign, Rounding::Zero, true) == std::max(code - 1, 0));
      REQUIRE(encodeUe8m0((bits - 1) | sign, Rounding::Up, true) == code);
      REQUIRE(encodeUe8m0((bits + 1) | sign, Rounding::Zero, false) == code);
      REQUIRE(encodeUe8m0((bits + 1) | sign, Rounding::Up, false) == code + 1);
      REQUIRE(encodeUe8m0((bits + 1) | sign, Rounding::Up, true) == std::min(code + 1, 254));
    }
  }
  for (Rounding rounding : {Rounding::Zero, Rounding::Up}) {
    CHECK(encodeUe8m0(0, rounding, true) == 0);
    CHECK(encodeUe8m0(0x7f800000, rounding, true) == 254);
    CHECK(encodeUe8m0(0x7f800000, rounding, false) == 255);
    CHECK(encodeUe8m0(0xffc00000, rounding, true) == 255);
  }
  CHECK(std::isnan(decodeUe8m0(255)));
}

TEST_CASE("stochastic rounding goes away as often as the discarded part says") {
  for (uint32_t part : {0u, 1u, 4095u, 4096u, 8191u}) { // of 8192, between 1 and the next f16
    double value = std::bit_cast<float>(0x3f800000 | part);
    uint32_t away = 0;
    for (uint32_t random = 0; random < 8192; ++random)
      away += encode(kF16, -value, {Rounding::Stochastic, false, random, 13}) == 0xbc01;
    CHECK(away == part);
  }
  CHECK(encode(kE2m1, 5.99, {Rounding::Stochastic, true, 0xff, 8}) == 7);
  CHECK(encode(kE2m1, 5.99, {Rounding::Stochastic, true, 0, 8}) == 6);
  CHECK(encode(kE2m1, 100, {Rounding::Stochastic, true, 0, 8}) == 7);
}
