// fma of 32 lanes at once: the host's instruction, with the chip's one NaN.
#include "runtime/simulator/arithmetic/LaneFma.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace mxc::sim;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Signalling and quiet NaN of both signs, infinities, zeros, subnormals, the largest, and ordinary numbers.
std::vector<float> samples() {
  std::vector<float> values = {kInfinity, -kInfinity, 0.0f,       -0.0f,          1.0f,
                               -1.5f,     0x1p-149f,  -0x1p-126f, 0x1.FFFFFEp127f};
  for (uint32_t bits : {0x7F800001u, 0xFF800001u, 0x7FC00000u, 0xFFC12345u, 0x7FFFFFFFu, 0xFFFFFFFFu})
    values.push_back(std::bit_cast<float>(bits));
  std::mt19937 random(7);
  while (values.size() < 32)
    values.push_back(std::bit_cast<float>(uint32_t(random())));
  return values;
}

uint32_t expected(float a, float b, float c) {
  const float result = std::fma(a, b, c);
  return std::isnan(result) ? 0x7FFFFFFF : std::bit_cast<uint32_t>(result);
}

} // namespace

TEST_CASE("fma of 32 lanes has one NaN, whatever came in") {
  const std::vector<float> values = samples();
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 32; ++j) {
      float a[32], b[32], c[32], d[32];
      for (size_t lane = 0; lane < 32; ++lane)
        a[lane] = values[(lane + i) % 32], b[lane] = values[(lane + j) % 32], c[lane] = values[lane];
      fmaLanesWithNan(d, a, b, c);
      for (size_t lane = 0; lane < 32; ++lane)
        REQUIRE(std::bit_cast<uint32_t>(d[lane]) == expected(a[lane], b[lane], c[lane]));
      fmaLanesWithNan(c, a, b, c); // in place
      REQUIRE(std::memcmp(c, d, sizeof d) == 0);
    }
}

TEST_CASE("fma.rn.f32 of a whole warp is that of a part of it") {
  const std::string ptx = kernelOf(R"(
    .reg .b64 %from, %to; .reg .b32 %lane; .reg .f32 %a, %b, %c; .reg .pred %p;
    mov.u32 %lane, %tid.x;
    mul.wide.u32 %from, %lane, 4; add.s64 %from, %in, %from;
    mul.wide.u32 %to, %lane, 8; add.s64 %to, %out, %to;
    ld.global.f32 %a, [%from]; ld.global.f32 %b, [%from+128]; ld.global.f32 %c, [%from+256];
    fma.rn.f32 %b, %a, %b, %c; st.global.f32 [%to], %b;
    ld.global.f32 %b, [%from+128];
    setp.lt.u32 %p, %lane, 16;
    @%p fma.rn.f32 %c, %a, %b, %c;
    @!%p fma.rn.f32 %c, %a, %b, %c;
    st.global.f32 [%to+4], %c;)");
  std::vector<float> input = samples(), second(input.rbegin(), input.rend());
  input.insert(input.end(), second.begin(), second.end());
  for (size_t i = 0; i < 32; ++i)
    input.push_back(input[(i * 11 + 3) % 32]);
  const auto output = runPtx<uint32_t>(ptx, input, 64);
  for (size_t lane = 0; lane < 32; ++lane) {
    CHECK(output[2 * lane] == expected(input[lane], input[32 + lane], input[64 + lane]));
    CHECK(output[2 * lane + 1] == output[2 * lane]);
  }
}
