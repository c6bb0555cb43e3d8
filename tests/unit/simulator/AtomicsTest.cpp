// The arithmetic of atomic operations: every pattern of the 16-bit floats against a reference in terms of
// doubles.
#include "runtime/simulator/memory/Atomics.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

using namespace mxc::sim;

namespace {

template <class T> struct Result {
  T before, after;
};

template <class T>
Result<T> run(const char *operation, const char *type, T at, T operand, AtomicPlace place) {
  alignas(16) std::byte memory[16];
  std::byte old[16];
  std::memcpy(memory, &at, sizeof at);
  AtomicUpdate update = atomicUpdate(operation, *ptx::typeNamed(type));
  if (!update) FAIL(operation << " of " << type); // a REQUIRE each would be most of the time
  update(memory, reinterpret_cast<std::byte *>(&operand), old, place);
  Result<T> result;
  std::memcpy(&result.before, old, sizeof(T));
  std::memcpy(&result.after, memory, sizeof(T));
  return result;
}

struct Format {
  int exponentBits, fractionBits;
};
constexpr Format kHalf{5, 10}, kBrain{8, 7};

double valueOf(Format format, uint16_t bits) {
  int top = (1 << format.exponentBits) - 1, field = bits >> format.fractionBits & top;
  int fraction = bits & ((1 << format.fractionBits) - 1), bias = top / 2;
  double sign = bits >> 15 ? -1 : 1;
  if (field == top) return fraction ? std::nan("") : sign * INFINITY;
  double significand = fraction + (field ? std::ldexp(1, format.fractionBits) : 0);
  return sign * std::ldexp(significand, (field ? field : 1) - bias - format.fractionBits);
}

/// The pattern whose value is nearest, even in a tie: found by bisection over the ordered magnitudes.
uint16_t nearest(Format format, double value) {
  uint16_t infinity = uint16_t(((1 << format.exponentBits) - 1) << format.fractionBits);
  if (std::isnan(value)) return 0x7fff;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  uint16_t low = 0, high = infinity; // value(low) <= magnitude < value(high), or both meet at infinity
  if (std::isinf(magnitude)) return uint16_t(sign | infinity);
  while (high - low > 1) {
    auto middle = uint16_t((low + high) / 2);
    (valueOf(format, middle) <= magnitude ? low : high) = middle;
  }
  double below = valueOf(format, low), step = below - valueOf(format, uint16_t(low ? low - 1 : 0));
  double above = high == infinity ? below + step : valueOf(format, high);
  double middle = below + (above - below) / 2;
  bool isUp = magnitude > middle || (magnitude == middle && (low & 1));
  return uint16_t(sign | (isUp ? high : low));
}

void checkHalf(const char *type, Format format) {
  std::mt19937 random(3);
  std::vector<uint16_t> others = {0,      0x8000, 1,      0x8001, 0x3c00, 0x3f80, 0x7bff,
                                  0x7c00, 0x7f7f, 0x7f80, 0xff80, 0xfc00, 0x7fff};
  for (int i = 0; i < 3; ++i)
    others.push_back(uint16_t(random()));
  for (uint32_t a = 0; a < 65536; ++a)
    for (uint16_t b : others) {
      double x = valueOf(format, uint16_t(a)), y = valueOf(format, b);
      AtomicPlace place = a & 1 ? AtomicPlace::Global : AtomicPlace::Shared;
      Result<uint16_t> sum = run<uint16_t>("add", type, uint16_t(a), b, place);
      if (sum.before != a || sum.after != nearest(format, x + y)) FAIL(type << " " << a << " + " << b);
      uint16_t maximum = run<uint16_t>("max", type, uint16_t(a), b, place).after;
      uint16_t minimum = run<uint16_t>("min", type, uint16_t(a), b, place).after;
      if (std::isnan(x) || std::isnan(y)) {
        uint16_t expected = !std::isnan(x) ? uint16_t(a) : !std::isnan(y) ? b : 0x7fff;
        if (maximum != expected || minimum != expected) FAIL(type << " extreme of NaN " << a << ", " << b);
        continue;
      }
      bool isLess = x < y || (x == y && std::signbit(x));
      if (maximum != (isLess ? b : a) || minimum != (isLess ? a : b))
        FAIL(type << " extreme of " << a << ", " << b);
    }
}

} // namespace

TEST_CASE("atomic sums and extremes of 16-bit floats") {
  checkHalf("f16", kHalf);
  checkHalf("bf16", kBrain);
  CHECK(run<uint32_t>("add", "f16x2", 0x3c007bff, 0x3c007bff, AtomicPlace::Global).after == 0x40007c00);
  CHECK(run<uint32_t>("max", "bf16x2", 0x80003f80, 0x00003f00, AtomicPlace::Shared).after == 0x00003f80);
}

TEST_CASE("atomic f32 sums flush subnormals in global memory only") {
  CHECK(run<uint32_t>("add", "f32", 1, 1, AtomicPlace::Shared).after == 2);
  CHECK(run<uint32_t>("add", "f32", 1, 1, AtomicPlace::Global).after == 0);
  CHECK(run<uint32_t>("add", "f32", 0x80000001, 0x80000001, AtomicPlace::Global).after == 0x80000000);
  CHECK(run<uint32_t>("add", "f32", 0x00800000, 0x80800001, AtomicPlace::Global).after ==
        0x80000000); // the result
  CHECK(run<uint32_t>("add", "f32", 0x00800000, 0x80800001, AtomicPlace::Shared).after == 0x80000001);
  CHECK(run<uint32_t>("add", "f32", 0x7f800000, 0xff800000, AtomicPlace::Global).after == 0x7fffffff);
}

TEST_CASE("atomic integers") {
  for (AtomicPlace place : {AtomicPlace::Shared, AtomicPlace::Global}) {
    CHECK(run<uint32_t>("add", "u32", ~0u, 2, place).after == 1);
    CHECK(run<uint32_t>("min", "s32", 5, ~0u, place).after == ~0u);
    CHECK(run<uint32_t>("min", "u32", 5, ~0u, place).after == 5);
    CHECK(run<uint64_t>("max", "s64", 5, ~uint64_t(0), place).after == 5);
    CHECK(run<uint32_t>("inc", "u32", 7, 7, place).after == 0);
    CHECK(run<uint32_t>("inc", "u32", 6, 7, place).after == 7);
    CHECK(run<uint32_t>("dec", "u32", 0, 7, place).after == 7);
    CHECK(run<uint32_t>("dec", "u32", 8, 7, place).after == 7);
    CHECK(run<uint32_t>("dec", "u32", 7, 7, place).after == 6);
    CHECK(run<uint64_t>("exch", "b64", 1, 2, place).before == 1);
  }
  CHECK(!atomicUpdate("min", *ptx::typeNamed("f32")));
  CHECK(!atomicUpdate("and", *ptx::typeNamed("u32")));
}

TEST_CASE("atomic compare and swap of every width") {
  for (uint32_t bits : {16u, 32u, 64u, 128u})
    for (AtomicPlace place : {AtomicPlace::Shared, AtomicPlace::Global}) {
      alignas(16) std::byte memory[16], compare[16], operand[16], old[16], expected[16];
      for (int i = 0; i < 16; ++i)
        memory[i] = compare[i] = std::byte(i + 1), operand[i] = std::byte(0xf0 + i);
      compare[bits / 8 - 1] ^= std::byte(1);
      std::memcpy(expected, memory, 16);
      atomicCompare(bits)(memory, compare, operand, old, place);
      CHECK(std::memcmp(memory, expected, 16) == 0);
      CHECK(std::memcmp(old, expected, bits / 8) == 0);
      atomicCompare(bits)(memory, expected, operand, old, place);
      CHECK(std::memcmp(memory, operand, bits / 8) == 0);
      CHECK(std::memcmp(memory + bits / 8, expected + bits / 8, 16 - bits / 8) == 0);
    }
  CHECK(!atomicCompare(8));
}

TEST_CASE("atomic operations of two host threads") {
  uint64_t sum = 0;
  float half = 0;
  auto work = [&] {
    std::byte old[8];
    uint64_t one = 1;
    float quarter = 0.25f;
    for (int i = 0; i < 20000; ++i) {
      atomicUpdate("add", *ptx::typeNamed("u64"))(
          reinterpret_cast<std::byte *>(&sum), reinterpret_cast<std::byte *>(&one), old, AtomicPlace::Global);
      atomicUpdate("add", *ptx::typeNamed("f32"))(reinterpret_cast<std::byte *>(&half),
                                                  reinterpret_cast<std::byte *>(&quarter), old,
                                                  AtomicPlace::Global);
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(sum == 40000);
  CHECK(half == 10000.0f);
}
