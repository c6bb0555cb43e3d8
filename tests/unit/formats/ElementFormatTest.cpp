// The conversions of single elements, against their definition: the nearest value of the format, ties to the
// even code.
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mxc;
using namespace mxc::test;

namespace {

/// Code by search over the decoded values of the positive finite codes (which rise with the code).
uint8_t nearestCode(ElementFormat element, float x) {
  const ElementFormatInfo &format = info(element);
  if (std::isnan(x)) return format.bits() == 8 ? 0x7F : encode(element, format.maxFinite);
  // Far beyond max finite the distances would be equal in f64.
  const double magnitude = std::min(std::abs(double(x)), 2.0 * format.maxFinite);
  int best = 0;
  for (int code = 0; decode(element, uint8_t(code)) <= format.maxFinite && code < 1 << (format.bits() - 1);
       ++code) {
    const double far = std::abs(magnitude - double(decode(element, uint8_t(best))));
    const double near = std::abs(magnitude - double(decode(element, uint8_t(code))));
    if (near < far || (near == far && code % 2 == 0)) best = code;
  }
  return uint8_t(best | int(std::signbit(x)) << (format.bits() - 1));
}

} // namespace

TEST_CASE("formats are found by both names") {
  for (ElementFormat element : kElements) {
    CHECK(elementFormatNamed(info(element).name) == element);
    CHECK(elementFormatNamed(info(element).mlirType) == element);
    CHECK(info(element).format == element);
  }
  CHECK_FALSE(elementFormatNamed("e8m0"));
  CHECK_FALSE(elementFormatNamed(""));
}

TEST_CASE("known codes") {
  const auto [element, code, value] = GENERATE(table<ElementFormat, int, float>({
      {ElementFormat::E4M3, 0x7E, 448.0f},
      {ElementFormat::E4M3, 0x01, 0x1p-9f},
      {ElementFormat::E4M3, 0xFE, -448.0f},
      {ElementFormat::E4M3, 0x08, 0x1p-6f},
      {ElementFormat::E5M2, 0x7B, 57344.0f},
      {ElementFormat::E5M2, 0x01, 0x1p-16f},
      {ElementFormat::E3M2, 0x1F, 28.0f},
      {ElementFormat::E3M2, 0x01, 0x1p-4f},
      {ElementFormat::E2M3, 0x1F, 7.5f},
      {ElementFormat::E2M3, 0x01, 0.125f},
      {ElementFormat::E2M1, 0x7, 6.0f},
      {ElementFormat::E2M1, 0x1, 0.5f},
      {ElementFormat::E2M1, 0xF, -6.0f},
      {ElementFormat::E4M3, 0x38, 1.0f},
  }));
  CHECK(decode(element, uint8_t(code)) == value);
  CHECK(encode(element, value) == code);
}

TEST_CASE("every code that is not NaN survives decode and encode, Inf as max finite") {
  for (ElementFormat element : kElements) {
    const int signBit = 1 << (info(element).bits() - 1);
    for (int code = 0; code < 2 * signBit; ++code) {
      const float value = decode(element, uint8_t(code));
      CAPTURE(info(element).name, code, value);
      if (std::isnan(value))
        REQUIRE(encode(element, value) == 0x7F);
      else if (std::isinf(value))
        REQUIRE(decode(element, encode(element, value)) == std::copysign(57344.0f, value));
      else
        REQUIRE(encode(element, value) == code);
    }
  }
}

TEST_CASE("bits above the format's width are ignored") {
  CHECK(decode(ElementFormat::E2M1, 0xF7) == 6.0f);
  CHECK(decode(ElementFormat::E3M2, 0xDF) == 28.0f);
  CHECK(decode(ElementFormat::E2M3, 0x41) == 0.125f);
}

TEST_CASE("NaN of either sign becomes the canonical NaN, or +max finite") {
  for (uint32_t bits : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFFFFFFFFu}) {
    CHECK(encode(ElementFormat::E4M3, floatOf(bits)) == 0x7F);
    CHECK(encode(ElementFormat::E5M2, floatOf(bits)) == 0x7F);
    CHECK(encode(ElementFormat::E3M2, floatOf(bits)) == 0x1F);
    CHECK(encode(ElementFormat::E2M3, floatOf(bits)) == 0x1F);
    CHECK(encode(ElementFormat::E2M1, floatOf(bits)) == 0x07);
  }
}

TEST_CASE("encode takes the nearest value, for all of bf16") {
  for (ElementFormat element : kElements)
    for (float value : everyValue(FloatType::BF16))
      if (const uint8_t expected = nearestCode(element, value); encode(element, value) != expected) {
        CAPTURE(info(element).name, value);
        REQUIRE(int(encode(element, value)) == int(expected));
      }
}

TEST_CASE("encodeScaled rounds the product and encodes it") {
  const std::vector<float> values = heavyTailed(33, 1);
  for (ElementFormat element : kElements)
    for (float multiplier : {1.0f, 0x1p40f, 0x1p-127f, 0.0f, std::numeric_limits<float>::quiet_NaN()}) {
      std::vector<uint8_t> codes(values.size() + 1, 0xA5);
      encodeScaled(element, values, multiplier, codes.data());
      for (size_t i = 0; i < values.size(); ++i)
        REQUIRE(codes[i] == encode(element, values[i] * multiplier));
      REQUIRE(codes.back() == 0xA5);
    }
}
