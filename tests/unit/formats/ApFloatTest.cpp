// Every element format against LLVM's APFloat, which shares nothing with our bit arithmetic.
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>
#include <llvm/ADT/APFloat.h>

#include <cmath>

using namespace mxc;
using namespace mxc::test;
using llvm::APFloat;

namespace {

const llvm::fltSemantics &semantics(ElementFormat element) {
  switch (element) {
  case ElementFormat::E4M3:
    return APFloat::Float8E4M3FN();
  case ElementFormat::E5M2:
    return APFloat::Float8E5M2();
  case ElementFormat::E3M2:
    return APFloat::Float6E3M2FN();
  case ElementFormat::E2M3:
    return APFloat::Float6E2M3FN();
  case ElementFormat::E2M1:
    return APFloat::Float4E2M1FN();
  }
  throw std::logic_error("no such format");
}

uint8_t expectedCode(ElementFormat element, float x) {
  const llvm::fltSemantics &format = semantics(element);
  const auto largest = [&](bool negative) { return APFloat::getLargest(format, negative); };
  APFloat result(x);
  if (std::isnan(x)) {
    // APFloat has no opinion where the format has no NaN: semantics/scales.md says +max finite, else 0x7F.
    return info(element).bits() == 8 ? 0x7F : uint8_t(largest(false).bitcastToAPInt().getZExtValue());
  }
  bool losesInfo;
  if (std::abs(x) >= largest(false).convertToDouble())
    result = largest(std::signbit(x)); // saturating
  else
    result.convert(format, APFloat::rmNearestTiesToEven, &losesInfo);
  return uint8_t(result.bitcastToAPInt().getZExtValue());
}

void checkEncode(ElementFormat element, float x) {
  const uint8_t expected = expectedCode(element, x), found = encode(element, x);
  if (found == expected) return; // counting millions of passes is slow
  CAPTURE(info(element).name, x, bitsOf(x));
  CHECK(int(found) == int(expected));
}

} // namespace

TEST_CASE("decode agrees with APFloat for every code") {
  for (ElementFormat element : kElements)
    for (unsigned code = 0; code < 1u << info(element).bits(); ++code) {
      APFloat value(semantics(element), llvm::APInt(unsigned(info(element).bits()), code));
      const float found = decode(element, uint8_t(code));
      CAPTURE(info(element).name, code);
      if (value.isNaN()) {
        REQUIRE(std::isnan(found));
        continue;
      }
      bool losesInfo = false;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
      REQUIRE_FALSE(losesInfo);
      REQUIRE(bitsOf(found) == bitsOf(value.convertToFloat()));
    }
}

TEST_CASE("encode agrees with APFloat for all of bf16 and f16") {
  for (ElementFormat element : kElements)
    for (FloatType type : {FloatType::BF16, FloatType::F16})
      for (float value : everyValue(type))
        checkEncode(element, value);
}

TEST_CASE("encode agrees with APFloat at every rounding boundary") {
  for (ElementFormat element : kElements) {
    const int positiveCodes = 1 << (info(element).bits() - 1);
    for (int code = 0; code + 1 < positiveCodes; ++code) {
      const double low = decode(element, uint8_t(code)), high = decode(element, uint8_t(code + 1));
      if (!std::isfinite(high)) break;
      const float middle = float((low + high) / 2);
      for (int ulps = -1; ulps <= 1; ++ulps)
        for (uint32_t sign : {0u, 0x80000000u}) {
          checkEncode(element, floatOf((bitsOf(middle) + uint32_t(ulps)) | sign));
          if (code > 0) checkEncode(element, floatOf((bitsOf(float(low)) + uint32_t(ulps)) | sign));
        }
    }
    for (int ulps = -1; ulps <= 1; ++ulps)
      checkEncode(element, floatOf(bitsOf(info(element).maxFinite) + uint32_t(ulps)));
  }
}

TEST_CASE("encode agrees with APFloat for random f32 bits") {
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const uint32_t bits = random();
    // Exponents of the formats' own ranges come up rarely in uniform bits.
    const uint32_t inRange = (bits & 0x807FFFFF) | (107 + bits / 7 % 40) << 23;
    for (ElementFormat element : kElements) {
      checkEncode(element, floatOf(bits));
      checkEncode(element, floatOf(inRange));
    }
  }
}

TEST_CASE("storing bf16 and f16 agrees with APFloat") {
  std::mt19937 random(8);
  for (int i = 0; i < 400'000; ++i) {
    const uint32_t bits = i % 2 ? random() : (random() & 0x807FFFFF) | (95 + random() % 50) << 23;
    const float value = floatOf(i % 8 < 2 ? bits & 0xFFFFF000 : bits); // exact ties come up often
    for (FloatType type : {FloatType::BF16, FloatType::F16}) {
      APFloat expected(value);
      bool losesInfo;
      expected.convert(type == FloatType::F16 ? APFloat::IEEEhalf() : APFloat::BFloat(),
                       APFloat::rmNearestTiesToEven, &losesInfo);
      uint16_t stored;
      storeFloat(type, &stored, 0, value);
      const uint64_t wanted = std::isnan(value) ? 0x7FFF : expected.bitcastToAPInt().getZExtValue();
      if (stored == wanted) continue;
      CAPTURE(int(type), bitsOf(value));
      REQUIRE(stored == wanted);
    }
  }
}

TEST_CASE("loading f16 agrees with APFloat") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    APFloat expected(APFloat::IEEEhalf(), llvm::APInt(16, bits));
    bool losesInfo;
    expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    const uint16_t half = uint16_t(bits);
    const float found = loadFloat(FloatType::F16, &half, 0);
    if (expected.isNaN())
      REQUIRE(std::isnan(found));
    else
      REQUIRE(bitsOf(found) == bitsOf(expected.convertToFloat()));
  }
}
