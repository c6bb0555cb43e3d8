// What holds of every row of the tables of formats: a new row is tested by standing there.
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <limits>
#include <set>

using namespace mxc;
using namespace mxc::test;

static QuantizeRule ruleOf(const BlockFormatInfo &format, Special special = Special::Propagate) {
  return {.format = format.format, .rounding = defaultRounding(format.scale), .special = special};
}

TEST_CASE("tables: names are unique and lead back to their rows") {
  std::set<std::string_view> names;
  for (const ElementFormatInfo &format : elementFormats()) {
    CHECK(elementFormatNamed(format.name) == format.format);
    CHECK(elementFormatNamed(format.mlirType) == format.format);
    CHECK(names.insert(format.name).second);
  }
  for (const ScaleFormatInfo &format : scaleFormats()) {
    CHECK(scaleFormatNamed(format.name) == format.format);
    CHECK(names.insert(format.name).second);
  }
  for (const BlockFormatInfo &format : blockFormats()) {
    CHECK(blockFormatNamed(format.name) == format.format);
    CHECK(blockFormatOf(format.element, format.scale, BlockShape{format.blockRows, format.blockColumns}) ==
          format.format);
    CHECK(blockShapeNamed(text(BlockShape{format.blockRows, format.blockColumns})));
    CHECK(names.insert(format.name).second);
  }
  for (const ScaleLayoutInfo &layout : scaleLayouts()) {
    CHECK(scaleLayoutNamed(layout.name) == layout.layout);
    CHECK(layout.tileRows % layout.interleave == 0);
  }
  CHECK(blockShapeNamed("16x16") == kSmallSquare);
  CHECK_FALSE(blockShapeNamed("3x7"));
  CHECK_FALSE(blockFormatOf(ElementFormat::E4M3, ScaleFormat::UE8M0, BlockShape{3, 7}));
}

TEST_CASE("tables: the largest code of every element is its max finite, and emax its binade") {
  for (const ElementFormatInfo &format : elementFormats()) {
    float largest = 0;
    for (int code = 0; code < 1 << (format.bits() - 1); ++code)
      if (const float value = decode(format.format, uint8_t(code)); std::isfinite(value))
        largest = std::max(largest, value);
    CHECK(largest == format.maxFinite);
    CHECK(std::ilogb(format.maxFinite) == format.emax);
  }
}

TEST_CASE("tables: scales of every format are stored and loaded as they are") {
  for (const ScaleFormatInfo &format : scaleFormats()) {
    std::vector<uint8_t> bytes(size_t(3 * format.bytes() + 1), 0xA5);
    storeScale(format.format, bytes.data() + 1, 1, format.nan); // at no multiple of its size
    CHECK(loadScale(format.format, bytes.data() + 1, 1) == format.nan);
    CHECK(bytes[size_t(format.bytes())] == 0xA5);
    CHECK(bytes[size_t(2 * format.bytes() + 1)] == 0xA5);
    CHECK(std::isnan(scaleValue(format.format, format.nan)));
  }
}

/// For every element: half a step of the element's format under the block's scale, and what f32 rounds.
static void checkClose(const BlockFormatInfo &format, float value, float back, float amax) {
  const ElementFormatInfo &element = info(format.element);
  const double step = std::ldexp(1.0, -element.mantissaBits), scale = std::max(amax, 0x1p-100f);
  const double smallest = 4 * scale / element.maxFinite; // below it steps are those of the subnormals
  REQUIRE(std::abs(double(back) - value) <= step * std::abs(value) + smallest);
}

TEST_CASE("tables: every block format with a rule quantizes odd shapes in every layout") {
  for (const BlockFormatInfo &format : blockFormats()) {
    if (!hasQuantizeRule(format.format)) continue;
    const int64_t block = format.blockColumns;
    for (const ScaleLayoutInfo &layout : scaleLayouts())
      for (auto [rows, k] :
           {std::pair{int64_t(1), int64_t(1)}, {3, block}, {130, 2 * block + 1}, {5, 9 * block - 1}}) {
        if (!layout.takes(info(format.scale).bits)) continue;
        CAPTURE(format.name, layout.name, rows, k);
        const std::vector<float> values = heavyTailed(size_t(rows * k), uint32_t(rows + k));
        const int64_t blocks = format.blocks(k), lines = format.blocksOfRows(rows),
                      count = scaleCount(layout.layout, lines, blocks);
        std::vector<uint8_t> codes(values.size(), 0xA5),
            scales(size_t(count * info(format.scale).bytes()), 0xA5);
        quantizeRows(values, rows, k, ruleOf(format), layout.layout, codes, scales);
        std::vector<float> back(values.size());
        dequantizeRows(codes, scales, rows, k, format.format, layout.layout, back);
        std::vector<float> maxima(size_t(lines * blocks));
        auto blockOf = [&](int64_t i) { return size_t(i / k / format.blockRows * blocks + i % k / block); };
        for (int64_t i = 0; i < rows * k; ++i)
          maxima[blockOf(i)] = std::max(maxima[blockOf(i)], std::abs(values[size_t(i)]));
        for (int64_t i = 0; i < rows * k; ++i)
          checkClose(format, values[size_t(i)], back[size_t(i)], maxima[blockOf(i)]);
        for (int64_t place = 0; place < count; ++place)
          if (scalePlace(layout.layout, place, lines, blocks).isPadding)
            REQUIRE(loadScale(format.scale, scales.data(), place) == 0);
      }
  }
}

TEST_CASE("tables: NaN, Inf and zeros in a block of every format with a rule") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const BlockFormatInfo &format : blockFormats()) {
    if (!hasQuantizeRule(format.format)) continue;
    CAPTURE(format.name);
    const ElementFormatInfo &element = info(format.element);
    std::vector<float> values(size_t(format.blockColumns), 1.0f);
    std::vector<uint8_t> codes(values.size());
    const auto valueOf = [&](size_t i) { return decode(format.element, codes[i]); };
    values[1] = inf, values[2] = nan, values[3] = -0.0f;
    CHECK(quantizeBlock(values, ruleOf(format), codes.data()) == info(format.scale).nan);
    const uint32_t saturated = quantizeBlock(values, ruleOf(format, Special::Saturate), codes.data());
    CHECK(std::isfinite(scaleValue(format.scale, saturated)));
    CHECK(valueOf(1) == element.maxFinite);
    CHECK((element.nan == NanEncoding::None || std::isnan(valueOf(2))));
    CHECK(quantizeBlock(values, ruleOf(format, Special::NanScale), codes.data()) == info(format.scale).nan);
    CHECK(valueOf(0) == 0);
    std::fill(values.begin(), values.end(), 0.0f), values[3] = -0.0f;
    const uint32_t zero = quantizeBlock(values, ruleOf(format), codes.data());
    CHECK(scaleValue(format.scale, zero) <= 0x1p-126f);
    CHECK((codes[0] == 0 && codes[3] == 1 << (element.bits() - 1)));
  }
}
