// Products of elements below 8 bits, with each other and with those of 8, with alpha: every kind of tile of
// the device's target against the contract's bound, and small whole numbers to the bit.
#include "dialect/formats/PackedCodes.h"
#include "dialect/formats/ScaleFormat.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

using namespace mxc;

namespace {

struct Product {
  int64_t m, n, k, batches = 1;
};

/// The formats of a and of b.
struct Factors {
  BlockFormat a, b;
};
// Two of 4 bits, which have kinds of their own, and others.
const Factors kFour[] = {{BlockFormat::MXFP4, BlockFormat::MXFP4}, {BlockFormat::NVFP4, BlockFormat::NVFP4}},
              kMixed[] = {{BlockFormat::MXFP8_E4M3, BlockFormat::MXFP4},
                          {BlockFormat::MXFP4, BlockFormat::MXFP8_E5M2},
                          {BlockFormat::MXFP6_E2M3, BlockFormat::MXFP6_E3M2},
                          {BlockFormat::MXFP8_E4M3, BlockFormat::MXFP6_E2M3},
                          {BlockFormat::MXFP6_E3M2, BlockFormat::MXFP4}};

std::string text(const Factors &factors) {
  return std::string(info(factors.a).name) + " x " + std::string(info(factors.b).name);
}

std::string sourceOf(const Factors &factors, const std::string &output, bool isBatched) {
  const std::string batch = isBatched ? "?x" : "", c = "memref<" + batch + "?x?x" + output + ">",
                    one = "memref<1xf32>";
  auto codes = [&](BlockFormat format) {
    return "memref<" + batch + "?x?x" + std::string(info(info(format).element).mlirType) + ">";
  };
  auto scales = [&](BlockFormat format) {
    return "memref<" + batch + "?x?x" + std::string(info(info(format).scale).mlirType) +
           ", #mx.scale_layout<tcgen05>>";
  };
  return "mx.kernel @k(%a: " + codes(factors.a) + ", %sa: " + scales(factors.a) +
         ", %b: " + codes(factors.b) + ", %sb: " + scales(factors.b) + ", %alpha: " + one + ", %c: " + c +
         ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + codes(factors.a) + ", " + scales(factors.a) + ", " +
         codes(factors.b) + ", " + scales(factors.b) + ") alpha(%alpha : " + one + ") outs(%c : " + c +
         ")\n}\n";
}

enum class Data { HeavyTails, Specials, WholeNumbers };

// Codes are finite. Padding of the scales is finite garbage.
struct Operand {
  std::vector<std::byte> codes, scales;

  Operand(BlockFormat blocks, const Product &p, int64_t rows, uint64_t seed, Data data) {
    std::mt19937_64 random(seed);
    const BlockFormatInfo &format = info(blocks);
    makeCodes(format.element, p.batches * rows * p.k, random, data);
    makeScales(format, p, rows, random, data);
  }

private:
  void makeCodes(ElementFormat element, int64_t count, std::mt19937_64 &random, Data data) {
    std::vector<uint8_t> single(size_t(count), 0);
    for (uint8_t &code : single) {
      const uint8_t any = uint8_t(random());
      if (data == Data::WholeNumbers && info(element).bits() > 4)
        code = encode(element, float(any % 9 - 4));
      else if (std::isfinite(decode(element, any)))
        code = any;
    }
    codes.resize(size_t(storageBytes(element, count)));
    packCodes(element, single, reinterpret_cast<uint8_t *>(codes.data()));
  }

  void makeScales(const BlockFormatInfo &format, const Product &p, int64_t rows, std::mt19937_64 &random,
                  Data data) {
    const int64_t blocks = format.blocks(p.k), perBatch = scaleCount(ScaleLayout::Tcgen05, rows, blocks);
    const bool isPower = format.scale == ScaleFormat::UE8M0;
    for (int64_t i = 0; i < p.batches * perBatch; ++i) {
      uint32_t code = isPower ? 115 + uint32_t(random() % 24) : uint32_t(random() % 0x7F);
      if (isPower && random() % 64 == 0) code = uint32_t(random() % 250);
      if (data == Data::WholeNumbers) code = isPower ? 127 + uint32_t(random() % 2) : 0x38;
      scales.push_back(std::byte(code));
    }
    for (int64_t i = 0; data == Data::Specials && i < p.batches * rows * blocks;
         ++i) // not in the padding [P4]
      if (random() % 128 == 0)
        scales[size_t(i / (rows * blocks) * perBatch +
                      scaleOffset(ScaleLayout::Tcgen05, i / blocks % rows, i % blocks, rows, blocks))] =
            std::byte(info(format.scale).nan);
  }
};

std::string check(const Kernel &kernel, const Factors &factors, const Product &p, Data data, float alpha,
                  const std::string &expectedTile = {}) {
  const uint64_t seed = uint64_t(p.m * 7919 + p.n * 131 + p.k);
  Operand a(factors.a, p, p.m, seed, data), b(factors.b, p, p.n, seed + 1, data);
  RunCase run;
  run.inputs = {{"a", a.codes}, {"sa", a.scales}, {"b", b.codes}, {"sb", b.scales}};
  run.inputs["alpha"] = std::as_bytes(std::span(&alpha, 1));
  run.dimensions = {{"M", p.m}, {"N", p.n}, {"K", p.k}};
  for (const std::string &dimension : kernel.abi().dimensions)
    if (dimension == "B") run.dimensions["B"] = p.batches;
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  if (data == Data::WholeNumbers) { // sums of halves far below 2^24: no order and no step loses a bit
    const KernelReference reference = referenceOf(kernel.abi(), run.dimensions, run.inputs, nullptr);
    const std::vector<uint8_t> &expected = reference.outputs.at("c");
    if (std::memcmp(expected.data(), outcome.outputs.at("c").data(), expected.size()) != 0)
      outcome.failure += "not exact\n";
  }
  return outcome.failure.empty() ? ""
                                 : std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
                                       std::to_string(p.k) + " <" + outcome.tile + ">\n" + outcome.failure;
}

const char *const kInFlight = "m = 256, n = 256, ctas = 2, stages = 4, a = in_flight";

std::vector<std::string> tiles(const Factors &factors) {
  if (testDevice().computeCapability().major == 9) {
    std::vector<std::string> tiles = {"m = 256, n = 256, ctas = 2, stages = 4",
                                      "n = 128, stages = 6, buffers = 1",
                                      "n = 64, stages = 4, load = element, store = rows"};
    if (info(info(factors.a).element).bits() != 6)
      for (const char *tile : {kInFlight, "n = 64, stages = 4, store = rows, a = in_flight"})
        tiles.emplace_back(tile);
    return tiles;
  }
  if (onWarps())
    return {"stages = 2, buffers = 1", "n = 64, stages = 2, supergroup = 2, buffers = 1",
            "n = 64, stages = 2, store = rows", "n = 64, stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 3", "m = 256, n = 64, ctas = 2", "n = 128, buffers = 1",
          "n = 192, store = rows, stages = 3", "n = 64, load = element, store = rows"};
}

// K of a block, off the block, off the step; few and odd rows; nothing.
const Product kProducts[] = {{1, 1, 2},     {16, 128, 256}, {96, 200, 96}, {130, 67, 200}, {33, 264, 416},
                             {5, 72, 1056}, {0, 72, 64},    {72, 0, 64},   {72, 72, 0},    {129, 136, 720}};
// Maps of padded elements take K in whole steps; otherwise elements are loaded.
const Product kMixedProducts[] = {{1, 1, 4},      {96, 200, 96}, {130, 67, 384},
                                  {33, 264, 416}, {72, 72, 0},   {129, 136, 640}};

} // namespace

TEST_CASE("matmul of 4 bits: the heuristics' tiles", "[small][simulated][chip]") {
  for (const Factors &factors : kFour) {
    Kernel kernel = compileForDevice(sourceOf(factors, "bf16", false)).kernel();
    for (const Product &p : kProducts)
      CHECK(check(kernel, factors, p, Data::HeavyTails, 0.25f) == "");
    CHECK(check(kernel, factors, kProducts[4], Data::Specials, 1) == "");
    CHECK(check(kernel, factors, kProducts[4], Data::WholeNumbers, 1) == "");
  }
}

TEST_CASE("matmul of 4 bits: forced tiles", "[small][simulated]") {
  for (const Factors &factors : kFour)
    for (const std::string &tile : tiles(factors)) {
      INFO(tile << " " << text(factors));
      Kernel kernel = compileForDevice(sourceOf(factors, "f32", false), tile).kernel();
      CHECK(check(kernel, factors, {160, 264, 544}, Data::WholeNumbers, 2, tile) == "");
      for (const Product &p : {Product{33, 200, 416}, Product{130, 67, 200}, Product{40, 24, 1376}})
        CHECK(check(kernel, factors, p, Data::Specials, -3) == "");
    }
}

// K of whole steps of 768, and ends in each of their three parts; off the block; more steps than stages.
TEST_CASE("matmul of 4 bits: instructions of 96 elements", "[small][simulated][chip]") {
  const ComputeCapability chip = testDevice().computeCapability();
  if (chip.major != 10 || chip.minor != 3) return;
  for (const Factors &factors : kFour)
    for (const std::string tile :
         {"m = 256, n = 256, stages = 3, ctas = 2, mma_k = 96",
          "m = 256, n = 192, stages = 4, ctas = 2, mma_k = 96",
          "m = 256, n = 128, stages = 5, ctas = 2, buffers = 1, mma_k = 96",
          "m = 256, n = 256, stages = 6, ctas = 2, buffers = 1, scheduler = clc, mma_k = 96",
          "n = 256, stages = 3, buffers = 1, mma_k = 96", "n = 192, stages = 3, store = rows, mma_k = 96",
          "n = 128, stages = 6, buffers = 1, mma_k = 96"}) {
      INFO(tile << " " << text(factors));
      Kernel kernel = compileForDevice(sourceOf(factors, "f32", false), tile).kernel();
      CHECK(check(kernel, factors, {160, 392, 2304}, Data::WholeNumbers, 2, tile) == "");
      for (int64_t k : {32, 288, 544, 1376})
        CHECK(check(kernel, factors, {130, 200, k}, Data::Specials, -3, tile) == "");
      CHECK(check(kernel, factors, {33, 200, 1536}, Data::HeavyTails, 1, tile) == "");
    }
}

TEST_CASE("matmul of 4 bits: instructions of 96 elements, batches and slices", "[small][simulated][chip]") {
  const ComputeCapability chip = testDevice().computeCapability();
  if (chip.major != 10 || chip.minor != 3) return;
  for (const Factors &factors : kFour) {
    const std::string pair = "m = 256, n = 256, stages = 3, ctas = 2, mma_k = 96",
                      sliced = "m = 256, n = 128, ctas = 2, buffers = 1, slices = 2, mma_k = 96";
    Kernel batched = compileForDevice(sourceOf(factors, "f32", true), pair).kernel();
    CHECK(check(batched, factors, {33, 72, 864, 3}, Data::WholeNumbers, 1, pair) == "");
    Kernel slices = compileForDevice(sourceOf(factors, "bf16", false), sliced).kernel();
    CHECK(check(slices, factors, {70, 136, 2080}, Data::WholeNumbers, 1, sliced) == "");
  }
}

TEST_CASE("grouped matmul of 4 bits: instructions of 96 elements", "[small][simulated][chip]") {
  const ComputeCapability chip = testDevice().computeCapability();
  if (chip.major != 10 || chip.minor != 3) return;
  const std::string source = R"(
!scales = memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>
!weight_scales = memref<?x?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>
mx.kernel @k(%a: memref<?x?xf4E2M1FN>, %sa: !scales, %b: memref<?x?x?xf4E2M1FN>, %sb: !weight_scales, %ends: memref<?xi32>,
             %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf4E2M1FN>, !scales, memref<?x?x?xf4E2M1FN>, !weight_scales)
                    groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}
)";
  const std::vector<int32_t> ends = endsOf({40, 0, 130, 7}, 128);
  for (const auto &[scheduler, k] :
       {std::pair("static", 96), {"static", 1568}, {"clc", 1568}, {"counter", 800}}) {
    const std::string tile =
        std::string("m = 256, n = 256, stages = 4, ctas = 2, buffers = 1, scheduler = ") + scheduler +
        ", mma_k = 96";
    Kernel kernel = compileForDevice(source, tile).kernel();
    const Product p{ends.back() + 3, 72, k, int64_t(ends.size())};
    Operand a(BlockFormat::NVFP4, {p.m, p.n, p.k}, p.m, 5, Data::WholeNumbers),
        b(BlockFormat::NVFP4, p, p.n, 6, Data::WholeNumbers);
    RunCase run;
    run.inputs = {{"a", a.codes}, {"sa", a.scales}, {"b", b.codes}, {"sb", b.scales}};
    run.inputs["ends"] = std::as_bytes(std::span(ends));
    run.dimensions = {{"M", p.m}, {"N", p.n}, {"K", p.k}, {"G", p.batches}};
    const RunOutcome outcome = runChecked(kernel, run);
    CHECK(outcome.failure + tileFailure(outcome.tile, tile) == "");
  }
}

TEST_CASE("matmul of mixed widths: the heuristics' tiles", "[small][simulated][chip]") {
  for (const Factors &factors : {kMixed[1], kMixed[3], kMixed[4]}) {
    INFO(text(factors));
    Kernel kernel = compileForDevice(sourceOf(factors, "bf16", false)).kernel();
    for (const Product &p : kMixedProducts)
      CHECK(check(kernel, factors, p, Data::HeavyTails, 0.25f) == "");
    CHECK(check(kernel, factors, {33, 264, 384}, Data::Specials, 1) == "");
    CHECK(check(kernel, factors, {33, 264, 384}, Data::WholeNumbers, 1) == "");
  }
}

TEST_CASE("matmul of mixed widths: forced tiles", "[small][simulated]") {
  const Factors &factors = GENERATE(kMixed[0], kMixed[2]);
  for (const std::string &tile : tiles(factors)) {
    INFO(tile << " " << text(factors));
    Kernel kernel = compileForDevice(sourceOf(factors, "f32", true), tile).kernel();
    CHECK(check(kernel, factors, {160, 264, 640, 1}, Data::WholeNumbers, 2, tile) == "");
    CHECK(check(kernel, factors, {130, 67, 256, 2}, Data::Specials, -3) == "");
    CHECK(check(kernel, factors, {33, 72, 200, 2}, Data::Specials, -3) == ""); // K off what padded maps take
  }
}

TEST_CASE("grouped matmul of mixed widths", "[small][simulated]") {
  const std::string source = R"(
!scales = memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
!weight_scales = memref<?x?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: !scales, %b: memref<?x?x?xf4E2M1FN>, %sb: !weight_scales, %ends: memref<?xi32>,
             %c: memref<?x?xbf16>) {
  mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, !scales, memref<?x?x?xf4E2M1FN>, !weight_scales)
                    groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>)
}
)";
  Kernel kernel = compileForDevice(source).kernel();
  const std::vector<int32_t> ends = endsOf({40, 0, 130, 7}, 128);
  for (int64_t k : {256, 96}) {
    const Product p{ends.back() + 3, 72, k, int64_t(ends.size())};
    Operand a(kMixed[0].a, {p.m, p.n, p.k}, p.m, 5, Data::HeavyTails),
        b(kMixed[0].b, p, p.n, 6, Data::HeavyTails);
    RunCase run;
    run.inputs = {{"a", a.codes}, {"sa", a.scales}, {"b", b.codes}, {"sb", b.scales}};
    run.inputs["ends"] = std::as_bytes(std::span(ends));
    run.dimensions = {{"M", p.m}, {"N", p.n}, {"K", p.k}, {"G", p.batches}};
    CHECK(runChecked(kernel, run).failure == "");
  }
}

TEST_CASE("matmul of 4 bits: slices along K", "[small][simulated]") {
  if (testDevice().computeCapability().major != 10) return;
  for (const Factors &factors : {kFour[0], kFour[1], kMixed[0]}) {
    const std::string tile = "m = 256, n = 128, ctas = 2, buffers = 1, slices = 4";
    Kernel kernel = compileForDevice(sourceOf(factors, "bf16", false), tile).kernel();
    CHECK(check(kernel, factors, {70, 136, 1408}, Data::WholeNumbers, 1, tile) == "");
  }
}

TEST_CASE("matmul of 4 bits: batches, alpha that is none", "[small][simulated]") {
  for (const Factors &factors : kFour) {
    Kernel batched = compileForDevice(sourceOf(factors, "f32", true)).kernel();
    CHECK(check(batched, factors, {33, 72, 288, 3}, Data::HeavyTails, 0.5f) == "");
    CHECK(check(batched, factors, {33, 72, 98, 2}, Data::WholeNumbers, 1) == "");
    for (float alpha : {0.0f, 1e-40f, 3e38f, -INFINITY, NAN})
      CHECK(check(batched, factors, {16, 24, 64, 1}, Data::HeavyTails, alpha) == "");
  }
}

TEST_CASE("matmul of 4 bits: what is not generated is refused", "[small][simulated]") {
  if (testDevice().computeCapability().major != 9) return;
  for (const Factors &factors : {kFour[0], kMixed[0], kMixed[1]})
    CHECK_THROWS_WITH(compileForDevice(sourceOf(factors, "bf16", false), "#mx.swap_tile<>"),
                      Catch::Contains("for elements of 8 bits"));
  for (const Factors &factors : {kMixed[2], kMixed[4]})
    CHECK_THROWS_WITH(compileForDevice(sourceOf(factors, "bf16", false), kInFlight),
                      Catch::Contains("for elements of 8 and 4 bits of a, found 6"));
}

// The f32 sums of a product by a tile, as the reference has them.
static auto checkedSums(const Factors &factors, const Operand &a, const Operand &b, const Product &p,
                        const std::string &tile) {
  RunCase run;
  const float alpha = 1;
  run.inputs = {{"a", a.codes}, {"sa", a.scales}, {"b", b.codes}, {"sb", b.scales}};
  run.inputs["alpha"] = std::as_bytes(std::span(&alpha, 1));
  run.dimensions = {{"M", p.m}, {"N", p.n}, {"K", p.k}};
  const RunOutcome outcome =
      runChecked(compileForDevice(sourceOf(factors, "f32", false), tile).kernel(), run);
  CHECK(outcome.failure + tileFailure(outcome.tile, tile) == "");
  return outcome.outputs.at("c");
}

// Rows of all scales times columns that have one element each.
TEST_CASE("matmul of 4 bits, a in flight: every scale and code", "[small][simulated]") {
  if (testDevice().computeCapability().major != 9) return;
  const Product p{256, 64, 64};
  for (const Factors &factors : {kFour[0], kFour[1], kMixed[1]}) {
    INFO(text(factors));
    const BlockFormatInfo &formatA = info(factors.a), &formatB = info(factors.b);
    Operand a(factors.a, p, p.m, 1, Data::WholeNumbers), b(factors.b, p, p.n, 2, Data::WholeNumbers);
    std::vector<uint8_t> codes(size_t(p.m * p.k)), one(size_t(p.n * p.k), 0);
    for (size_t i = 0; i < codes.size(); ++i)
      codes[i] = uint8_t((i + i / size_t(p.k)) % 16);
    for (int64_t n = 0; n < p.n; ++n)
      one[size_t(n * p.k + n)] = encode(formatB.element, 1);
    packCodes(formatA.element, codes, reinterpret_cast<uint8_t *>(a.codes.data()));
    packCodes(formatB.element, one, reinterpret_cast<uint8_t *>(b.codes.data()));
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t block = 0; block < formatA.blocks(p.k); ++block)
        a.scales[size_t(scaleOffset(ScaleLayout::Tcgen05, row, block, p.m, formatA.blocks(p.k)))] =
            std::byte(row % (formatA.scale == ScaleFormat::UE8M0 ? 256 : 128));
    checkedSums(factors, a, b, p, kInFlight);
  }
}

// The same values under the same scales, as elements of 4 and of 8 bits: P1 leaves no choice of the bits.
TEST_CASE("matmul of 4 bits, a in flight: sums as of 8 bits", "[small][simulated]") {
  if (testDevice().computeCapability().major != 9) return;
  const Product p{130, 72, 544};
  const Factors eight = {BlockFormat::MXFP8_E4M3, BlockFormat::MXFP8_E4M3};
  std::mt19937_64 random(7);
  auto powers = [&](int64_t rows) { // a block of 32 after the other
    std::vector<uint8_t> powers(size_t(rows * p.k / 32));
    for (uint8_t &power : powers)
      power = uint8_t(random() % 14);
    return powers;
  };
  const std::vector<uint8_t> powersA = powers(p.m), powersB = powers(p.n);
  std::vector<uint8_t> values(size_t((p.m + p.n) * p.k));
  for (uint8_t &value : values)
    value = uint8_t(random() % 16);
  auto sums = [&](const Factors &factors, const std::string &tile) {
    auto operand = [&](BlockFormat blocks, int64_t rows, size_t first, const std::vector<uint8_t> &powers) {
      const BlockFormatInfo &format = info(blocks);
      Operand operand(blocks, p, rows, 1, Data::WholeNumbers);
      std::vector<uint8_t> codes(values.begin() + ptrdiff_t(first),
                                 values.begin() + ptrdiff_t(first) + rows * p.k);
      for (uint8_t &code : codes)
        code = encode(format.element, decode(ElementFormat::E2M1, code));
      packCodes(format.element, codes, reinterpret_cast<uint8_t *>(operand.codes.data()));
      const int64_t count = format.blocks(p.k);
      for (int64_t i = 0; i < rows * count; ++i) {
        const int power = powers[size_t(i / count * (p.k / 32) + i % count * format.blockColumns / 32)] - 6;
        operand.scales[size_t(scaleOffset(ScaleLayout::Tcgen05, i / count, i % count, rows, count))] =
            std::byte(format.scale == ScaleFormat::UE8M0 ? 127 + power : (7 + power) << 3);
      }
      return operand;
    };
    const Operand a = operand(factors.a, p.m, 0, powersA),
                  b = operand(factors.b, p.n, size_t(p.m * p.k), powersB);
    return checkedSums(factors, a, b, p, tile);
  };
  const auto expected = sums(eight, kInFlight);
  CHECK(sums(eight, "m = 256, n = 256, ctas = 2, stages = 4") != expected); // another order
  for (const Factors &factors : {kFour[0], kFour[1], kMixed[0], kMixed[1]}) {
    INFO(text(factors));
    CHECK(sums(factors, kInFlight) == expected);
    CHECK(sums(factors, "n = 64, stages = 4, store = rows, a = in_flight") == expected);
  }
}
