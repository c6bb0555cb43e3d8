// Products of elements of 4 bits, MXFP4 and NVFP4, with alpha: every kind of tile of the device's target
// against the contract's bound, and small whole numbers to the bit.
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

struct Format {
  std::string scale; // MLIR's type
  ScaleFormat format;
  int64_t block;
};
const Format kFormats[] = {{"f8E8M0FNU", ScaleFormat::UE8M0, 32}, {"f8E4M3FN", ScaleFormat::UE4M3, 16}};

std::string sourceOf(const Format &format, const std::string &output, bool isBatched,
                     const std::string &clauses = {}) {
  const std::string batch = isBatched ? "?x" : "", codes = "memref<" + batch + "?x?xf4E2M1FN>",
                    scales = "memref<" + batch + "?x?x" + format.scale + ", #mx.scale_layout<tcgen05>>",
                    c = "memref<" + batch + "?x?x" + output + ">", one = "memref<1xf32>";
  return "mx.kernel @k(%a: " + codes + ", %sa: " + scales + ", %b: " + codes + ", %sb: " + scales +
         ", %alpha: " + one + ", %c: " + c + ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + codes + ", " +
         scales + ", " + codes + ", " + scales + ") alpha(%alpha : " + one + ") outs(%c : " + c + ") " +
         clauses + "\n}\n";
}

enum class Data { HeavyTails, Specials, WholeNumbers };

// All codes are values. Padding of the scales is finite garbage.
struct Operand {
  std::vector<std::byte> codes, scales;

  Operand(const Format &format, const Product &p, int64_t rows, uint64_t seed, Data data) {
    std::mt19937_64 random(seed);
    codes = randomBytes(size_t(storageBytes(ElementFormat::E2M1, p.batches * rows * p.k)), seed);
    const int64_t blocks = (p.k + format.block - 1) / format.block,
                  perBatch = scaleCount(ScaleLayout::Tcgen05, rows, blocks);
    const bool isPower = format.format == ScaleFormat::UE8M0;
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
            std::byte(info(format.format).nan);
  }
};

std::string check(const Kernel &kernel, const Format &format, const Product &p, Data data, float alpha,
                  const std::string &expectedTile = {}) {
  const uint64_t seed = uint64_t(p.m * 7919 + p.n * 131 + p.k);
  Operand a(format, p, p.m, seed, data), b(format, p, p.n, seed + 1, data);
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

std::vector<std::string> tiles() {
  if (testDevice().computeCapability().major == 9)
    return {"m = 256, n = 256, ctas = 2, stages = 4", "n = 128, stages = 6, buffers = 1",
            "n = 64, stages = 4, load = element, store = rows"};
  if (onWarps())
    return {"stages = 2, buffers = 1", "n = 64, stages = 2, supergroup = 2, buffers = 1",
            "n = 64, stages = 2, store = rows", "n = 64, stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 3", "m = 256, n = 64, ctas = 2", "n = 128, buffers = 1",
          "n = 192, store = rows, stages = 3", "n = 64, load = element, store = rows"};
}

// K of a block, off the block, off the step; few and odd rows; nothing.
const Product kProducts[] = {{1, 1, 2},     {16, 128, 256}, {96, 200, 96}, {130, 67, 200}, {33, 264, 416},
                             {5, 72, 1056}, {0, 72, 64},    {72, 0, 64},   {72, 72, 0},    {129, 136, 720}};

} // namespace

TEST_CASE("matmul of 4 bits: the heuristics' tiles", "[small][simulated]") {
  for (const Format &format : kFormats) {
    Kernel kernel = compileForDevice(sourceOf(format, "bf16", false)).kernel();
    for (const Product &p : kProducts)
      CHECK(check(kernel, format, p, Data::HeavyTails, 0.25f) == "");
    CHECK(check(kernel, format, kProducts[4], Data::Specials, 1) == "");
    CHECK(check(kernel, format, kProducts[4], Data::WholeNumbers, 1) == "");
  }
}

TEST_CASE("matmul of 4 bits: forced tiles", "[small][simulated]") {
  for (const Format &format : kFormats)
    for (const std::string &tile : tiles()) {
      INFO(tile << " " << format.scale);
      Kernel kernel = compileForDevice(sourceOf(format, "f32", false), tile).kernel();
      CHECK(check(kernel, format, {160, 264, 544}, Data::WholeNumbers, 2, tile) == "");
      for (const Product &p : {Product{33, 200, 416}, Product{130, 67, 200}, Product{40, 24, 1376}})
        CHECK(check(kernel, format, p, Data::Specials, -3) == "");
    }
}

TEST_CASE("matmul of 4 bits: slices along K", "[small][simulated]") {
  if (testDevice().computeCapability().major != 10) return;
  for (const Format &format : kFormats) {
    const std::string tile = "m = 256, n = 128, ctas = 2, buffers = 1, slices = 4";
    Kernel kernel = compileForDevice(sourceOf(format, "bf16", false), tile).kernel();
    CHECK(check(kernel, format, {70, 136, 1344}, Data::WholeNumbers, 1, tile) == "");
  }
}

TEST_CASE("matmul of 4 bits: batches, alpha that is none", "[small][simulated]") {
  for (const Format &format : kFormats) {
    Kernel batched = compileForDevice(sourceOf(format, "f32", true)).kernel();
    CHECK(check(batched, format, {33, 72, 288, 3}, Data::HeavyTails, 0.5f) == "");
    CHECK(check(batched, format, {33, 72, 98, 2}, Data::WholeNumbers, 1) == "");
    for (float alpha : {0.0f, 1e-40f, 3e38f, -INFINITY, NAN})
      CHECK(check(batched, format, {16, 24, 64, 1}, Data::HeavyTails, alpha) == "");
  }
}

TEST_CASE("matmul of 4 bits: what is not generated is refused", "[small][simulated]") {
  if (testDevice().computeCapability().major != 9) return;
  for (const char *tile : {"#mx.swap_tile<>", "a = in_flight, n = 256, stages = 4, buffers = 2"})
    CHECK_THROWS_WITH(compileForDevice(sourceOf(kFormats[0], "bf16", false), tile),
                      Catch::Contains("for elements of 8 bits"));
}
