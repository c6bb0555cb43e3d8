// mx.grouped_matmul with groups of K, which gives the gradients of experts' weights: against the product in
// f64, and bit for bit against mx.matmul of each group's part of K; empty groups.
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/GroupCases.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc;

namespace {

struct GradientText {
  std::string output = "f32", clauses = {};

  /// One mx.grouped_matmul of arguments a, sa, b, sb, ends, c.
  std::string text() const {
    const std::string codes = "memref<?x?xf8E4M3FN>",
                      scales = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>",
                      c = "memref<?x?x?x" + output + ">";
    return "mx.kernel @k(%a: " + codes + ", %sa: " + scales + ", %b: " + codes + ", %sb: " + scales +
           ", %ends: memref<?xi32>, %c: " + c + ") {\n  mx.grouped_matmul ins(%a, %sa, %b, %sb : " + codes +
           ", " + scales + ", " + codes + ", " + scales + ") groups(%ends : memref<?xi32>) outs(%c : " + c +
           ") ragged = k " + clauses + "\n}\n";
  }
};

/// As mx.quantize writes them along columns: zeros after each group. What is past the last one is NaN.
class Operand {
public:
  Operand(int64_t rows, int64_t k, const std::vector<RowGroup> &groups, uint64_t seed)
      : rows_(rows), k_(k), blocks_((k + 31) / 32), random_(seed), codes(size_t(rows * k), std::byte{0xFF}),
        scales(size_t(scaleCount(ScaleLayout::Tcgen05, rows, blocks_)), std::byte{0xFF}) {
    for (const RowGroup &group : groups) {
      if (!group.rows()) continue;
      const int64_t end = (group.end + 127) / 128 * 128; // of what the quantizer writes
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = group.begin; i < std::min(end, k); ++i)
          codes[size_t(r * k + i)] = i < group.end ? code() : std::byte{0};
      for (int64_t r = 0; r < (rows + 127) / 128 * 128; ++r)
        for (int64_t block = group.begin / 32; block < end / 32; ++block)
          scales[size_t(scaleOffset(ScaleLayout::Tcgen05, r, block, rows, blocks_))] =
              std::byte(r < rows && block * 32 < group.end ? 118 + random_() % 16 : 0);
    }
  }

  /// A group's columns as a matrix of their own.
  std::pair<std::vector<std::byte>, std::vector<std::byte>> part(const RowGroup &group) const {
    const int64_t length = group.rows(), blocks = (length + 31) / 32;
    std::vector<std::byte> own, ownScales(size_t(scaleCount(ScaleLayout::Tcgen05, rows_, blocks)));
    for (int64_t r = 0; r < rows_; ++r)
      own.insert(own.end(), codes.begin() + r * k_ + group.begin, codes.begin() + r * k_ + group.end);
    for (int64_t r = 0; r < rows_; ++r)
      for (int64_t block = 0; block < blocks; ++block)
        ownScales[size_t(scaleOffset(ScaleLayout::Tcgen05, r, block, rows_, blocks))] =
            scales[size_t(scaleOffset(ScaleLayout::Tcgen05, r, group.begin / 32 + block, rows_, blocks_))];
    return {own, ownScales};
  }

private:
  std::byte code() {
    const uint32_t code = random_() & 0xFF;
    return std::byte((code & 0x7F) == 0x7F ? code & 0xB7 : code);
  }
  int64_t rows_, k_, blocks_;
  std::mt19937_64 random_;

public:
  std::vector<std::byte> codes, scales;
};

class GradientData {
public:
  explicit GradientData(const GradientCase &c)
      : ends(endsOf(c.lengths, 128)), k((ends.empty() ? 0 : ends.back()) + c.tail),
        groups(rowGroups(ends, k, 128)), a(c.m, k, groups, 1), b(c.n, k, groups, 2) {}
  HostTensors inputs() const {
    return {{"a", a.codes},
            {"sa", a.scales},
            {"b", b.codes},
            {"sb", b.scales},
            {"ends", std::as_bytes(std::span(ends))}};
  }

  std::vector<int32_t> ends;
  int64_t k;
  std::vector<RowGroup> groups;
  Operand a, b;
};

RunOutcome run(const Kernel &kernel, const GradientText &source, const GradientCase &c,
               const GradientData &data) {
  RunCase run;
  run.inputs = data.inputs();
  const int64_t groups = int64_t(data.ends.size());
  run.dimensions = {{"M", c.m}, {"N", c.n}, {"K", data.k}, {"G", groups}};
  std::vector<std::byte> sum =
      matrixData(floatTypeNamed(source.output), groups * c.m, c.n, 4, /*finite=*/true);
  if (source.clauses == "accumulate") run.inputs["c"] = sum;
  return runChecked(kernel, run);
}

std::string check(const Kernel &kernel, const GradientText &source, const GradientCase &c,
                  const std::string &expectedTile = {}) {
  RunOutcome outcome = run(kernel, source, c, GradientData(c));
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  return outcome.failure.empty() ? "" : text(c) + " <" + outcome.tile + ">\n" + outcome.failure;
}

std::vector<std::string> tiles() {
  if (onWarpgroups())
    return {"m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight",
            "n = 128, stages = 4, store = rows, a = in_flight",
            "m = 256, n = 256, ctas = 2, stages = 4",
            "m = 256, n = 256, ctas = 2, stages = 4, scheduler = counter, a = in_flight",
            "m = 256, n = 256, ctas = 2, stages = 4, scheduler = counter, a = copied_alone, share = a",
            "n = 256, ctas = 2, stages = 4, buffers = 2, a = copied_alone, share = a",
            "n = 128, stages = 4, load = element, store = rows"};
  if (onWarps())
    return {"stages = 2, buffers = 1", "n = 64, stages = 3, supergroup = 2, buffers = 1",
            "n = 64, stages = 2, store = rows", "n = 64, stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 4",
          "n = 128, supergroup = 2",
          "n = 192, store = rows",
          "m = 256, n = 64, ctas = 2, scheduler = counter",
          "m = 256, n = 64, ctas = 2, scheduler = clc",
          "n = 64, load = element, store = rows"};
}

const GradientCase kCases[] = {{{0, 1, 31, 44, 128, 129, 300, 0}, 136, 72, 36},
                               {{1}, 8, 32, 15},
                               {{700}, 264, 136, 4},
                               {{0, 0, 0}, 64, 64, 144},
                               {{200, 0, 208}, 72, 48, 0}};

} // namespace

TEST_CASE("grouped products: groups of K, forced tiles", "[small]") {
  for (const std::string &tile : tiles()) {
    GradientText source;
    INFO(tile << "\n" << source.text());
    Kernel kernel = compileForDevice(source.text(), tile).kernel();
    for (const GradientCase &c : kCases)
      CHECK(check(kernel, source, c) == "");
    CHECK(check(kernel, source, {{5, 0, 130}, 33, 21, 3}) == ""); // takes another tile, or this one
  }
}

TEST_CASE("grouped products: groups of K, results that are added to", "[small][simulated]") {
  for (const GradientText &source : {GradientText{}, GradientText{.clauses = "accumulate"},
                                     GradientText{.output = "bf16", .clauses = "accumulate"},
                                     GradientText{.output = "bf16", .clauses = "reduction = sequential"}}) {
    INFO(source.text());
    Kernel kernel = compileForDevice(source.text()).kernel();
    for (const GradientCase &c : kCases)
      CHECK(check(kernel, source, c) == "");
    CHECK(check(kernel, source, {{}, 64, 64, 128}) == ""); // no groups
    CHECK(check(kernel, source, {{0, 0}, 40, 24}) == "");  // no tokens
    CHECK(check(kernel, source, {{5, 0, 130}, 33, 21, 3}) == "");
  }
}

TEST_CASE("grouped products: a group of K has the bits of its dense product", "[small][simulated]") {
  const std::string tile = onWarps()        ? "n = 64, stages = 3, buffers = 1"
                           : onWarpgroups() ? "n = 256, stages = 5, buffers = 2, a = in_flight"
                                            : "m = 256, n = 128, ctas = 2, stages = 4";
  GradientText source;
  Kernel grouped = compileForDevice(source.text(), tile).kernel(),
         dense = compileForDevice(MatmulText{.output = "f32"}.text(), tile).kernel();
  const GradientCase c = {
      {16, 128, 0, 304, 144}, 136, 72, 16}; // rows at multiples of 16 bytes in the parts too
  const GradientData data(c);
  RunOutcome outcome = run(grouped, source, c, data);
  CHECK(outcome.failure == "");
  const size_t bytes = size_t(c.m * c.n) * 4;
  for (size_t g = 0; g < data.groups.size(); ++g) {
    if (!data.groups[g].rows()) continue;
    auto [a, sa] = data.a.part(data.groups[g]);
    auto [b, sb] = data.b.part(data.groups[g]);
    RunCase own;
    own.inputs = {{"a", a}, {"sa", sa}, {"b", b}, {"sb", sb}};
    own.dimensions = {{"M", c.m}, {"N", c.n}, {"K", data.groups[g].rows()}};
    RunOutcome alone = runChecked(dense, own);
    CHECK(alone.failure == "");
    INFO("group " << g << ", " << alone.tile);
    CHECK(std::ranges::equal(std::as_bytes(std::span(outcome.outputs.at("c"))).subspan(g * bytes, bytes),
                             std::as_bytes(std::span(alone.outputs.at("c")))));
  }
}

// What lies between groups and past them is what the quantizer leaves there: zeros, and a guard's poison.
TEST_CASE("grouped products: groups of K, of the quantizer's copies", "[small][simulated]") {
  const std::vector<int32_t> ends = {100, 100, 300, 521};
  const int64_t tokens = 656, m = 72, n = 48;
  QuantizeText text;
  text.axis = "axis = column", text.align = "128";
  Kernel quantize = compileForDevice(text.text()).kernel(),
         multiply = compileForDevice(GradientText().text()).kernel();
  auto quantized = [&](int64_t features, int seed) {
    std::vector<std::byte> x = matrixData(FloatType::BF16, tokens, features, seed, /*finite=*/true);
    RunCase run;
    run.inputs = {{"x", x}, {"ends", std::as_bytes(std::span(ends))}};
    run.dimensions = {{"M", tokens}, {"K", features}, {"G", int64_t(ends.size())}};
    RunOutcome outcome = runChecked(quantize, run);
    CHECK(outcome.failure == "");
    return outcome.outputs;
  };
  GuardedArguments::Outputs a = quantized(m, 1), b = quantized(n, 2);
  RunCase run;
  run.inputs = {{"a", std::as_bytes(std::span(a.at("q")))},
                {"sa", std::as_bytes(std::span(a.at("s")))},
                {"b", std::as_bytes(std::span(b.at("q")))},
                {"sb", std::as_bytes(std::span(b.at("s")))},
                {"ends", std::as_bytes(std::span(ends))}};
  run.dimensions = {{"M", m}, {"N", n}, {"K", tokens}, {"G", int64_t(ends.size())}};
  CHECK(runChecked(multiply, run).failure == "");
}

TEST_CASE("grouped products: groups of K, large", "[large]") {
  GradientText source;
  Kernel kernel = compileForDevice(source.text()).kernel();
  CHECK(check(kernel, source, {{1000, 0, 513, 2048, 1, 77}, 1536, 1024, 112}) == "");
}
