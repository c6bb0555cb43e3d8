// Whole matrices against a loop over single elements with long double arithmetic.
#include "dialect/formats/Error.h"
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace mxc;
using namespace mxc::test;

namespace {

struct Quantized {
  std::vector<uint8_t> codes, scales;
};

Quantized quantize(const std::vector<float> &values, int64_t rows, int64_t k, const QuantizeRule &rule,
                   ScaleLayout layout) {
  const size_t scales = size_t(scaleCount(layout, rows, (k + 31) / 32));
  Quantized out{std::vector<uint8_t>(values.size(), 0xA5), std::vector<uint8_t>(scales, 0xA5)}; // poisoned
  quantizeRows(values, rows, k, rule, layout, out.codes, out.scales);
  return out;
}

/// Ceil and propagate, finite input, e4m3: one element at a time.
void checkByDefinition(const std::vector<float> &values, int64_t rows, int64_t k, ScaleLayout layout,
                       const Quantized &found) {
  const int64_t blocks = (k + 31) / 32;
  std::vector<bool> written(found.scales.size());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t begin = row * k + block * 32, end = std::min(row * k + k, begin + 32);
      long double amax = 0;
      for (int64_t i = begin; i < end; ++i)
        amax = std::max(amax, std::abs((long double)values[size_t(i)]));
      int byte = 0;
      while (amax > std::ldexp(448.0L, byte - 127))
        ++byte;
      const size_t offset = size_t(scaleOffset(layout, row, block, rows, blocks));
      REQUIRE(int(found.scales[offset]) == byte);
      written[offset] = true;
      for (int64_t i = begin; i < end; ++i) {
        const float scaled = float(std::ldexp((long double)values[size_t(i)], 127 - byte));
        REQUIRE(found.codes[size_t(i)] == encode(ElementFormat::E4M3, scaled));
      }
    }
  for (size_t i = 0; i < written.size(); ++i)
    if (!written[i]) REQUIRE(found.scales[i] == 0);
}

} // namespace

TEST_CASE("odd shapes agree with the definition and overwrite everything") {
  const auto [rows, k] =
      GENERATE(table<int64_t, int64_t>({{1, 32}, {1, 1}, {127, 33}, {300, 96}, {0, 64}, {5, 0}, {129, 129}}));
  const std::vector<float> values = heavyTailed(size_t(rows * k), uint32_t(rows * 1000 + k));
  for (ScaleLayout layout : {ScaleLayout::Dense, ScaleLayout::Tcgen05})
    checkByDefinition(values, rows, k, layout, quantize(values, rows, k, {}, layout));
}

TEST_CASE("a matrix large enough for threads agrees with its blocks") {
  const int64_t rows = 1037, k = 4099; // odd on purpose, over 4M elements
  const std::vector<float> values = heavyTailed(size_t(rows * k), 3);
  const QuantizeRule rule{.rounding = Rounding::Even};
  const Quantized found = quantize(values, rows, k, rule, ScaleLayout::Tcgen05);
  const int64_t blocks = (k + 31) / 32;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block) {
      const size_t first = size_t(row * k + block * 32),
                   count = size_t(std::min<int64_t>(32, k - block * 32));
      uint8_t codes[32];
      const uint32_t byte = quantizeBlock(std::span(values).subspan(first, count), rule, codes);
      if (byte == found.scales[size_t(scaleOffset(ScaleLayout::Tcgen05, row, block, rows, blocks))] &&
          std::equal(codes, codes + count, &found.codes[first]))
        continue;
      CAPTURE(row, block);
      REQUIRE(false);
    }
}

TEST_CASE("specials stay in their own block") {
  std::vector<float> values(3 * 64, 1.0f);
  values[64 + 40] = std::numeric_limits<float>::quiet_NaN();
  values[128 + 3] = -std::numeric_limits<float>::infinity();
  const Quantized found = quantize(values, 3, 64, {}, ScaleLayout::Dense);
  CHECK(found.scales == std::vector<uint8_t>{119, 119, 119, 0xFF, 0xFF, 119});
  CHECK(found.codes[64 + 31] == 0x78);
  CHECK(found.codes[64 + 32] == 0x7F);
  CHECK(found.codes[128 + 31] == 0x7F);
  CHECK(found.codes[128 + 32] == 0x78);
}

TEST_CASE("dequantize multiplies code and scale, in every layout and format") {
  for (ElementFormat element : kElements)
    for (ScaleLayout layout : {ScaleLayout::Dense, ScaleLayout::Tcgen05}) {
      const int64_t rows = 130, k = 70, blocks = 3;
      const std::vector<float> values = heavyTailed(size_t(rows * k), 11);
      const Quantized q = quantize(values, rows, k, {.format = mxFormatOf(element)}, layout);
      std::vector<float> back(values.size(), 123.0f);
      dequantizeRows(q.codes, q.scales, rows, k, mxFormatOf(element), layout, back);
      for (int64_t i = 0; i < rows * k; ++i) {
        const int byte = q.scales[size_t(scaleOffset(layout, i / k, i % k / 32, rows, blocks))];
        const double exact = std::ldexp(double(decode(element, q.codes[size_t(i)])), byte - 127);
        REQUIRE(bitsOf(back[size_t(i)]) == bitsOf(float(exact)));
      }
    }
}

TEST_CASE("dequantize rounds once outside f32's range and keeps NaN") {
  const std::vector<uint8_t> codes = {0x7E, 0x01, 0x7F, 0x09}, scales = {254, 0, 1, 0xFF};
  std::vector<float> values(4);
  dequantizeRows(codes, scales, 4, 1, BlockFormat::MXFP8_E4M3, ScaleLayout::Dense, values);
  CHECK(values[0] == std::numeric_limits<float>::infinity()); // 448 * 2^127
  CHECK(values[1] == 0x1p-136f);                              // 2^-9 * 2^-127, a subnormal
  CHECK(std::isnan(values[2]));
  CHECK(std::isnan(values[3]));
}

TEST_CASE("nvfp4: a ue4m3 scale for 16 elements") {
  const std::vector<uint8_t> codes(33, 0x02), scales = {0x38, 0x40, 0x08}; // 1.0; 1, 2, 2^-6
  std::vector<float> values(33);
  dequantizeRows(codes, scales, 1, 33, BlockFormat::NVFP4, ScaleLayout::Dense, values);
  CHECK(values[15] == 1.0f);
  CHECK(values[16] == 2.0f);
  CHECK(values[32] == 0x1p-6f);
  std::vector<uint8_t> outCodes(33), outScales(3); // 1 / 6, 2 / 6 and 2^-6 / 6, to e4m3
  quantizeRows(values, 1, 33, {.format = BlockFormat::NVFP4}, ScaleLayout::Dense, outCodes, outScales);
  CHECK(outScales == std::vector<uint8_t>{0x23, 0x2B, 0x01});
  CHECK(outCodes.front() == 7); // 1 / 0.171875 = 5.8
}

TEST_CASE("buffers of the wrong size are refused") {
  std::vector<float> values(64);
  std::vector<uint8_t> codes(64), scales(2);
  CHECK_THROWS_AS(quantizeRows(values, 2, 31, {}, ScaleLayout::Dense, codes, scales), Error);
  CHECK_THROWS_AS(quantizeRows(values, 2, 32, {}, ScaleLayout::Tcgen05, codes, scales), Error);
  CHECK_THROWS_AS(quantizeRows(values, -2, -32, {}, ScaleLayout::Dense, codes, scales), Error);
  CHECK_THROWS_AS(dequantizeRows(codes, scales, 1, 32, BlockFormat::MXFP8_E4M3, ScaleLayout::Dense, values),
                  Error);
  CHECK_THROWS_AS(quantizeRows({}, int64_t(1) << 62, 4, {}, ScaleLayout::Dense, {}, {}), Error);
  CHECK_NOTHROW(quantizeRows(values, 2, 32, {}, ScaleLayout::Dense, codes, scales));
}

TEST_CASE("floats load and store exactly, at any alignment") {
  for (FloatType type : {FloatType::BF16, FloatType::F16}) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      char buffer[3] = {};
      const uint16_t half = uint16_t(bits);
      const float value = loadFloat(type, &half, 0);
      storeFloat(type, buffer + 1, 0, value);
      uint16_t back;
      std::copy_n(buffer + 1, 2, reinterpret_cast<char *>(&back));
      if (std::isnan(value))
        REQUIRE(back == 0x7FFF);
      else
        REQUIRE(back == half);
    }
    CHECK(byteSize(type) == 2);
  }
  float stored;
  storeFloat(FloatType::F32, &stored, 0, -std::numeric_limits<float>::quiet_NaN());
  CHECK(bitsOf(stored) == 0x7FFFFFFF);
  storeFloat(FloatType::F32, &stored, 0, -0.0f);
  CHECK(bitsOf(loadFloat(FloatType::F32, &stored, 0)) == 0x80000000);
}
