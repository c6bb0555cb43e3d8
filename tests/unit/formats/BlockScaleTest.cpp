// The scale byte against its definition in f64, where every product below is exact; the code under test works
// on bits.
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace mxc;
using namespace mxc::test;

namespace {

constexpr std::array kRoundings = {Rounding::Ceil, Rounding::Floor, Rounding::Even};
constexpr std::array kSpecials = {Special::Propagate, Special::Saturate, Special::NanScale};
constexpr std::array kTinyBlocks = {TinyBlock::Exact, TinyBlock::ByteOne};

int byteByDefinition(double amax, ElementFormat element, Rounding rounding) {
  const ElementFormatInfo &format = info(element);
  if (rounding == Rounding::Ceil) {
    int byte = 0;
    while (amax > std::ldexp(double(format.maxFinite), byte - 127))
      ++byte;
    return byte;
  }
  if (amax == 0) return 0;
  int exponent = std::ilogb(amax);
  // Rounding half up at the element's mantissa reaches the next binade.
  if (rounding == Rounding::Even &&
      amax >= std::ldexp(2 - std::ldexp(1.0, -1 - format.mantissaBits), exponent))
    ++exponent;
  return std::clamp(exponent - format.emax + 127, 0, 254);
}

void checkFinite(uint32_t amaxBits, ElementFormat element) {
  const volatile float ratioInF32 = floatOf(amaxBits) / info(element).maxFinite;
  for (Rounding rounding : kRoundings) {
    const int general = byteByDefinition(floatOf(amaxBits), element, rounding);
    for (Special special : kSpecials)
      for (TinyBlock tiny : kTinyBlocks) {
        const int expected = tiny == TinyBlock::ByteOne && ratioInF32 != 0 ? std::max(general, 1) : general;
        const int found = int(blockScale(amaxBits, {mxFormatOf(element), rounding, special, tiny}).code);
        if (found == expected) continue;
        CAPTURE(info(element).name, name(rounding), name(special), name(tiny), amaxBits);
        REQUIRE(found == expected);
      }
  }
}

} // namespace

TEST_CASE("scale byte of every finite bf16 and f16 maximum") {
  for (ElementFormat element : kElements)
    for (FloatType type : {FloatType::BF16, FloatType::F16})
      for (float value : everyValue(type))
        if (std::isfinite(value) && !std::signbit(value)) checkFinite(bitsOf(value), element);
}

TEST_CASE("scale byte of f32 maxima around every boundary") {
  for (ElementFormat element : kElements)
    for (uint32_t bits : boundaryBits(element))
      checkFinite(bits, element);
}

TEST_CASE("scale byte of Inf and NaN maxima") {
  for (ElementFormat element : kElements)
    for (Rounding rounding : kRoundings)
      for (TinyBlock tiny : kTinyBlocks) {
        CHECK(blockScale(0x7F800000, {mxFormatOf(element), rounding, Special::Propagate, tiny}).code == 0xFF);
        CHECK(blockScale(0x7F800000, {mxFormatOf(element), rounding, Special::Saturate, tiny}).code == 0xFE);
        CHECK(blockScale(0x7F800000, {mxFormatOf(element), rounding, Special::NanScale, tiny}).code == 0xFF);
        for (Special special : kSpecials)
          for (uint32_t nan : {0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu})
            CHECK(blockScale(nan, {mxFormatOf(element), rounding, special, tiny}).code == 0xFF);
      }
}

TEST_CASE("the bf16 form of the ceil rule in semantics/scales.md gives the same byte") {
  for (uint32_t b = 0; b < 0x7F80; ++b)
    REQUIRE(int(blockScale(b << 16, {}).code) == std::max(0, int((b + 0x1F) >> 7) - 8));
}

TEST_CASE("31 of 128 bf16 mantissas saturate under floor") {
  int saturating = 0;
  for (uint32_t mantissa = 0; mantissa < 128; ++mantissa) {
    const float amax = floatOf((127u << 23) | mantissa << 16);
    const QuantizeRule rule{.rounding = Rounding::Floor};
    saturating += amax * blockScale(bitsOf(amax), rule).multiplier > 448.0f;
  }
  CHECK(saturating == 31);
}

TEST_CASE("multiplier and value are exact inverse powers of two") {
  std::set<uint32_t> seen;
  for (uint32_t bits = 0; bits <= 0x7F800000; bits += 0x10000) {
    const auto [byte, multiplier] = blockScale(bits, {.special = Special::Saturate});
    seen.insert(byte);
    REQUIRE(double(scaleValue(ScaleFormat::UE8M0, byte)) == std::ldexp(1.0, int(byte) - 127));
    REQUIRE(double(multiplier) == std::ldexp(1.0, 127 - int(byte)));
  }
  CHECK(seen.size() == 248 + 1); // 0 to 247, which FLT_MAX gives, and 254 for Inf
  CHECK(std::isnan(scaleValue(ScaleFormat::UE8M0, 0xFF)));
  CHECK(std::isnan(blockScale(0x7FC00000, {}).multiplier));
  CHECK(std::isnan(blockScale(0x7F800000, {}).multiplier));
  CHECK(bitsOf(blockScale(0x7F800000, {.special = Special::NanScale}).multiplier) == 0);
}

TEST_CASE("rule names go both ways") {
  for (Rounding rounding : kRoundings)
    CHECK(roundingNamed(name(rounding)) == rounding);
  for (Special special : kSpecials)
    CHECK(specialNamed(name(special)) == special);
  for (TinyBlock tiny : kTinyBlocks)
    CHECK(tinyBlockNamed(name(tiny)) == tiny);
  CHECK(name(Rounding::Even) == "even");
  CHECK(name(Special::NanScale) == "nan_scale");
  CHECK(name(TinyBlock::ByteOne) == "byte_one");
  CHECK_FALSE(roundingNamed("Ceil"));
  CHECK_FALSE(specialNamed(""));
  CHECK_FALSE(tinyBlockNamed("tiny"));
}
