// The host reference of mx.matmul, and what it lets a kernel's sum differ by (docs/semantics/product.md, P1
// to P6).
#include "compiler/reference/MatmulTolerance.h"
#include "compiler/reference/OutputComparison.h"
#include "dialect/formats/ScaleLayout.h"
#include "tests/unit/compiler/KernelText.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

using namespace mxc;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::string kScales = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";

std::string matrix(const std::string &element) { return "memref<?x?x" + element + ">"; }

/// `more` arguments after a, sa, b, sb; `rest` of the operation after `ins`.
std::string productKernel(const std::string &element, const std::string &more, const std::string &rest) {
  std::string operand = matrix(element);
  return "mx.kernel @k(%a: " + operand + ", %sa: " + kScales + ", %b: " + operand + ", %sb: " + kScales +
         more + ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + operand + ", " + kScales + ", " + operand +
         ", " + kScales + ") " + rest + "\n}\n";
}

KernelAbi abiFor(const char *target, const std::string &source) {
  CompileOptions options;
  options.stage = Stage::Tile;
  options.targets = {target};
  return compile(source, "test.mlir", options).abis.front().kernels.front();
}

std::span<const std::byte> bytesOf(const auto &values) { return std::as_bytes(std::span(values)); }

std::vector<float> floatsOf(const std::vector<uint8_t> &bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The product of two elements and their scale bytes, in f32.
float productOf(const char *target, const std::string &element, std::array<uint8_t, 2> codes,
                std::array<uint8_t, 2> scaleBytes) {
  static std::map<std::pair<std::string, std::string>, KernelAbi> known; // compiled once
  const auto [found, isNew] = known.try_emplace({target, element});
  if (isNew)
    found->second =
        abiFor(target, productKernel(element, ", %c: memref<?x?xf32>", "outs(%c : memref<?x?xf32>)"));
  std::vector<uint8_t> a = {codes[0]}, b = {codes[1]}, sa(512, scaleBytes[0]), sb(512, scaleBytes[1]);
  KernelReference reference =
      referenceOf(found->second, {{"M", 1}, {"N", 1}, {"K", 1}},
                  {{"a", bytesOf(a)}, {"sa", bytesOf(sa)}, {"b", bytesOf(b)}, {"sb", bytesOf(sb)}});
  return floatsOf(reference.outputs.at("c")).front();
}

} // namespace

TEST_CASE("reference of products: on sm_90a operands are rounded to bf16 [P3]") {
  const std::string e4m3 = "f8E4M3FN", e5m2 = "f8E5M2";
  const uint8_t one4 = 0x38, one5 = 0x3C;
  auto both = [&](const std::string &element, std::array<uint8_t, 2> codes, std::array<uint8_t, 2> bytes) {
    return std::pair(productOf("sm_90a", element, codes, bytes), productOf("sm_100a", element, codes, bytes));
  };
  using Pair = std::pair<float, float>;
  // The smallest e4m3 is 2^-9, the smallest bf16 2^-133; the other operand is 2^73.
  CHECK(both(e4m3, {0x01, one4}, {3, 200}) == Pair(0x1p-60f, 0x1p-60f));
  CHECK(both(e4m3, {0x01, one4}, {2, 200}) == Pair(0, 0x1p-61f));          // a tie to even
  CHECK(both(e4m3, {0x03, one4}, {2, 200}) == Pair(0x1p-59f, 0x1.8p-60f)); // another
  CHECK(both(e4m3, {0x0F, one4}, {0, 200}) == Pair(0x1p-59f, 0x1.Ep-60f)); // 15 * 2^-136
  CHECK(both(e5m2, {one5, 0x01}, {200, 10}) == Pair(0x1p-60f, 0x1p-60f));  // 2^-16
  CHECK(both(e5m2, {one5, 0x01}, {200, 9}) == Pair(0, 0x1p-61f));
  // The largest are 448 and 57344; the other operand is 2^-27.
  CHECK(both(e4m3, {0x7E, one4}, {246, 100}) == Pair(0x1.Cp100f, 0x1.Cp100f));
  CHECK(both(e4m3, {0x7E, one4}, {247, 100}) == Pair(kInfinity, 0x1.Cp101f));
  CHECK(both(e4m3, {one4, 0xFE}, {100, 247}) == Pair(-kInfinity, -0x1.Cp101f));
  CHECK(both(e4m3, {0x77, one4}, {247, 100}) == Pair(0x1.Ep100f, 0x1.Ep100f)); // 240 still fits
  CHECK(both(e5m2, {0x7B, one5}, {239, 100}) == Pair(0x1.Cp100f, 0x1.Cp100f));
  CHECK(both(e5m2, {0x7B, one5}, {240, 100}) == Pair(kInfinity, 0x1.Cp101f));
  auto [ninety, hundred] = both(e4m3, {0x7E, 0x00}, {247, 100});
  CHECK(std::isnan(ninety));
  CHECK(hundred == 0);
}

TEST_CASE(
    "reference of products: sums along K, each block of 32 by its own scales, the last one partial [P1]") {
  constexpr int64_t m = 2, n = 3, k = 70, blocks = 3;
  auto code = [](int64_t row, int64_t column) { // small whole numbers: sums are exact in any order
    static constexpr uint8_t kCodes[] = {0x38, 0xC0, 0x44, 0x00, 0xB8}; // 1 -2 3 0 -1
    return kCodes[(row * 3 + column * 7) % 5];
  };
  auto value = [](uint8_t byte) {
    return byte == 0 ? 0.0
                     : (byte & 0x80 ? -1.0 : 1.0) * ((byte & 0x7F) == 0x38   ? 1
                                                     : (byte & 0x7F) == 0x40 ? 2
                                                                             : 3);
  };
  auto scaleByte = [](int64_t row, int64_t block) { return uint8_t(124 + (row * 2 + block * 3) % 7); };
  auto operand = [&](int64_t rows, int64_t first) {
    std::vector<uint8_t> codes, scales(512, 0xFF); // NaN where no block is
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < k; ++column)
        codes.push_back(code(row + first, column));
      for (int64_t block = 0; block < blocks; ++block)
        scales[size_t(scaleOffset(ScaleLayout::Tcgen05, row, block, rows, blocks))] =
            scaleByte(row + first, block);
    }
    return std::pair(codes, scales);
  };
  const auto [a, sa] = operand(m, 0);
  const auto [b, sb] = operand(n, 11);
  for (const char *target : {"sm_90a", "sm_100a"}) {
    const KernelAbi abi =
        abiFor(target, productKernel("f8E4M3FN", ", %c: memref<?x?xf32>", "outs(%c : memref<?x?xf32>)"));
    KernelReference reference =
        referenceOf(abi, {{"M", m}, {"N", n}, {"K", k}},
                    {{"a", bytesOf(a)}, {"sa", bytesOf(sa)}, {"b", bytesOf(b)}, {"sb", bytesOf(sb)}});
    const std::vector<float> c = floatsOf(reference.outputs.at("c"));
    REQUIRE(c.size() == m * n);
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column) {
        double sum = 0;
        for (int64_t i = 0; i < k; ++i)
          sum += value(code(row, i)) * value(code(column + 11, i)) *
                 std::ldexp(1, scaleByte(row, i / 32) - 127 + scaleByte(column + 11, i / 32) - 127);
        CHECK(c[size_t(row * n + column)] == sum);
      }
    CHECK(std::ranges::count(c, c.front()) < m * n); // they differ
  }
}

TEST_CASE("reference of products: several results, inputs in the order of `with` [P6]") {
  std::string source = productKernel(
      "f8E4M3FN",
      ", %d: memref<?x?xf32>, %row: memref<?x1xf32>, %column: memref<1x?xf32>, %c: memref<?x?xf32>",
      "with(%column, %row : memref<1x?xf32>, memref<?x1xf32>) outs(%c, %d : memref<?x?xf32>, "
      "memref<?x?xf32>) accumulate {\n^bb0(%x: f32, %of_column: f32, %of_row: f32):\n"
      "  %y = arith.subf %of_column, %of_row : f32\n  mx.yield %x, %y : f32, f32\n}");
  KernelAbi abi = abiFor("sm_100a", source);
  auto names = [&](bool areOutputs) {
    std::string text;
    for (const AbiArgument *argument : abi.argumentsOf(ArgumentRole::Data, areOutputs))
      text += argument->name + " ";
    return text;
  };
  CHECK(names(/*areOutputs=*/true) == "c d ");
  CHECK(names(/*areOutputs=*/false) == "column row ");
  std::vector<uint8_t> a = {0x38, 0x40}, b = {0x38, 0x40, 0x44}, scales(512, 127); // 1 2; 1 2 3
  std::vector<float> row = {10, 20}, column = {100, 200, 300}, c(6, 1000), d(6, 0);
  HostTensors inputs = {{"a", bytesOf(a)},       {"sa", bytesOf(scales)}, {"b", bytesOf(b)},
                        {"sb", bytesOf(scales)}, {"row", bytesOf(row)},   {"column", bytesOf(column)},
                        {"c", bytesOf(c)},       {"d", bytesOf(d)}};
  Dimensions dimensions = {{"M", 2}, {"N", 3}, {"K", 1}};
  Prologue region = Prologue::parse(source).value();
  KernelReference reference = referenceOf(abi, dimensions, inputs, &region);
  CHECK(floatsOf(reference.outputs.at("c")) == std::vector<float>{1001, 1002, 1003, 1002, 1004, 1006});
  CHECK(floatsOf(reference.outputs.at("d")) == std::vector<float>{90, 190, 290, 80, 180, 280});

  std::vector<float> foundC = {1001, 1002, 1003, 1002, 1004, 1016}, foundD = {90, 190, 290, 80, 280, 180};
  auto compared =
      compareOutputs(abi, dimensions, reference, {{"c", bytesOf(foundC)}, {"d", bytesOf(foundD)}});
  REQUIRE(compared.size() == 2); // in the order of the arguments
  CHECK(compared[0].name == "d");
  CHECK(compared[0].wrong == 2);
  CHECK(compared[1].wrong == 1);
}

TEST_CASE("bound of products: a part of the terms' magnitudes, which grows with K [P2]") {
  auto bound = [](double product, double magnitude, int64_t k) {
    return MatmulBound({product}, {magnitude}, k);
  };
  CHECK(bound(1, 4096, 128).allows(0, FloatType::F32, 2));
  CHECK_FALSE(bound(1, 4096, 128).allows(0, FloatType::F32, 2.001));
  CHECK_FALSE(bound(1, 4096, 4096).allows(0, FloatType::F32, 2.001));
  CHECK(bound(1, 4096, 16384).allows(0, FloatType::F32, 5));
  CHECK_FALSE(bound(1, 4096, 16384).allows(0, FloatType::F32, 5.001));
  CHECK(bound(1, 0, 128).allows(0, FloatType::BF16, 1 + 0x1p-7)); // one step of the type
  CHECK_FALSE(bound(1, 0, 128).allows(0, FloatType::BF16, 1 + 0x1p-6));
  CHECK(
      bound(0x1p-143, 0x1p-143, 1024).allows(0, FloatType::F32, 0)); // every step drops what f32 cannot hold
  CHECK_FALSE(bound(0x1p-140, 0x1p-140, 1024).allows(0, FloatType::F32, 0));
}

TEST_CASE("bound of products: of sums that are a kernel's, alpha's product is rounded before it is added") {
  // (1 + 4u)(1 + u) is 1 + 5u and little more with u = 2^-23; beside 2 it is a tie, which the little would
  // decide.
  MatmulBound sum(std::vector<double>{1 + 4 * 0x1p-23});
  sum.multiply(1 + 0x1p-23f);
  CHECK(sum.value(0) == 1 + 5 * 0x1p-23f);
  CHECK(sum.bound(0) == 0);
  sum.add({2});
  CHECK(sum.value(0) == 3 + 4 * 0x1p-23f);
}

TEST_CASE("bound of products: NaN and infinity are as they must be, but where a sum may overflow [P2, P4]") {
  const double nan = std::nan(""), infinity = kInfinity;
  MatmulBound ordinary({1, nan, infinity}, {1, 1, 1}, 32);
  for (double found : {nan, infinity, -infinity})
    CHECK_FALSE(ordinary.allows(0, FloatType::F32, found));
  for (double found : {1.0, infinity})
    CHECK_FALSE(ordinary.allows(1, FloatType::F32, found));
  for (double found : {1.0, nan, -infinity})
    CHECK_FALSE(ordinary.allows(2, FloatType::F32, found));
  CHECK(ordinary.allows(1, FloatType::F32, nan));
  CHECK(ordinary.allows(2, FloatType::F32, infinity));
  MatmulBound large({0x1p126}, {0x1p128}, 32);
  for (double found : {nan, infinity, -infinity, 0x1p126})
    CHECK(large.allows(0, FloatType::F32, found));
  MatmulBound rounded({65519.0, 65536.0}, {0, 0}, 32); // beyond the largest f16
  CHECK(rounded.allows(0, FloatType::F16, infinity));
  CHECK(rounded.allows(0, FloatType::F16, 65504));
  for (double found : {65000.0, 65504.0}) // Inf is due
    CHECK_FALSE(rounded.allows(1, FloatType::F16, found));
}

TEST_CASE("bound of products: after a region an approximated tanh may be a relative 2^-10 off [P2]") {
  for (const char *flags : {"", " fastmath<afn>"}) {
    std::string source = productKernel("f8E4M3FN", ", %c: memref<?x?xf32>",
                                       "outs(%c : memref<?x?xf32>) {\n^bb0(%x: f32):\n  %y = math.tanh %x" +
                                           std::string(flags) + " : f32\n  mx.yield %y : f32\n}");
    MatmulBound after =
        MatmulBound::after(std::array{MatmulBound({1}, {0}, 32)}, Prologue::parse(source).value(), {},
                           0); // no error of its own
    CHECK(after.allows(0, FloatType::F32, std::tanh(1)));
    CHECK(after.allows(0, FloatType::F32, std::tanh(1) * (1 + 0x1p-11)) == bool(*flags));
    CHECK(after.allows(0, FloatType::F32, std::tanh(1) * (1 - 0x1p-11)) == bool(*flags));
    CHECK_FALSE(after.allows(0, FloatType::F32, std::tanh(1) * (1 + 0x1p-8)));
  }
}

TEST_CASE("bound of products: after a region infinity and NaN stay exact") {
  std::string source = productKernel("f8E4M3FN", ", %c: memref<?x?xf32>",
                                     "outs(%c : memref<?x?xf32>) {\n^bb0(%x: f32):\n"
                                     "  %y = arith.addf %x, %x : f32\n  mx.yield %y : f32\n}");
  Prologue region = Prologue::parse(source).value();
  const double nan = std::nan(""), infinity = kInfinity;
  MatmulBound after =
      MatmulBound::after(std::array{MatmulBound({1, infinity, nan}, {1, 1, 1}, 32)}, region, {}, 0);
  CHECK(after.allows(0, FloatType::F32, 2));
  CHECK_FALSE(after.allows(0, FloatType::F32, 2.01));
  CHECK(after.allows(1, FloatType::F32, infinity));
  CHECK_FALSE(after.allows(1, FloatType::F32, 1));
  CHECK_FALSE(after.allows(1, FloatType::F32, nan));
  CHECK(after.allows(2, FloatType::F32, nan));
  CHECK_FALSE(after.allows(2, FloatType::F32, 1));
}
