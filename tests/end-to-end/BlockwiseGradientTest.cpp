// mx.grouped_matmul with groups of K, of copies in blocks of 1x128: every byte is the reference's, and that
// of mx.matmul of each group's part of K.
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/BlockwiseData.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/GroupCases.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

using namespace mxc;

namespace {

struct Source {
  std::string output = "f32", clauses = {};

  std::string operands() const {
    const std::string codes = "memref<?x?xf8E4M3FN>", lines = "memref<?x?xf32, #mx.scale_layout<mn_major>>";
    return "ins(%a, %sa, %b, %sb : " + codes + ", " + lines + ", " + codes + ", " + lines + ")";
  }
  std::string kernel(const std::string &ends, const std::string &c, const std::string &body) const {
    const std::string codes = "memref<?x?xf8E4M3FN>", lines = "memref<?x?xf32, #mx.scale_layout<mn_major>>";
    return "mx.kernel @k(%a: " + codes + ", %sa: " + lines + ", %b: " + codes + ", %sb: " + lines + ends +
           ", %c: " + c + ") {\n  " + body + " outs(%c : " + c + ") block = 1x128 " + clauses + "\n}\n";
  }
  /// Arguments a, sa, b, sb, ends, c.
  std::string text() const {
    return kernel(", %ends: memref<?xi32>", "memref<?x?x?x" + output + ">",
                  "mx.grouped_matmul " + operands() + " groups(%ends : memref<?xi32>)");
  }
  /// The same of one group, as mx.matmul.
  std::string dense() const { return kernel("", "memref<?x?x" + output + ">", "mx.matmul " + operands()); }
};

/// As mx.quantize writes them along columns: zeros after each group. What is past the last one is NaN.
struct Operand {
  Operand(int64_t rows, int64_t k, const std::vector<RowGroup> &groups, uint64_t seed, bool specials)
      : rows(rows), k(k), blocks((k + 127) / 128), codes(size_t(rows * k), std::byte{0xFF}),
        scales(size_t(scaleCount(ScaleLayout::MnMajor, rows, blocks)),
               std::numeric_limits<float>::quiet_NaN()) {
    BlockwiseRandom random(seed, specials);
    for (const RowGroup &group : groups)
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t end = group.rows() ? std::min((group.end + 127) / 128 * 128, k) : group.begin;
        for (int64_t i = group.begin; i < end; ++i)
          codes[size_t(row * k + i)] = i < group.end ? random.code("f8E4M3FN") : std::byte{0};
        for (int64_t block = group.begin / 128; block * 128 < end; ++block)
          scales[at(row, block)] = random.scale();
      }
  }

  size_t at(int64_t row, int64_t block) const {
    return size_t(scaleOffset(ScaleLayout::MnMajor, row, block, rows, blocks));
  }

  /// A group's columns as a matrix of their own.
  Operand part(const RowGroup &group) const {
    Operand own(rows, group.rows(), {}, 0, false);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(codes.begin() + row * k + group.begin, own.k, own.codes.begin() + row * own.k);
      for (int64_t block = 0; block < own.blocks; ++block)
        own.scales[own.at(row, block)] = scales[at(row, group.begin / 128 + block)];
    }
    return own;
  }

  int64_t rows, k, blocks;
  std::vector<std::byte> codes;
  std::vector<float> scales;
};

HostTensors inputsOf(const Operand &a, const Operand &b) {
  return {{"a", a.codes},
          {"sa", std::as_bytes(std::span(a.scales))},
          {"b", b.codes},
          {"sb", std::as_bytes(std::span(b.scales))}};
}

struct Data {
  Data(const GradientCase &c, bool specials)
      : ends(endsOf(c.lengths, 128)), k((ends.empty() ? 0 : ends.back()) + c.tail),
        groups(rowGroups(ends, k, 128)), a(c.m, k, groups, 1, specials), b(c.n, k, groups, 2, specials) {}

  std::vector<int32_t> ends;
  int64_t k;
  std::vector<RowGroup> groups;
  Operand a, b;
};

RunOutcome run(const Kernel &kernel, const Source &source, const GradientCase &c, const Data &data) {
  RunCase run;
  run.inputs = inputsOf(data.a, data.b);
  run.inputs["ends"] = std::as_bytes(std::span(data.ends));
  const int64_t groups = int64_t(data.ends.size());
  run.dimensions = {{"M", c.m}, {"N", c.n}, {"K", data.k}, {"G", groups}};
  const std::vector<std::byte> sum =
      matrixData(floatTypeNamed(source.output), groups * c.m, c.n, 4, /*finite=*/true);
  if (source.clauses.ends_with("accumulate")) run.inputs["c"] = sum;
  return runChecked(kernel, run);
}

std::string check(const Kernel &kernel, const Source &source, const GradientCase &c, bool specials = false) {
  const RunOutcome outcome = run(kernel, source, c, Data(c, specials));
  return outcome.failure.empty() ? "" : text(c) + " <" + outcome.tile + ">\n" + outcome.failure;
}

constexpr const char *kTiles[] = {
    "m = 192, n = 256, stages = 4, ctas = 2, share = a", "m = 256, n = 128, stages = 3",
    "m = 256, n = 64, ctas = 2, stages = 3, buffers = 1", "n = 128, stages = 4, supergroup = 2, store = rows",
    "n = 128, stages = 4, load = element, store = rows"};

const GradientCase kCases[] = {{{0, 1, 31, 44, 128, 129, 300, 0}, 136, 72, 36},
                               {{1}, 8, 32, 15},
                               {{700}, 264, 136, 4},
                               {{0, 0, 0}, 64, 64, 144},
                               {{200, 0, 208}, 72, 48, 0},
                               {{5, 0, 130}, 33, 21, 3}};

} // namespace

TEST_CASE("grouped blockwise products: groups of K, forced tiles", "[small]") {
  if (!onWarpgroups()) return;
  const Source source = {.clauses = "ragged = k"};
  for (const char *tile : kTiles) {
    INFO(tile << "\n" << source.text());
    const Kernel kernel = compileForDevice(source.text(), tile).kernel();
    for (const GradientCase &c : kCases)
      for (bool specials : {false, true})
        CHECK(check(kernel, source, c, specials) == "");
  }
}

TEST_CASE("grouped blockwise products: groups of K, results that are added to", "[small][simulated]") {
  if (!onWarpgroups()) return;
  for (const Source &source :
       {Source{.clauses = "ragged = k"}, Source{.output = "bf16", .clauses = "ragged = k accumulate"}}) {
    INFO(source.text());
    const Kernel kernel = compileForDevice(source.text()).kernel();
    for (const GradientCase &c : kCases)
      CHECK(check(kernel, source, c) == "");
    CHECK(check(kernel, source, {{}, 64, 64, 128}) == ""); // no groups
    CHECK(check(kernel, source, {{0, 0}, 40, 24}) == "");  // no tokens
  }
}

TEST_CASE("grouped blockwise products: a group of K has the bits of its dense product",
          "[small][simulated]") {
  if (!onWarpgroups()) return;
  const Source source = {.clauses = "ragged = k"};
  const Kernel grouped = compileForDevice(source.text(), kTiles[0]).kernel(),
               dense = compileForDevice(Source{}.dense(), kTiles[1]).kernel();
  const GradientCase c = {{16, 128, 0, 304, 144}, 136, 72, 16};
  const Data data(c, /*specials=*/true);
  const RunOutcome outcome = run(grouped, source, c, data);
  CHECK(outcome.failure == "");
  const size_t bytes = size_t(c.m * c.n) * 4;
  for (size_t g = 0; g < data.groups.size(); ++g) {
    const RowGroup &group = data.groups[g];
    if (!group.rows()) continue;
    const Operand a = data.a.part(group), b = data.b.part(group);
    RunCase own;
    own.inputs = inputsOf(a, b);
    own.dimensions = {{"M", c.m}, {"N", c.n}, {"K", group.rows()}};
    const RunOutcome alone = runChecked(dense, own);
    CHECK(alone.failure == "");
    INFO("group " << g << ", " << alone.tile);
    CHECK(std::ranges::equal(std::as_bytes(std::span(outcome.outputs.at("c"))).subspan(g * bytes, bytes),
                             std::as_bytes(std::span(alone.outputs.at("c")))));
  }
}

// What lies between groups and past them is what the quantizer leaves there: zeros, and a guard's poison.
TEST_CASE("grouped blockwise products: groups of K, of the quantizer's copies", "[small][simulated]") {
  if (!onWarpgroups()) return;
  const std::vector<int32_t> ends = {100, 100, 300, 521};
  const int64_t tokens = 656, m = 72, n = 48, groups = int64_t(ends.size());
  QuantizeText text;
  text.layout = "mn_major", text.clauses = "rounding = nearest";
  text.block = "1x128", text.axis = "axis = column", text.align = "128";
  const Kernel quantize = compileForDevice(text.text()).kernel(),
               multiply = compileForDevice(Source{.clauses = "ragged = k"}.text()).kernel();
  auto quantized = [&](int64_t features, int seed) {
    const std::vector<std::byte> x = matrixData(FloatType::BF16, tokens, features, seed, /*finite=*/true);
    RunCase run;
    run.inputs = {{"x", x}, {"ends", std::as_bytes(std::span(ends))}};
    run.dimensions = {{"M", tokens}, {"K", features}, {"G", groups}};
    RunOutcome outcome = runChecked(quantize, run);
    CHECK(outcome.failure == "");
    return outcome.outputs;
  };
  const GuardedArguments::Outputs a = quantized(m, 1), b = quantized(n, 2);
  RunCase run;
  run.inputs = {{"a", std::as_bytes(std::span(a.at("q")))},
                {"sa", std::as_bytes(std::span(a.at("s")))},
                {"b", std::as_bytes(std::span(b.at("q")))},
                {"sb", std::as_bytes(std::span(b.at("s")))},
                {"ends", std::as_bytes(std::span(ends))}};
  run.dimensions = {{"M", m}, {"N", n}, {"K", tokens}, {"G", groups}};
  CHECK(runChecked(multiply, run).failure == "");
}

TEST_CASE("grouped blockwise products: groups of K, large", "[large]") {
  if (!onWarpgroups()) return;
  const Source source = {.clauses = "ragged = k"};
  const Kernel kernel = compileForDevice(source.text()).kernel();
  CHECK(check(kernel, source, {{1000, 0, 513, 700, 1, 77}, 536, 392, 112}) == "");
}
