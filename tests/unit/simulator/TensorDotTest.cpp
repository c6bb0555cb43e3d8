// The arithmetic of tensor cores against the rules that were measured on an H200 and published
// for Blackwell, here written once more in terms of doubles.
#include "runtime/simulator/arithmetic/TensorDot.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <random>

using namespace mxc::sim;

namespace {

struct Format {
  int exponentBits, fractionBits, bias;
  bool hasInfinity, hasNaN;
};
Format formatOf(Element element) {
  switch (element) {
  case Element::F16:
    return {5, 10, 15, true, true};
  case Element::BF16:
    return {8, 7, 127, true, true};
  case Element::TF32:
    return {8, 10, 127, true, true};
  case Element::E4M3:
    return {4, 3, 7, false, true};
  case Element::E5M2:
    return {5, 2, 15, true, true};
  case Element::E2M3:
    return {2, 3, 1, false, false};
  case Element::E3M2:
    return {3, 2, 3, false, false};
  default:
    return {2, 1, 1, false, false};
  }
}

struct Value {
  double value = 0;
  int exponent = 0; // of the alignment
};

Value valueOf(Format format, uint32_t bits) {
  uint32_t top = (1u << format.exponentBits) - 1, fraction = bits & ((1u << format.fractionBits) - 1);
  uint32_t field = bits >> format.fractionBits & top;
  double sign = bits >> (format.exponentBits + format.fractionBits) & 1 ? -1 : 1;
  if (format.hasInfinity && field == top) return {fraction ? std::nan("") : sign * INFINITY, 0};
  if (format.hasNaN && !format.hasInfinity && field == top && fraction + 1 == 1u << format.fractionBits)
    return {std::nan(""), 0};
  int exponent = (field ? int(field) : 1) - format.bias;
  return {sign * std::ldexp(double(fraction) + (field ? std::ldexp(1, format.fractionBits) : 0),
                            exponent - format.fractionBits),
          exponent};
}
Value valueOf(Element element, uint32_t bits) {
  return valueOf(formatOf(element), element == Element::TF32 ? bits >> 13 : bits);
}
Value addendOf(Accumulator accumulator, uint32_t bits) {
  return accumulator == Accumulator::F16 ? valueOf(Element::F16, bits)
                                         : valueOf(Format{8, 23, 127, true, true}, bits);
}

uint32_t towardZero(double value, int fractionBits) {
  if (std::isinf(value) || std::fabs(value) >= std::ldexp(1, 128)) return value < 0 ? 0xFF800000 : 0x7F800000;
  int exponent = std::max(value == 0 ? -126 : std::ilogb(value), -126);
  double cut = std::ldexp(std::trunc(std::ldexp(value, fractionBits - exponent)), exponent - fractionBits);
  return std::bit_cast<uint32_t>(float(cut + 0.0));
}

uint32_t toHalf(double value) {
  if (value == 0) return 0;
  uint32_t sign = value < 0 ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  int exponent = std::max(std::ilogb(magnitude), -14);
  double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent)); // to even
  if (std::isinf(units) || std::ldexp(units, exponent - 10) >= 65536) return sign | 0x7C00;
  if (units == 0) return 0;
  return sign | uint32_t(units + (exponent + 14) * 1024);
}

/// One step: terms with alignment exponents, cut, added, rounded.
uint32_t reference(const std::vector<Value> &terms, int fractionBits, int resultBits,
                   Accumulator accumulator) {
  bool isF16 = accumulator == Accumulator::F16;
  double sum = 0;
  int largest = -133;
  for (const Value &term : terms)
    sum += std::isfinite(term.value) ? 0 : term.value;
  if (std::isnan(sum)) return isF16 ? 0x7FFF : 0x7FFFFFFF;
  if (std::isinf(sum)) return isF16 ? (sum < 0 ? 0xFC00 : 0x7C00) : towardZero(sum, 23);
  for (const Value &term : terms)
    if (term.value != 0) largest = std::max(largest, term.exponent);
  for (const Value &term : terms)
    sum += std::trunc(std::ldexp(term.value, fractionBits - largest));
  sum = std::ldexp(sum, largest - fractionBits);
  return isF16 ? toHalf(sum) : towardZero(sum, resultBits);
}

/// One output of a model, for a column of equal rows; checks that all of a tile's outputs agree.
uint32_t one(const DotModel &model, Element a, const std::vector<uint32_t> &as, Element b,
             const std::vector<uint32_t> &bs, uint32_t c, int scaleA = 127, int scaleB = 127) {
  int k = int(as.size());
  DotOperand left, right;
  left.reset(model, a, 3, k), right.reset(model, b, 11, k);
  for (int i = 0; i < k; ++i) {
    for (int row = 0; row < 3; ++row)
      left.set(row, i, as[size_t(i)]);
    for (int row = 0; row < 11; ++row)
      right.set(row, i, bs[size_t(i)]);
  }
  for (int row = 0; row < 3; ++row)
    left.setScale(row, 0, k, ScaleType::UE8M0, uint8_t(scaleA));
  for (int row = 0; row < 11; ++row)
    right.setScale(row, 0, k, ScaleType::UE8M0, uint8_t(scaleB));
  std::vector<uint32_t> tile(3 * 16, c);
  accumulate(model, left, right, tile.data(), 16);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 11; ++column)
      REQUIRE(tile[size_t(row * 16 + column)] == tile[0]);
  REQUIRE(tile[11] == c); // no further
  return tile[0];
}

std::vector<Value> products(Element a, const std::vector<uint32_t> &as, Element b,
                            const std::vector<uint32_t> &bs, int scale = 0) {
  std::vector<Value> terms;
  for (size_t i = 0; i < as.size(); ++i) {
    Value x = valueOf(a, as[i]), y = valueOf(b, bs[i]);
    terms.push_back({std::ldexp(x.value * y.value, scale), x.exponent + y.exponent + scale});
  }
  return terms;
}

struct Case {
  mxc::TargetName target;
  TensorUnit unit;
  Element a, b;
  Accumulator accumulator;
  int k, fractionBits, resultBits;
};
constexpr Accumulator F32 = Accumulator::F32, F16 = Accumulator::F16;
const Case kCases[] = {
    {"sm_90a", TensorUnit::Wgmma, Element::BF16, Element::BF16, F32, 16, 25, 23},
    {"sm_90a", TensorUnit::Wgmma, Element::F16, Element::F16, F32, 16, 25, 23},
    {"sm_90a", TensorUnit::Wgmma, Element::F16, Element::F16, F16, 16, 25, 23},
    {"sm_90a", TensorUnit::Wgmma, Element::TF32, Element::TF32, F32, 8, 25, 23},
    {"sm_90a", TensorUnit::Wgmma, Element::E4M3, Element::E4M3, F32, 32, 13, 13},
    {"sm_90a", TensorUnit::Wgmma, Element::E5M2, Element::E4M3, F32, 32, 13, 13},
    {"sm_90a", TensorUnit::Wgmma, Element::E4M3, Element::E5M2, F16, 32, 13, 13},
    {"sm_90a", TensorUnit::MmaSync, Element::BF16, Element::BF16, F32, 8, 25, 23},
    {"sm_90a", TensorUnit::MmaSync, Element::F16, Element::F16, F16, 16, 25, 23},
    {"sm_90a", TensorUnit::MmaSync, Element::TF32, Element::TF32, F32, 4, 25, 23},
    {"sm_100a", TensorUnit::Tcgen05, Element::E4M3, Element::E5M2, F32, 32, 25, 23},
    {"sm_100a", TensorUnit::Tcgen05, Element::E2M3, Element::E3M2, F32, 32, 25, 23},
    {"sm_120a", TensorUnit::MmaSync, Element::E5M2, Element::E2M1, F32, 32, 25, 23},
};

/// Bits with heavy tails: any pattern, or exponents close together, or mostly zeros.
uint32_t randomBits(std::mt19937 &random, int exponentBits, int fractionBits, int style, int centre) {
  uint32_t bits = random();
  if (style == 0) return bits; // every pattern, NaN and infinities too
  if (style == 3 && random() % 4) return 0;
  uint32_t top = (1u << exponentBits) - 2;
  int field = std::clamp(centre + int(random() % 8) - int(random() % (style == 1 ? 8 : 30)), 0, int(top));
  uint32_t low = bits & ((1u << fractionBits) - 1);
  return (bits >> 31) << (exponentBits + fractionBits) | uint32_t(field) << fractionBits | low;
}

uint32_t randomElement(std::mt19937 &random, Element element, int style) {
  Format format = formatOf(element);
  int centre = style == 2 ? int(random() % (1u << format.exponentBits)) : format.bias + int(random() % 3);
  uint32_t bits = randomBits(random, format.exponentBits, format.fractionBits, style, centre);
  uint32_t width = uint32_t(format.exponentBits + format.fractionBits + 1);
  return element == Element::TF32 ? (style == 0 ? bits : bits << 13 | (random() & 0x1FFF))
                                  : bits & ((1u << width) - 1);
}

} // namespace

TEST_CASE("random dot products follow the measured rule") {
  std::mt19937 random(7);
  for (const Case &row : kCases) {
    DotModel model = dotModelOf(row.target, row.unit, row.a, row.b, row.accumulator);
    for (int trial = 0; trial < 4000; ++trial) {
      int style = trial % 4;
      std::vector<uint32_t> as, bs;
      for (int k = 0; k < row.k; ++k) {
        as.push_back(randomElement(random, row.a, style));
        bs.push_back(randomElement(random, row.b, style));
      }
      bool isF16 = row.accumulator == F16;
      int centre = isF16 ? 15 : 127 + int(random() % 40) - 20;
      uint32_t c = randomBits(random, isF16 ? 5 : 8, isF16 ? 10 : 23, style, centre) & (isF16 ? 0xFFFF : ~0u);
      std::vector<Value> terms = products(row.a, as, row.b, bs);
      terms.push_back(addendOf(row.accumulator, c));
      INFO(row.target.text() << " case " << (&row - kCases) << " trial " << trial);
      REQUIRE(one(model, row.a, as, row.b, bs, c) ==
              reference(terms, row.fractionBits, row.resultBits, row.accumulator));
    }
  }
}

TEST_CASE("scales move the alignment") {
  std::mt19937 random(8);
  DotModel model = dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::E4M3, Element::E4M3, F32);
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<uint32_t> as, bs;
    for (int k = 0; k < 32; ++k) {
      as.push_back(randomElement(random, Element::E4M3, 1 + trial % 3));
      bs.push_back(randomElement(random, Element::E4M3, 1 + trial % 3));
    }
    bool isExtreme = trial % 2;
    int scaleA = isExtreme ? int(random() % 255) : 120 + int(random() % 14),
        scaleB = isExtreme ? int(random() % 255) : 127;
    uint32_t c = randomBits(random, 8, 23, 1, isExtreme ? int(random() % 254) : 127);
    std::vector<Value> terms = products(Element::E4M3, as, Element::E4M3, bs, scaleA + scaleB - 254);
    terms.push_back(addendOf(F32, c));
    REQUIRE(one(model, Element::E4M3, as, Element::E4M3, bs, c, scaleA, scaleB) ==
            reference(terms, 25, 23, F32));
  }
}

TEST_CASE("published values of the block-scaled step") {
  DotModel model = dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::E4M3, Element::E4M3, F32);
  auto run = [&](uint32_t a, uint32_t b, int count, float c, int scaleA, int scaleB) {
    std::vector<uint32_t> as(32), bs(32);
    std::fill_n(as.begin(), count, a), std::fill_n(bs.begin(), count, b);
    return one(model, Element::E4M3, as, Element::E4M3, bs, std::bit_cast<uint32_t>(c), scaleA, scaleB);
  };
  constexpr uint32_t kOne = 0x38, kMinusOne = 0xB8, kLargest = 0x7E;
  CHECK(run(kOne, kOne, 32, 0, 127, 127) == std::bit_cast<uint32_t>(32.0f));
  CHECK(run(kOne, kOne, 32, 0, 130, 126) == std::bit_cast<uint32_t>(128.0f));
  CHECK(run(kOne, kOne, 4, 1, 102, 127) == 0x3F800001);  // four of 2^-25
  CHECK(run(kOne, kOne, 32, 1, 101, 127) == 0x3F800000); // each of 2^-26 is cut
  CHECK(run(kMinusOne, kOne, 1, 1, 102, 127) == 0x3F7FFFFF);
  CHECK(run(kLargest, kLargest, 32, 1, 127, 127) == 0x4AC40002);
  CHECK(run(kOne, kOne, 1, 0, 0, 127) == 0x00400000);
  CHECK(run(kOne, kOne, 1, 0, 255, 127) == 0x7FFFFFFF); // a NaN scale
}

TEST_CASE("zero terms, the floor, signs of zero, overflow") {
  DotModel wgmma = dotModelOf("sm_90a", TensorUnit::Wgmma, Element::BF16, Element::BF16, F32);
  auto bf16 = [&](std::vector<uint32_t> as, std::vector<uint32_t> bs, uint32_t c) {
    as.resize(16), bs.resize(16);
    return one(wgmma, Element::BF16, as, Element::BF16, bs, c);
  };
  CHECK(bf16({}, {}, 0x80000000) == 0);                             // -0 + nothing: +0
  CHECK(bf16({0x7F00, 0x0100}, {0x0000, 0x3F80}, 0) == 0x01000000); // 2^127 * 0 does not push out 2^-125
  CHECK(bf16({}, {}, 0x00000001) == 1);                             // the smallest subnormal survives alone
  CHECK(bf16({0x2000}, {0x0F80}, 0) == 0); // 2^-63 * 2^-96 = 2^-159 lies below 2^(-133-25)
  CHECK(bf16({0x2000, 0x2000}, {0x1000, 0x1000}, 0) ==
        0); // 2 * 2^-158 = 2^-157 is kept in the sum, cut by the result
  CHECK(bf16({0x7F00, 0x7F00}, {0x3F80, 0x3F80}, 0) == 0x7F800000);
  CHECK(bf16({0xFF00, 0xFF00}, {0x3F80, 0x3F80}, 0) == 0xFF800000);
  CHECK(bf16({0x7F80}, {0x0000}, 0) == 0x7FFFFFFF); // inf * 0
  CHECK(bf16({0x7F80}, {0xBF80}, 0) == 0xFF800000);
  CHECK(bf16({0x7F80}, {0x3F80}, 0xFF800000) == 0x7FFFFFFF);
  CHECK(bf16({0x3F80}, {0x3F80}, 0xFFC12345) == 0x7FFFFFFF);
  DotModel half = dotModelOf("sm_90a", TensorUnit::Wgmma, Element::F16, Element::F16, F16);
  CHECK(one(half, Element::F16, std::vector<uint32_t>(16, 0x7BFF), Element::F16,
            std::vector<uint32_t>(16, 0x3C00), 0) == 0x7C00);
  CHECK(one(half, Element::F16, std::vector<uint32_t>(16, 0x7C01), Element::F16,
            std::vector<uint32_t>(16, 0x3C00), 0) == 0x7FFF);
  // Hopper's fp8 keeps 13 bits: 1 + 2^-13 stays, 1 + 2^-14 does not, and the low 10 bits of a result are 0.
  DotModel fp8 = dotModelOf("sm_90a", TensorUnit::Wgmma, Element::E4M3, Element::E4M3, F32);
  std::vector<uint32_t> none(32);
  CHECK(one(fp8, Element::E4M3, none, Element::E4M3, none, 0x3F8007FF) == 0x3F800400);
  // tf32 drops its low 13 bits first: a NaN that has nothing else becomes an infinity.
  DotModel tf32 = dotModelOf("sm_90a", TensorUnit::Wgmma, Element::TF32, Element::TF32, F32);
  CHECK(one(tf32, Element::TF32, {0x7F801FFF, 0, 0, 0, 0, 0, 0, 0}, Element::TF32,
            {0x3F800000, 0, 0, 0, 0, 0, 0, 0}, 0) == 0x7F800000);
}

TEST_CASE("mma.sync of fp8 on sm_90a is two halves of f16 products and an addition") {
  std::mt19937 random(9);
  for (auto [a, b] : {std::pair{Element::E4M3, Element::E4M3},
                      {Element::E5M2, Element::E4M3},
                      {Element::E5M2, Element::E5M2}}) {
    DotModel model = dotModelOf("sm_90a", TensorUnit::MmaSync, a, b, F32);
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<uint32_t> as, bs;
      std::vector<Value> halves[2];
      for (int k = 0; k < 32; ++k) {
        do
          as.push_back(randomElement(random, a, trial % 4));
        while (!std::isfinite(valueOf(a, as.back()).value) && (as.pop_back(), true));
        do
          bs.push_back(randomElement(random, b, trial % 4));
        while (!std::isfinite(valueOf(b, bs.back()).value) && (bs.pop_back(), true));
        auto asHalf = [](double value) { return value == 0 ? -14 : std::max(std::ilogb(value), -14); };
        double x = valueOf(a, as.back()).value, y = valueOf(b, bs.back()).value;
        halves[k % 4 / 2].push_back({x * y, asHalf(x) + asHalf(y)});
      }
      uint32_t c = randomBits(random, 8, 23, 1, 127 + int(random() % 30) - 10);
      uint32_t first = reference(halves[0], 25, 23, F32);
      halves[1].push_back(addendOf(F32, first));
      float sum = std::bit_cast<float>(reference(halves[1], 25, 23, F32)) + std::bit_cast<float>(c);
      REQUIRE(one(model, a, as, b, bs, c) == std::bit_cast<uint32_t>(sum));
    }
  }
}

TEST_CASE("mxf4nvf4: groups of 16 are exact, 35 bits for their sum") {
  std::mt19937 random(10);
  DotModel model = dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::E2M1, Element::E2M1, F32, true);
  for (int trial = 0; trial < 4000; ++trial) {
    DotOperand a, b;
    a.reset(model, Element::E2M1, 1, 64), b.reset(model, Element::E2M1, 1, 64);
    double dots[4] = {};
    for (int k = 0; k < 64; ++k) {
      uint32_t x = random() & 15, y = random() & 15;
      a.set(0, k, x), b.set(0, k, y);
      dots[k / 16] += valueOf(Element::E2M1, x).value * valueOf(Element::E2M1, y).value;
    }
    std::vector<Value> terms;
    for (int group = 0; group < 4; ++group) {
      uint32_t x = random() % 0x7F, y = random() % 0x7F;
      a.setScale(0, group * 16, 16, ScaleType::UE4M3, uint8_t(x)),
          b.setScale(0, group * 16, 16, ScaleType::UE4M3, uint8_t(y));
      Value s = valueOf(Element::E4M3, x), t = valueOf(Element::E4M3, y);
      terms.push_back({dots[group] * s.value * t.value, s.exponent + t.exponent});
    }
    uint32_t c = randomBits(random, 8, 23, 1, 127 + int(random() % 60) - 30), tile[8] = {c};
    terms.push_back(addendOf(F32, c));
    accumulate(model, a, b, tile, 8);
    REQUIRE(tile[0] == reference(terms, 35, 23, F32));
  }
}

TEST_CASE("integers wrap or saturate; bits are counted") {
  DotModel model = dotModelOf("sm_90a", TensorUnit::Wgmma, Element::S8, Element::U8, Accumulator::S32);
  std::vector<uint32_t> as(32, 0x7F), bs(32, 0xFF);
  CHECK(one(model, Element::S8, as, Element::U8, bs, 0x7FFFFFFF) == 0x7FFFFFFF + 32u * 127 * 255);
  model.saturates = true;
  CHECK(one(model, Element::S8, as, Element::U8, bs, 0x7FFFFFFF) == 0x7FFFFFFF);
  as.assign(32, 0x80);
  CHECK(one(model, Element::S8, as, Element::U8, bs, 0x80000001) == 0x80000000);
  DotModel bits = dotModelOf("sm_90a", TensorUnit::MmaSync, Element::B1, Element::B1, Accumulator::S32);
  CHECK(one(bits, Element::B1, {1, 1, 0, 0}, Element::B1, {1, 0, 1, 0}, 5) == 6);
  bits.isXor = true;
  CHECK(one(bits, Element::B1, {1, 1, 0, 0}, Element::B1, {1, 0, 1, 0}, 5) == 7);
}

TEST_CASE("packed elements") {
  DotModel model = dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::E3M2, Element::E2M1, F32);
  DotOperand packed, padded;
  uint32_t values[] = {0x01, 0x3F, 0x2A, 0x15};
  uint32_t dense = values[0] | values[1] << 6 | values[2] << 12 | values[3] << 18;
  uint32_t bytes = values[0] | values[1] << 8 | values[2] << 16 | values[3] << 24;
  packed.reset(model, Element::E3M2, 1, 4), padded.reset(model, Element::E3M2, 1, 4);
  packed.setPacked(0, 0, &dense, 4, false), padded.setPacked(0, 0, &bytes, 4);
  CHECK(packed.significands == padded.significands);
  CHECK(packed.exponents == padded.exponents);
}
