#include "dialect/formats/Requantize.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

using namespace mxc;

namespace {

struct Result {
  std::vector<uint8_t> codes;
  std::vector<float> scales;
  RequantizeLoss loss;
};

Result requantize(BlockFormat from, BlockFormat to, const std::vector<uint8_t> &codes,
                  const std::vector<uint8_t> &scales, int64_t rows, int64_t columns) {
  Result result;
  result.codes.resize(codes.size());
  std::vector<uint8_t> bytes(size_t(4 * rows * info(to).blocks(columns)));
  result.loss = requantizeRows({from, ScaleLayout::Dense, codes, scales}, rows, columns, to,
                               ScaleLayout::Dense, result.codes, bytes);
  for (size_t i = 0; i < bytes.size() / 4; ++i)
    result.scales.push_back(
        scaleValue(ScaleFormat::F32, loadScale(ScaleFormat::F32, bytes.data(), int64_t(i))));
  return result;
}

Result ofE4m3(const std::vector<uint8_t> &codes, const std::vector<uint8_t> &scales) {
  return requantize(BlockFormat::MXFP8_E4M3, BlockFormat::FP8_E4M3_1x128, codes, scales, 1,
                    int64_t(codes.size()));
}

} // namespace

TEST_CASE("which formats are requantized") {
  CHECK(requantizes(BlockFormat::MXFP8_E4M3, BlockFormat::FP8_E4M3_1x128));
  CHECK(requantizes(BlockFormat::MXFP8_E5M2, BlockFormat::FP8_E5M2_1x128));
  CHECK(requantizes(BlockFormat::MXFP4, BlockFormat::NVFP4));
  for (auto [from, to] : {std::pair(BlockFormat::MXFP8_E4M3, BlockFormat::FP8_E5M2_1x128),
                          {BlockFormat::MXFP8_E4M3, BlockFormat::FP8_E4M3_128x128},
                          {BlockFormat::FP8_E4M3_1x128, BlockFormat::MXFP8_E4M3},
                          {BlockFormat::NVFP4, BlockFormat::MXFP4},
                          {BlockFormat::MXFP6_E2M3, BlockFormat::NVFP4}})
    CHECK_FALSE(requantizes(from, to));
}

TEST_CASE("the scale is the least power of two that holds the largest element") {
  std::vector<uint8_t> codes(128, 0x38); // 1
  const Result same = ofE4m3(codes, {127, 127, 127, 127});
  CHECK(same.scales == std::vector<float>{0x1p-8f}); // 256 is an element, 512 is none
  CHECK(same.codes == std::vector<uint8_t>(128, 0x78));
  codes[40] = 0x7E; // 448
  CHECK(ofE4m3(codes, {127, 127, 127, 127}).codes == codes);
  CHECK(ofE4m3(codes, {127, 127, 127, 127}).scales == std::vector<float>{1});
  codes[40] = 0x77; // 240: one step above needs 480
  CHECK(ofE4m3(codes, {127, 127, 127, 127}).scales == std::vector<float>{1});
  codes[40] = 0x76; // 224, 448 with a scale of a half
  CHECK(ofE4m3(codes, {127, 127, 127, 127}).scales == std::vector<float>{0.5});
}

TEST_CASE("elements that become subnormal lose bits, and are counted") {
  std::vector<uint8_t> codes(128, 0x00);
  codes[0] = 0x7E;                                      // 448
  codes[32] = 0x39, codes[33] = 0x38, codes[34] = 0xB9; // 1.125, 1, -1.125 times 2^-9
  codes[64] = 0x38;                                     // times 2^-20
  const Result result = ofE4m3(codes, {127, 118, 107, 255});
  CHECK(result.scales == std::vector<float>{1});
  CHECK((result.codes[32] == 0x01 && result.codes[33] == 0x01 && result.codes[34] == 0x81)); // 2^-9
  CHECK(result.codes[64] == 0x00);
  CHECK(result.codes[96] == 0x7F); // of a NaN scale
  CHECK(result.loss.elements == 3);
  CHECK(result.loss.largestError == 1);
  codes[64] = 0;
  CHECK(ofE4m3(codes, {127, 118, 107, 255}).loss.largestError == 0.125f / 1.125f);
}

TEST_CASE("zeros under scales that are far above the others stay zeros") {
  std::vector<uint8_t> codes(64, 0x00);
  codes[0] = 0x38, codes[33] = 0x80;
  const Result result = ofE4m3(codes, {20, 254});
  CHECK((result.codes[0] == 0x78 && result.codes[32] == 0x00 && result.codes[33] == 0x80));
  CHECK(result.loss.elements == 0);
}

TEST_CASE("zeros, NaN and infinities") {
  const Result zeros = ofE4m3({0x00, 0x80, 0x7F, 0xFF}, {200});
  CHECK(zeros.scales == std::vector<float>{0x1p-127f});
  CHECK(zeros.codes == std::vector<uint8_t>{0x00, 0x80, 0x7F, 0x7F});
  const Result infinities =
      requantize(BlockFormat::MXFP8_E5M2, BlockFormat::FP8_E5M2_1x128, {0x7C, 0xFC, 0xFE, 0x3C}, {254}, 1, 4);
  CHECK(infinities.scales == std::vector<float>{0x1p112f});
  CHECK(infinities.codes == std::vector<uint8_t>{0x7C, 0xFC, 0x7F, 0x78});
  CHECK((zeros.loss.elements == 0 && infinities.loss.elements == 0));
}

TEST_CASE("values are kept, or counted with their error, under any scales") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> codes(1 + random() % 300), scales((codes.size() + 31) / 32);
    for (uint8_t &code : codes)
      code = uint8_t(random());
    for (uint8_t &scale : scales)
      scale = random() % 16 ? uint8_t(random() % 40 + 107) : uint8_t(random());
    const Result result = ofE4m3(codes, scales);
    int64_t changed = 0;
    double largest = 0;
    for (size_t i = 0; i < codes.size(); ++i) {
      const double old =
                       double(decode(ElementFormat::E4M3, codes[i])) * std::ldexp(1.0, scales[i / 32] - 127),
                   now =
                       double(decode(ElementFormat::E4M3, result.codes[i])) * double(result.scales[i / 128]);
      if (scales[i / 32] == 255 || std::isnan(old)) {
        CHECK(result.codes[i] == 0x7F);
        continue;
      }
      changed += now != old;
      if (now != old) largest = std::max(largest, std::fabs(now - old) / std::fabs(old));
    }
    CHECK(result.loss.elements == changed);
    CHECK(double(result.loss.largestError) == Approx(largest).margin(1e-6));
  }
}

namespace {

// One block of MXFP4, whose codes are all there are twice, as two of NVFP4.
struct FourBits {
  std::vector<uint8_t> codes = std::vector<uint8_t>(32), scales = std::vector<uint8_t>(2);
  RequantizeLoss loss;
  FourBits(uint8_t byte, float tensorScale) {
    std::vector<uint8_t> source(32);
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = uint8_t(i % 16);
    loss = requantizeRows({BlockFormat::MXFP4, ScaleLayout::Dense, source, std::span(&byte, 1)}, 1, 32,
                          BlockFormat::NVFP4, ScaleLayout::Dense, codes, scales, tensorScale);
  }
};

double valueOf(uint8_t code) { return double(decode(ElementFormat::E2M1, code)); }

} // namespace

TEST_CASE("MXFP4 is NVFP4 for 18 exponents of a scale, relative to that of the tensor") {
  for (int tensor : {-60, -9, 0, 3, 70})
    for (int exponent = -30; exponent <= 30; ++exponent) {
      const int byte = tensor + exponent + 127;
      if (byte < 0 || byte > 254) continue;
      const FourBits result(uint8_t(byte), std::ldexp(1.0f, tensor));
      CHECK(result.scales[0] == result.scales[1]);
      const double scale = double(scaleValue(ScaleFormat::UE4M3, result.scales[0]));
      CHECK(scale == std::ldexp(1.0, std::clamp(exponent, -9, 8)));
      int64_t changed = 0;
      for (size_t i = 0; i < result.codes.size(); ++i) {
        const double old = valueOf(uint8_t(i % 16)) * std::ldexp(1.0, exponent),
                     now = valueOf(result.codes[i]) * scale;
        changed += now != old;
        if (exponent >= -9 && exponent <= 8) CHECK(result.codes[i] == i % 16);
      }
      CHECK(result.loss.elements == changed);
      CHECK((changed == 0) == (exponent >= -9 && exponent <= 8));
      if (exponent == 9) // 4 and 6, of both signs, twice
        CHECK((changed == 8 && result.loss.largestError == 0.5f));
    }
}

TEST_CASE("MXFP4 to NVFP4: tensor scales that are no power of two, NaN") {
  for (float tensorScale : {0.37f, -3e-5f, 1.1f, 2688.0f})
    for (int byte = 100; byte < 150; ++byte) {
      const FourBits result(uint8_t(byte), tensorScale);
      const float ratio = std::ldexp(1 / std::fabs(tensorScale), byte - 127);
      CHECK(result.scales[0] == encode(ElementFormat::E4M3, std::clamp(ratio, 0x1p-9f, 256.0f)));
      const float scale = scaleValue(ScaleFormat::UE4M3, result.scales[0]), multiplier = ratio / scale;
      for (size_t i = 0; i < result.codes.size(); ++i)
        CHECK(result.codes[i] ==
              encode(ElementFormat::E2M1, decode(ElementFormat::E2M1, uint8_t(i % 16)) * multiplier));
    }
  for (float tensorScale : {0.0f, INFINITY, NAN, 1.0f}) {
    const FourBits result(0xFF, tensorScale);
    CHECK(result.scales == std::vector<uint8_t>(2, 0x7F));
    CHECK(result.codes == std::vector<uint8_t>(32, 7));
    CHECK(result.loss.elements == 0);
  }
}
