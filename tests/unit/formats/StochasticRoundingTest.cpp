// Random bits against the vectors that Philox's authors publish, and rounding by them against a search over
// e2m1's values.
#include "dialect/formats/BlockScale.h"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

using namespace mxc;

using Words = std::array<uint32_t, 4>;

TEST_CASE("Philox4x32-10: the vectors of Random123") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  CHECK(philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}) ==
        Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("random bytes follow from seed, offset and place") {
  const RandomSource source{0x0123456789ABCDEF, 0xFEDCBA9876543210};
  const Words words = philox({0x76543210, 0xFEDCBA98, 3, 41}, {0x89ABCDEF, 0x01234567});
  constexpr int kBytes[] = {0, 16, 8, 24}; // of a word, as cvt.rs.satfinite.e2m1x4 takes them
  std::array<uint8_t, 64> bytes;
  randomBytes(source, 41, 16, bytes);
  for (size_t i = 0; i < 16; ++i)
    CHECK(bytes[32 + i] == uint8_t(words[i / 4] >> kBytes[i % 4]));
  for (size_t first = 0; first < 64; ++first) { // wherever a run begins and ends
    std::vector<uint8_t> some(64 - first);
    randomBytes(source, 41, int64_t(16 + first), some);
    CHECK(std::equal(some.begin(), some.end(), bytes.begin() + std::ptrdiff_t(first)));
  }
}

// The code by a search: the largest value up to |v|, or the next one.
static uint8_t expectedCode(float v, int random) {
  static constexpr double kValues[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  if (std::isnan(v)) return 7;
  const double magnitude = std::min(std::fabs(double(v)), 6.0);
  int code = 7;
  while (kValues[code] > magnitude)
    --code;
  if (code < 7) {
    const double above = (magnitude - kValues[code]) / (kValues[code + 1] - kValues[code]);
    code += above + random / 256.0 >= 1;
  }
  return uint8_t(code | (std::signbit(v) ? 8 : 0));
}

TEST_CASE("every bf16 by every random byte is the search's code; as many bytes round up as the value says") {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const float v = std::bit_cast<float>(half << 16);
    const uint8_t least = expectedCode(v, 0);
    int raised = 0;
    for (int random = 0; random < 256; ++random) {
      const uint8_t code = encodeStochastic(ElementFormat::E2M1, v, uint8_t(random));
      REQUIRE(code == expectedCode(v, random));
      raised += code != least;
    }
    if (!(std::fabs(v) <= 6)) {
      REQUIRE(raised == 0);
      continue;
    }
    const double step = std::fabs(v) < 2 ? 0.5 : std::fabs(v) < 4 ? 1 : 2;
    const double steps = std::fabs(v) / step;
    REQUIRE(raised == int((steps - std::floor(steps)) * 256));
  }
}

TEST_CASE("f32 around every 256th of a step") {
  for (double base : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0})
    for (int part = 0; part <= 256; ++part) {
      const double step = base < 2 ? 0.5 : base < 4 ? 1 : 2;
      const float at = float(base + step * part / 256);
      for (float v : {at, std::nextafter(at, 0.0f), std::nextafter(at, 9.0f), -at})
        for (int random : {0, 1, 127, 128, 255 - part, 256 - part, 255})
          if (random >= 0 && random < 256)
            REQUIRE(encodeStochastic(ElementFormat::E2M1, v, uint8_t(random)) == expectedCode(v, random));
    }
  for (float v : {0x1p-149f, -0x1p-126f, 0x1p-9f, INFINITY, -INFINITY, 0x1p127f})
    for (int random : {0, 1, 254, 255})
      CHECK(encodeStochastic(ElementFormat::E2M1, v, uint8_t(random)) == expectedCode(v, random));
}

TEST_CASE("the scale of a block is that without random bits, whose elements they round") {
  std::vector<float> values;
  for (int i = 0; i < 32; ++i)
    values.push_back(float(i * i - 200) * 0.37f);
  const QuantizeRule rule{.format = BlockFormat::MXFP4};
  std::array<uint8_t, 32> nearest, codes, random;
  randomBytes({7, 9}, 3, 32, random);
  const uint32_t scale = quantizeBlock(values, rule, nearest.data());
  CHECK(quantizeBlock(values, rule, codes.data(), random) == scale);
  for (size_t i = 0; i < values.size(); ++i)
    CHECK(codes[i] == expectedCode(values[i] * blockMultiplier(ScaleFormat::UE8M0, scale, 1), random[i]));
}
