// Whole blocks: semantics/scales.md, "Elements" and "Special values".
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace mxc;
using namespace mxc::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Block {
  int byte;
  std::vector<int> codes;
  bool operator==(const Block &) const = default;
};

Block quantize(const std::vector<float> &values, const QuantizeRule &rule) {
  std::vector<uint8_t> codes(values.size(), 0xA5);
  const int byte = int(quantizeBlock(values, rule, codes.data()));
  return {byte, {codes.begin(), codes.end()}};
}

} // namespace

TEST_CASE("an ordinary block") {
  // 3.5 = 1.75 * 2: the maximum becomes 448 exactly under ceil.
  CHECK(quantize({3.5f, -1.0f, 0.0f, -0.0f}, {}) == Block{120, {0x7E, 0xF0, 0x00, 0x80}});
  CHECK(quantize({3.5f, 3.75f}, {}) == Block{121, {0x76, 0x77}});
  CHECK(quantize({3.5f, 3.75f}, {.rounding = Rounding::Floor}) == Block{120, {0x7E, 0x7E}}); // saturates
}

TEST_CASE("a block of zeros keeps their signs") {
  for (Special special : {Special::Propagate, Special::Saturate, Special::NanScale})
    for (TinyBlock tiny : {TinyBlock::Exact, TinyBlock::ByteOne})
      CHECK(quantize({0.0f, -0.0f}, {.special = special, .tiny = tiny}) == Block{0, {0x00, 0x80}});
  CHECK(quantize({}, {}) == Block{0, {}});
}

TEST_CASE("ties go to even, with the sign kept") {
  // 448, then ties around the code 0x38 + n at scale 1.
  CHECK(quantize({448.0f, 1.0625f, 1.1875f, -1.0625f, -1.1875f}, {}) ==
        Block{127, {0x7E, 0x38, 0x3A, 0xB8, 0xBA}});
  CHECK(quantize({448.0f, 0x1p-10f, 0x3p-10f}, {}) == Block{127, {0x7E, 0x00, 0x02}});
}

TEST_CASE("tiny blocks down to byte 0, or to byte 1") {
  const float tiny = 448.0f * 0x1p-127f;
  CHECK(quantize({tiny, 0x1p-133f}, {}) == Block{0, {0x7E, 0x08}});
  CHECK(quantize({tiny, 0x1p-133f}, {.tiny = TinyBlock::ByteOne}) == Block{1, {0x76, 0x04}});
  CHECK(quantize({0x1p-149f}, {}) == Block{0, {0x00}});
}

TEST_CASE("propagate: NaN or Inf makes the whole block NaN") {
  for (float special : {kNan, -kNan, kInf, -kInf}) {
    CHECK(quantize({1.0f, special, -0.0f}, {}) == Block{0xFF, {0x7F, 0x7F, 0x7F}});
    CHECK(quantize({1.0f, special}, {.format = BlockFormat::MXFP8_E5M2}) == Block{0xFF, {0x7F, 0x7F}});
    CHECK(quantize({-1.0f, special}, {.format = BlockFormat::MXFP4}) == Block{0xFF, {0x07, 0x07}});
    CHECK(quantize({-1.0f, special}, {.format = BlockFormat::MXFP6_E3M2}) == Block{0xFF, {0x1F, 0x1F}});
  }
}

TEST_CASE("saturate: NaN is ignored for the maximum and stays one element") {
  const QuantizeRule rule{.special = Special::Saturate};
  CHECK(quantize({3.5f, kNan, -kNan}, rule) == Block{120, {0x7E, 0x7F, 0x7F}});
  CHECK(quantize({kNan, kNan}, rule) == Block{0, {0x7F, 0x7F}});
  CHECK(quantize({6.0f, -kNan}, {.format = BlockFormat::MXFP4, .special = Special::Saturate}) ==
        Block{127, {0x07, 0x07}});
}

TEST_CASE("saturate: Inf gives byte 0xFE and max finite of its sign") {
  const QuantizeRule rule{.special = Special::Saturate};
  CHECK(quantize({1.0f, -kInf, kInf, kNan, -0.0f, 0x1p127f}, rule) ==
        Block{0xFE, {0x00, 0xFE, 0x7E, 0x7F, 0x80, 0x38}});
  CHECK(quantize({-kInf}, {.format = BlockFormat::MXFP6_E2M3, .special = Special::Saturate}) ==
        Block{0xFE, {0x3F}});
}

TEST_CASE("nan_scale: Inf zeroes the finite elements under scale 0xFF") {
  const QuantizeRule rule{.special = Special::NanScale};
  CHECK(quantize({1.0f, -2.0f, kInf, -kInf, kNan}, rule) == Block{0xFF, {0x00, 0x80, 0x7F, 0x7F, 0x7F}});
  CHECK(quantize({3.5f, kNan}, rule) == Block{120, {0x7E, 0x7F}});
}

TEST_CASE("the largest finite f32 does not overflow any rule") {
  for (ElementFormat element : kElements)
    for (Rounding rounding : {Rounding::Ceil, Rounding::Floor, Rounding::Even}) {
      const Block block =
          quantize({floatOf(0x7F7FFFFF)}, {.format = mxFormatOf(element), .rounding = rounding});
      CHECK(block.byte < 0xFF);
      const float back =
          decode(element, uint8_t(block.codes[0])) * scaleValue(ScaleFormat::UE8M0, uint8_t(block.byte));
      CHECK(back >= floatOf(0x7F000000)); // at least 2^127: of the right size
    }
}
