// The transform against the matrix, the order of its sums against another way to write them.
#include "dialect/formats/Hadamard.h"

#include "dialect/formats/Reference.h"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

using namespace mxc;

using Run = std::array<float, 16>;

static constexpr int kSigns[] = {1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};

static Run transformOf(Run values) {
  hadamardRows(values, 16);
  return values;
}

static float bf16Of(float value) {
  uint16_t bits;
  storeFloat(FloatType::BF16, &bits, 0, value);
  return loadFloat(FloatType::BF16, &bits, 0);
}

// The order of the contract, from a result back to its terms.
static float term(const Run &x, int distance, int i) {
  if (distance == 0) return x[size_t(i)] * 0.25f * float(kSigns[i]);
  const volatile float a = term(x, distance / 2, i & ~distance), b = term(x, distance / 2, i | distance);
  return i & distance ? a - b : a + b;
}

TEST_CASE("hadamard: whole numbers times the matrix") {
  Run x;
  for (int i = 0; i < 16; ++i)
    x[size_t(i)] = float((i * 37 + 11) % 15 - 7);
  const Run y = transformOf(x);
  for (unsigned j = 0; j < 16; ++j) {
    float sum = 0;
    for (unsigned i = 0; i < 16; ++i)
      sum += x[i] * float(kSigns[i]) * (std::popcount(i & j) % 2 ? -1.0f : 1.0f);
    CHECK(y[j] == sum / 4);
  }
}

TEST_CASE("hadamard: the order of the sums and the rounding to bf16") {
  uint32_t state = 12345;
  for (int trial = 0; trial < 2000; ++trial) {
    Run x;
    for (float &value : x) {
      state = state * 1664525 + 1013904223;
      value = std::ldexp(float(int32_t(state)), int(state >> 8 & 31) - 40);
    }
    const Run y = transformOf(x);
    for (int i = 0; i < 16; ++i)
      REQUIRE(std::bit_cast<uint32_t>(y[size_t(i)]) == std::bit_cast<uint32_t>(bf16Of(term(x, 8, i))));
  }
}

TEST_CASE("hadamard: NaN and infinities reach all 16; a row's end") {
  Run x = {};
  x[5] = NAN;
  for (float value : transformOf(x))
    CHECK(std::isnan(value));
  x[5] = INFINITY, x[6] = 1;
  for (float value : transformOf(x))
    CHECK(std::isinf(value));
  std::vector<float> rows(2 * 20, 0.0f), whole(2 * 32, 0.0f);
  for (size_t row : {0, 1})
    for (size_t i = 0; i < 20; ++i)
      rows[row * 20 + i] = whole[row * 32 + i] = float(row * 3 + i);
  hadamardRows(rows, 20);
  hadamardRows(whole, 32);
  for (size_t row : {0, 1})
    for (size_t i = 0; i < 20; ++i)
      CHECK(rows[row * 20 + i] == whole[row * 32 + i]);
}
