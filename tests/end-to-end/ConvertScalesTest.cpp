// mx.convert_scales: formats x layouts x blocks, against the host reference.
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

using namespace mxc;

namespace {

struct Side {
  std::string type, layout;
  std::string text(bool isBatched) const {
    return std::string(isBatched ? "memref<?x?x?x" : "memref<?x?x") + type + ", #mx.scale_layout<" + layout +
           ">>";
  }
};

const Side kSides[] = {{"f32", "dense"},           {"f32", "mn_major"},      {"f32", "padded"},
                       {"f8E8M0FNU", "dense"},     {"f8E8M0FNU", "tcgen05"}, {"f8E8M0FNU", "mn_major"},
                       {"f8E8M0FNU", "mn_packed"}, {"f8E8M0FNU", "padded"}};

struct Conversion {
  std::string name;
  Side from, to;
  std::string block = ""; // "1x128 to 1x32"
  Shape repeats = {1, 1};
  int64_t batches = -1; // -1: a matrix

  bool counts() const { return from.type == "f32" && to.type != "f32"; }
  std::string text() const {
    const std::string source = from.text(batches >= 0), destination = to.text(batches >= 0);
    return "mx.kernel @" + name + "(%a: " + source + ", %b: " + destination +
           (counts() ? ", %n: memref<1xi64>" : "") + ") { mx.convert_scales ins(%a : " + source +
           ") outs(%b : " + destination + ")" + (counts() ? " inexact(%n : memref<1xi64>)" : "") +
           (block.empty() ? "" : " block = " + block) + " }\n";
  }
};

// Powers of two, every other one of them no longer; what is no scale at all.
std::vector<std::byte> floatScales(size_t count, uint64_t seed) {
  static const uint32_t rare[] = {0,          0x80000000, 1,          0x00400000, 0x003FFFFF, 0x005FFFFF,
                                  0x00600000, 0x007FFFFF, 0x00800000, 0x7F000000, 0x7F3FFFFF, 0x7F400000,
                                  0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FFFFFFF, 0xFFC00001, 0x7FC00000,
                                  0xBF800000, 0x3F400000, 0x3F3FFFFF};
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(4 * count);
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = uint32_t(random() % 255) << 23;
    if (random() % 2) bits |= uint32_t(random()) & 0x7FFFFF;
    if (random() % 8 == 0) bits = rare[random() % std::size(rare)];
    std::memcpy(&bytes[4 * i], &bits, 4);
  }
  return bytes;
}

std::string check(const Kernel &kernel, const Conversion &conversion, Shape shape) {
  const Shape source{(shape.rows + conversion.repeats.rows - 1) / conversion.repeats.rows,
                     (shape.columns + conversion.repeats.columns - 1) / conversion.repeats.columns};
  const auto count =
      size_t(std::abs(conversion.batches) *
             scaleCount(*scaleLayoutNamed(conversion.from.layout), source.rows, source.columns));
  const std::vector<std::byte> scales = conversion.from.type == "f32" ? floatScales(count, uint64_t(count))
                                                                      : randomBytes(count, uint64_t(count));
  const int64_t held = 41;
  RunCase run;
  run.inputs = {{"a", scales}};
  if (conversion.counts()) run.inputs["n"] = std::as_bytes(std::span(&held, 1));
  run.dimensions = {{"M", shape.rows}, {"KB", shape.columns}};
  if (conversion.batches >= 0) run.dimensions["B"] = conversion.batches;
  run.options.dimensions = run.dimensions;
  const std::string failure = runChecked(kernel, run).failure;
  return failure.empty() ? "" : conversion.text() + text(shape) + "\n" + failure;
}

void checkAll(const std::vector<Conversion> &conversions, std::initializer_list<Shape> shapes) {
  std::string texts;
  for (const Conversion &conversion : conversions)
    texts += conversion.text();
  Module module = compileForDevice(texts);
  for (const Conversion &conversion : conversions) {
    const Kernel kernel = module.kernel(conversion.name);
    for (Shape shape : shapes)
      CHECK(check(kernel, conversion, shape) == "");
  }
}

} // namespace

TEST_CASE("convert_scales: from every format and layout to every other", "[small][simulated][family]") {
  std::vector<Conversion> conversions;
  for (const Side &from : kSides)
    for (const Side &to : kSides)
      conversions.push_back({"k" + std::to_string(conversions.size()), from, to});
  checkAll(conversions, {{1, 1}, {130, 7}, {5, 12}, {0, 3}, {3, 0}});
}

TEST_CASE("convert_scales: smaller blocks", "[small][simulated][family]") {
  const struct {
    const char *block;
    Shape repeats;
  } blocks[] = {{"1x128 to 1x32", {1, 4}},
                {"128x128 to 1x32", {128, 4}},
                {"128x128 to 1x128", {128, 1}},
                {"1x32 to 1x16", {1, 2}},
                {"16x16 to 1x16", {16, 1}}};
  std::vector<Conversion> conversions;
  for (const auto &[block, repeats] : blocks)
    for (const auto &[from, to] : {std::pair(kSides[1], kSides[4]),
                                   {kSides[0], kSides[4]},
                                   {kSides[2], kSides[3]},
                                   {kSides[1], kSides[6]},
                                   {kSides[6], kSides[4]},
                                   {kSides[3], kSides[1]}})
      conversions.push_back({"k" + std::to_string(conversions.size()), from, to, block, repeats});
  conversions.push_back(
      {"two_levels", {"f8E4M3FN", "dense"}, {"f8E4M3FN", "tcgen05"}, "16x16 to 1x16", {16, 1}});
  checkAll(conversions, {{1, 1}, {127, 33}, {129, 4}, {300, 18}, {0, 5}});
}

// Each matrix of a batch has a layout, and padding, of its own.
TEST_CASE("convert_scales: batches", "[small][simulated][family]") {
  std::vector<Conversion> conversions;
  auto add = [&](const Side &from, const Side &to, const char *block, Shape repeats, int64_t batches) {
    conversions.push_back({"k" + std::to_string(conversions.size()), from, to, block, repeats, batches});
  };
  for (const Side &from : kSides)
    add(from, kSides[4].type == from.type ? kSides[4] : kSides[6], "", {1, 1}, 3);
  for (const Side &to : kSides)
    add(kSides[1], to, "", {1, 1}, 2);
  add(kSides[0], kSides[4], "128x128 to 1x32", {128, 4}, 3);
  add(kSides[1], kSides[4], "1x128 to 1x32", {1, 4}, 5);
  add(kSides[6], kSides[4], "1x128 to 1x32", {1, 4}, 1);
  add(kSides[0], kSides[6], "128x128 to 1x128", {128, 1}, 0);
  checkAll(conversions, {{1, 1}, {130, 7}, {257, 12}, {0, 3}});
}

TEST_CASE("convert_scales: sizes that no tensor says are the launch's own", "[small][simulated][family]") {
  const Conversion conversion{"k", kSides[1], kSides[6]};
  const Kernel kernel = compileForDevice(conversion.text()).kernel();
  const std::vector<std::byte> scales =
      floatScales(8 * 3, 1); // mn_major and mn_packed have one shape for both
  const int64_t none = 0;
  for (const int64_t rows : {7, 5}) {
    const Dimensions dimensions = {{"M", rows}, {"KB", 3}};
    const HostTensors inputs = {{"a", scales}, {"n", std::as_bytes(std::span(&none, 1))}};
    GuardedArguments tensors(kernel, dimensions, inputs);
    Stream stream(testDevice());
    kernel.launch(tensors.arguments(), {.stream = stream, .dimensions = dimensions});
    stream.synchronize();
    const std::vector<uint8_t> expected =
        referenceOf(kernel.abi(), dimensions, inputs, nullptr).outputs.at("b");
    CHECK(std::memcmp(tensors.outputs().at("b").data(), expected.data(), expected.size()) == 0);
  }
  const GuardedArguments tensors(kernel, {{"M", 7}, {"KB", 3}},
                                 {{"a", scales}, {"n", std::as_bytes(std::span(&none, 1))}});
  CHECK_THROWS_WITH(kernel.launch(tensors.arguments()),
                    "kernel 'k': no argument says how large dimension M is");
}
