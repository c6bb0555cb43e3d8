// mx.requantize against the host reference; and the same tensors in blocks of 128 on Hopper's FP8 cores and,
// by mx.convert_scales, on chips whose tensor cores take scales.
#include "compiler/reference/OutputComparison.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/Stream.h"
#include "runtime/jit/DeviceCompilation.h"
#include "runtime/launch/GuardedArguments.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/MatrixData.h"
#include "tests/unit/compiler/TileText.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

using namespace mxc;

namespace {

const std::string kMxLayouts[] = {"dense", "tcgen05", "mn_major"};

struct Requantize {
  std::string element = "f8E4M3FN", layout = "tcgen05", resultLayout = "mn_major", losses = "ne", name = "k";

  bool counts() const { return losses.find('n') != std::string::npos; }
  bool measures() const { return losses.find('e') != std::string::npos; }
  std::string text(const std::string &stride = "") const {
    const std::string q = "memref<?x?x" + element +
                          (stride.empty() ? ">" : ", strided<[" + stride + ", 1]>>"),
                      s = "memref<?x?xf8E8M0FNU, #mx.scale_layout<" + layout + ">>",
                      t = "memref<?x?xf32, #mx.scale_layout<" + resultLayout + ">>";
    return "mx.kernel @" + name + "(%q: " + q + ", %s: " + s + ", %r: " + q + ", %t: " + t +
           (counts() ? ", %n: memref<1xi64>" : "") + (measures() ? ", %e: memref<1xf32>" : "") +
           ") {\n  mx.requantize ins(%q, %s : " + q + ", " + s + ") outs(%r, %t : " + q + ", " + t + ")" +
           (counts() ? " inexact(%n : memref<1xi64>)" : "") +
           (measures() ? " error(%e : memref<1xf32>)" : "") + "\n}\n";
  }
};

// Neighbours differ by little, by much, or are NaN or at an end of ue8m0.
std::vector<std::byte> blockScales(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> scales(count);
  for (std::byte &scale : scales) {
    uint32_t byte = 120 + uint32_t(random() % 6);
    if (random() % 8 == 0) byte = uint32_t(random() % 256);
    if (random() % 32 == 0) byte = std::array{0u, 1u, 254u, 255u}[random() % 4];
    scale = std::byte(byte);
  }
  return scales;
}

// Codes of every value; rows of small ones, of zeros.
std::vector<std::byte> codesOf(Shape shape, uint64_t seed) {
  std::vector<std::byte> codes = randomBytes(size_t(shape.rows * shape.columns), seed);
  for (size_t i = 0; i < codes.size(); ++i)
    switch (i / 32 % 5) {
    case 0:
      codes[i] &= std::byte{0x8F};
      break;
    case 1:
      codes[i] &= std::byte{0x80};
      break;
    case 2:
      codes[i] &= std::byte{0xF7};
      break;
    default:
      break;
    }
  return codes;
}

std::string check(const Kernel &kernel, const Requantize &source, Shape shape, const std::string &tile = {},
                  GuardedArguments::Placements placements = {}) {
  const ScaleLayout layout = *scaleLayoutNamed(source.layout);
  const std::vector<std::byte> codes = codesOf(shape, 1),
                               scales = blockScales(
                                   size_t(scaleCount(layout, shape.rows, (shape.columns + 31) / 32)), 2);
  const int64_t counted = 7;
  const float error = 0.001f;
  RunCase run;
  run.inputs = {{"q", codes}, {"s", scales}};
  if (source.counts()) run.inputs["n"] = std::as_bytes(std::span(&counted, 1));
  if (source.measures()) run.inputs["e"] = std::as_bytes(std::span(&error, 1));
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, tile);
  return outcome.failure.empty()
             ? ""
             : source.text() + text(shape) + " <" + outcome.tile + ">\n" + outcome.failure;
}

} // namespace

TEST_CASE("requantize: elements x layouts x what is counted x shapes", "[small][simulated][family]") {
  static const char *const kOthers[] = {"", "n", "e"};
  std::vector<Requantize> sources;
  for (const char *element : {"f8E4M3FN", "f8E5M2"})
    for (const std::string &layout : kMxLayouts)
      for (const char *losses : {"ne", kOthers[sources.size() / 2 % std::size(kOthers)]})
        sources.push_back({element, layout, sources.size() % 2 ? "mn_major" : "dense", losses,
                           "k" + std::to_string(sources.size())});
  std::string texts;
  for (const Requantize &source : sources)
    texts += source.text();
  Module module = compileForDevice(texts);
  for (const Requantize &source : sources) {
    const Kernel kernel = module.kernel(source.name);
    for (Shape shape : {Shape{1, 1}, {127, 33}, {130, 400}, {33, 1040}, {0, 64}, {64, 0}})
      CHECK(check(kernel, source, shape) == "");
  }
}

TEST_CASE("requantize: forced tiles, strided rows and odd addresses", "[small][simulated][family]") {
  for (const char *tile : {"rows_per_warp = 1", "lane_elements = 16", "lane_elements = 32, warps = 2",
                           "lane_elements = 4, order = rows", "rows_per_warp = 4, access = element"}) {
    const Requantize source;
    const Kernel kernel = compileForDevice(source.text(), tile).kernel();
    CHECK(check(kernel, source, {130, 384}, wholeTile(tile)) == "");
    CHECK(check(kernel, source, {3, 333}) == "");
  }
  const Requantize source;
  const Kernel kernel = compileForDevice(source.text("?")).kernel();
  CHECK(check(kernel, source, {129, 512}, "access = vector", {{"q", {528, 0}}, {"r", {560, 0}}}) == "");
  CHECK(check(kernel, source, {129, 512}, "access = element", {{"q", {513, 0}}, {"r", {512, 1}}}) == "");
}

namespace {

// MXFP4 to NVFP4.
std::string twoLevelText(const std::string &name, const std::string &layout, const std::string &resultLayout,
                         bool counts, const std::string &stride = "") {
  const std::string q = "memref<?x?xf4E2M1FN" + (stride.empty() ? ">" : ", strided<[" + stride + ", 1]>>"),
                    s = "memref<?x?xf8E8M0FNU, #mx.scale_layout<" + layout + ">>",
                    t = "memref<?x?xf8E4M3FN, #mx.scale_layout<" + resultLayout + ">>";
  return "mx.kernel @" + name + "(%q: " + q + ", %s: " + s + ", %u: memref<1xf32>, %r: " + q + ", %t: " + t +
         (counts ? ", %n: memref<1xi64>, %e: memref<1xf32>" : "") + ") {\n  mx.requantize ins(%q, %s : " + q +
         ", " + s + ") tensor_scale(%u : memref<1xf32>) outs(%r, %t : " + q + ", " + t + ")" +
         (counts ? " inexact(%n : memref<1xi64>) error(%e : memref<1xf32>)" : "") + "\n}\n";
}

std::string checkTwoLevel(const Kernel &kernel, Shape shape, float tensorScale, const std::string &tile = {},
                          GuardedArguments::Placements placements = {}) {
  const ScaleLayout layout = scaleLayoutOf(argumentOf(kernel.abi(), "s"));
  const std::vector<std::byte> codes = randomBytes(size_t(shape.rows * shape.columns / 2), 1);
  const std::vector<std::byte> scales =
      blockScales(size_t(scaleCount(layout, shape.rows, (shape.columns + 31) / 32)), 2);
  const int64_t counted = 7;
  const float error = 0.001f;
  RunCase run;
  run.inputs = {{"q", codes}, {"s", scales}, {"u", std::as_bytes(std::span(&tensorScale, 1))}};
  if (kernel.abi().argumentOf(ArgumentRole::Inexact)) {
    run.inputs["n"] = std::as_bytes(std::span(&counted, 1));
    run.inputs["e"] = std::as_bytes(std::span(&error, 1));
  }
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, tile);
  return outcome.failure.empty() ? "" : text(shape) + " <" + outcome.tile + ">\n" + outcome.failure;
}

} // namespace

TEST_CASE("requantize to two levels: layouts x shapes x tensor scales", "[small][simulated]") {
  std::string texts;
  int number = 0;
  for (const std::string &layout : kMxLayouts)
    for (const char *resultLayout : {"dense", "tcgen05", "mn_major"}) {
      texts += twoLevelText("k" + std::to_string(number), layout, resultLayout, number % 3 != 0);
      ++number;
    }
  Module module = compileForDevice(texts);
  for (const KernelAbi &abi : module.abi().kernels) {
    const Kernel kernel = module.kernel(abi.name);
    for (Shape shape : {Shape{1, 2}, {127, 34}, {130, 400}, {33, 1040}, {129, 24}, {0, 64}, {64, 0}})
      CHECK(checkTwoLevel(kernel, shape, 0x1p-7f) == "");
    for (float tensorScale : {1.0f, 0.37f, 2688.0f, -0x1p-4f, 3e-38f, 2e38f, 0.0f, INFINITY, NAN})
      CHECK(checkTwoLevel(kernel, {33, 96}, tensorScale) == "");
  }
}

TEST_CASE("requantize to two levels: forced tiles, strided rows and odd addresses", "[small][simulated]") {
  for (const char *tile : {"rows_per_warp = 1", "lane_elements = 16", "warps = 2, order = rows",
                           "rows_per_warp = 4, lane_elements = 4, access = element"}) {
    const Kernel kernel = compileForDevice(twoLevelText("k", "tcgen05", "tcgen05", true), tile).kernel();
    CHECK(checkTwoLevel(kernel, {130, 384}, 0x1p-7f, wholeTile(tile)) == "");
    CHECK(checkTwoLevel(kernel, {3, 334}, 0.37f) == "");
  }
  const Kernel kernel = compileForDevice(twoLevelText("k", "dense", "dense", false, "?")).kernel();
  CHECK(checkTwoLevel(kernel, {129, 512}, 1, "access = vector", {{"q", {528, 0}}, {"r", {560, 0}}}) == "");
  CHECK(checkTwoLevel(kernel, {129, 512}, 1, "access = element", {{"q", {514, 0}}, {"r", {512, 2}}}) == "");
}

namespace {

using Outputs = GuardedArguments::Outputs;

// Compiled for a device, run there and held against the reference.
Outputs runOn(const Device &device, const std::string &source, const HostTensors &inputs,
              const Dimensions &dimensions) {
  INFO(source);
  const std::string image = compileFor(device, source, "kernel", {}).output;
  const Kernel kernel = Module::fromImage(device, std::as_bytes(std::span(image))).kernel();
  GuardedArguments tensors(kernel, dimensions, inputs);
  Stream stream(device);
  kernel.prepare(tensors.arguments(), {.dimensions = dimensions}).launch(stream);
  stream.synchronize();
  CHECK_FALSE(tensors.damage());
  Outputs outputs = tensors.outputs();
  const KernelReference reference = referenceOf(kernel.abi(), dimensions, inputs, nullptr);
  for (const OutputComparison &output :
       compareOutputs(kernel.abi(), dimensions, reference, HostTensors(outputs.begin(), outputs.end())))
    CHECK(output.wrong == 0);
  return outputs;
}

struct Factors {
  std::vector<std::byte> a, sa, b, sb; // codes and f32 scales: sa mn_major, sb dense or mn_major
};

const std::string kCodes = "memref<?x?xf8E4M3FN>", kLines = "memref<?x?xf32, #mx.scale_layout<mn_major>>",
                  kNumbers = "memref<?x?xf32>", kTiles = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";

std::string product(const std::string &sa, const std::string &sb, const std::string &clauses) {
  return "mx.kernel @product(%a: " + kCodes + ", %sa: " + sa + ", %b: " + kCodes + ", %sb: " + sb +
         ", %c: " + kNumbers + ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + kCodes + ", " + sa + ", " +
         kCodes + ", " + sb + ") outs(%c : " + kNumbers + ") " + clauses + "\n}\n";
}

// Scales for blocks of 32 on the device, none of which is no power of two.
std::vector<std::byte> converted(const Device &device, const std::string &type, const std::string &block,
                                 std::span<const std::byte> scales, int64_t rows, int64_t k) {
  const int64_t none = 0;
  Outputs outputs =
      runOn(device,
            "mx.kernel @convert(%s: " + type + ", %t: " + kTiles +
                ", %n: memref<1xi64>) {\n  mx.convert_scales ins(%s : " + type + ") outs(%t : " + kTiles +
                ") inexact(%n : memref<1xi64>) block = " + block + " to 1x32\n}\n",
            {{"s", scales}, {"n", std::as_bytes(std::span(&none, 1))}}, {{"M", rows}, {"KB", (k + 31) / 32}});
  CHECK(std::memcmp(outputs.at("n").data(), &none, sizeof none) == 0);
  return outputs.at("t");
}

// c of the same tensors: by promotion on Hopper, elsewhere by the tensor core's scales.
std::vector<float> multiplied(const Device &device, const Factors &f, const std::string &blockB, int64_t m,
                              int64_t n, int64_t k) {
  const std::string typeB = blockB == "1x128" ? kLines : kNumbers;
  HostTensors inputs = {{"a", f.a}, {"sa", f.sa}, {"b", f.b}, {"sb", f.sb}};
  std::vector<std::byte> ta, tb;
  std::string text = product(kLines, typeB, "block = 1x128 by " + blockB);
  if (device.computeCapability().major != 9) {
    ta = converted(device, kLines, "1x128", f.sa, m, k), tb = converted(device, typeB, blockB, f.sb, n, k);
    inputs["sa"] = ta, inputs["sb"] = tb;
    text = product(kTiles, kTiles, "");
  }
  const Outputs outputs = runOn(device, text, inputs, {{"M", m}, {"N", n}, {"K", k}});
  std::vector<float> c(size_t(m * n));
  std::memcpy(c.data(), outputs.at("c").data(), 4 * c.size());
  return c;
}

std::vector<std::byte> powersOfTwo(size_t count, int spread, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(4 * count);
  for (size_t i = 0; i < count; ++i) {
    const float scale = std::ldexp(1.0f, int(random() % uint64_t(spread)) - spread / 2);
    std::memcpy(&bytes[4 * i], &scale, 4);
  }
  return bytes;
}

// Codes without NaN; of integers up to 4 that have few bits, where sums are exact on every chip.
std::vector<std::byte> finiteCodes(size_t count, bool areIntegers, uint64_t seed) {
  std::vector<std::byte> codes = randomBytes(count, seed);
  static const uint8_t integers[] = {0x00, 0x38, 0x40, 0x44, 0x48, 0xB8, 0xC0, 0xC8};
  for (std::byte &code : codes)
    if (areIntegers)
      code = std::byte(integers[size_t(code) % 8]);
    else if ((code & std::byte{0x7F}) == std::byte{0x7F})
      code = std::byte{0x38};
  return codes;
}

// The first simulated chip of a run of tests makes the others; a GPU has none beside it.
std::vector<Device> chips(std::initializer_list<const char *> names = {"sm_90a", "sm_100a", "sm_103a",
                                                                       "sm_120a"}) {
  std::vector<Device> devices;
  if (isSimulated() && onWarpgroups())
    for (const std::string name : names)
      devices.push_back(openDevice("simulator:" + name));
  return devices;
}

double valueAt(const std::vector<std::byte> &codes, size_t index) {
  return decode(ElementFormat::E4M3, uint8_t(codes[index]));
}

// The largest |c - d| as a part of the sum of the terms' magnitudes, with all scales at one.
double distance(const std::vector<float> &c, const std::vector<float> &d, const Factors &f, int64_t n,
                int64_t k, float scale) {
  double largest = 0;
  for (size_t i = 0; i < c.size(); ++i) {
    double magnitudes = 0;
    const size_t row = i / size_t(n) * size_t(k), column = i % size_t(n) * size_t(k);
    for (size_t j = 0; j < size_t(k); ++j)
      magnitudes += std::fabs(valueAt(f.a, row + j) * valueAt(f.b, column + j)) * double(scale);
    largest = std::max(largest, std::fabs(double(c[i]) - double(d[i])) / magnitudes);
  }
  return largest;
}

} // namespace

TEST_CASE("blocks of 128 on every chip: integers have the same bytes", "[small][simulated]") {
  const int64_t m = 70, n = 136, k = 400;
  const bool isByRows = GENERATE(false, true);
  const std::string blockB = isByRows ? "1x128" : "128x128";
  const size_t scalesB = isByRows ? size_t(scaleCount(ScaleLayout::MnMajor, n, 4)) : 2 * 4;
  const Factors f{finiteCodes(size_t(m * k), true, 1),
                  powersOfTwo(size_t(scaleCount(ScaleLayout::MnMajor, m, 4)), 4, 2),
                  finiteCodes(size_t(n * k), true, 3), powersOfTwo(scalesB, 4, 4)};
  std::vector<float> first;
  for (const Device &device : isByRows ? chips({"sm_90a", "sm_100a"}) : chips()) {
    const std::vector<float> c = multiplied(device, f, blockB, m, n, k);
    if (first.empty()) first = c;
    CHECK(c == first);
  }
}

TEST_CASE("blocks of 128 on every chip: other numbers lie within both bounds", "[small][simulated]") {
  const int64_t m = 33, n = 130, k = 520, blocks = 5;
  std::vector<std::byte> ones = powersOfTwo(size_t(scaleCount(ScaleLayout::MnMajor, m, blocks)), 1, 2),
                         weights = powersOfTwo(2 * blocks, 1, 4);
  const Factors f{finiteCodes(size_t(m * k), false, 1), ones, finiteCodes(size_t(n * k), false, 3), weights};
  std::vector<float> first;
  for (const Device &device : chips({"sm_90a", "sm_100a", "sm_120a"})) {
    const std::vector<float> c = multiplied(device, f, "128x128", m, n, k); // each within its own bound
    if (first.empty()) first = c;
    // P2 of one chip; of the other 2^-13 a step for each of its 33 terms at most, and for its sum (B1).
    CHECK(distance(c, first, f, n, k, 1) <= 0x1p-12 + 34 * 0x1p-13);
  }
}

TEST_CASE("an MXFP8 checkpoint on every chip, in blocks of 128", "[small][simulated]") {
  const int64_t m = 40, n = 72, k = 304;
  auto mx = [&](int64_t rows, uint64_t seed) { // nothing that blocks of 128 could not hold
    std::vector<std::byte> scales(size_t(scaleCount(ScaleLayout::Tcgen05, rows, (k + 31) / 32)));
    std::mt19937_64 random(seed);
    for (std::byte &scale : scales)
      scale = std::byte(127 + random() % 3);
    return scales;
  };
  const std::vector<std::byte> qa = finiteCodes(size_t(m * k), true, 1),
                               qb = finiteCodes(size_t(n * k), true, 2);
  std::vector<float> first;
  for (const Device &device : chips()) {
    Factors f;
    for (auto [codes, rows, seed, to, scales] :
         {std::tuple(&qa, m, 3, &f.a, &f.sa), std::tuple(&qb, n, 4, &f.b, &f.sb)}) {
      const int64_t none = 0;
      const std::vector<std::byte> blocks = mx(rows, uint64_t(seed));
      Requantize source;
      source.losses = "n";
      Outputs outputs = runOn(device, source.text(),
                              {{"q", *codes}, {"s", blocks}, {"n", std::as_bytes(std::span(&none, 1))}},
                              {{"M", rows}, {"K", k}});
      CHECK(std::memcmp(outputs.at("n").data(), &none, sizeof none) == 0);
      *to = outputs.at("r"), *scales = outputs.at("t");
    }
    const std::vector<float> c = multiplied(device, f, "1x128", m, n, k);
    if (first.empty()) first = c;
    CHECK(c == first);
  }
}
