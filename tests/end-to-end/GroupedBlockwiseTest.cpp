// mx.grouped_matmul of blocks of 128 with f32 scales: every byte of every group's rows is the reference's,
// under every tile, and that of mx.matmul.
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/Graph.h"
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
  std::string element = "f8E4M3FN", elementB = "f8E4M3FN", output = "bf16", align = "128";
  bool isByRows = false; // b's scales are 1x128, too
  bool hasBias = false;  // [G, 1, N] of bf16, added
  std::string clauses = {};

  std::string block() const { return std::string(" block = 1x128 by ") + (isByRows ? "1x128 " : "128x128 "); }

  /// Arguments a, sa, b, sb, ends, (bias,) c.
  std::string text() const {
    const std::string lines = "f32, #mx.scale_layout<mn_major>>", a = "memref<?x?x" + element + ">",
                      sa = "memref<?x?x" + lines, b = "memref<?x?x?x" + elementB + ">",
                      sb = "memref<?x?x?x" + (isByRows ? lines : "f32>"), c = "memref<?x?x" + output + ">",
                      bias = "memref<?x1x?xbf16>";
    std::string text = "mx.kernel @k(%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " + sb +
                       ", %ends: memref<?xi32>, " + (hasBias ? "%bias: " + bias + ", " : "") + "%c: " + c +
                       ") {\n  mx.grouped_matmul ins(%a, %sa, %b, %sb : " + a + ", " + sa + ", " + b + ", " +
                       sb + ") groups(%ends : memref<?xi32>) " +
                       (hasBias ? "with(%bias : " + bias + ") " : "") + "outs(%c : " + c +
                       ") align = " + align + block() + clauses;
    if (hasBias)
      text += " {\n  ^bb0(%product: f32, %shift: f32):\n    %r = arith.addf %product, %shift : f32\n"
              "    mx.yield %r : f32\n  }";
    return text + "\n}\n";
  }

  /// The same of one group, as mx.matmul.
  std::string dense() const {
    const std::string lines = "memref<?x?xf32, #mx.scale_layout<mn_major>>", codes = "memref<?x?xf8E4M3FN>",
                      sb = isByRows ? lines : "memref<?x?xf32>", c = "memref<?x?x" + output + ">";
    return "mx.kernel @k(%a: " + codes + ", %sa: " + lines + ", %b: " + codes + ", %sb: " + sb +
           ", %c: " + c + ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + codes + ", " + lines + ", " + codes +
           ", " + sb + ") outs(%c : " + c + ")" + block() + clauses + "\n}\n";
  }
};

struct Case {
  std::vector<int32_t> lengths;
  int64_t n, k, tail = 0; // tail: rows after the last group
};

std::string text(const Case &c) {
  std::string text = "groups of";
  for (int32_t length : c.lengths)
    text += " " + std::to_string(length);
  return text + ", " + std::to_string(c.tail) + " rows after them, x " + std::to_string(c.n) + " x " +
         std::to_string(c.k);
}

/// Codes and scales of a that are nobody's are NaN.
struct Data {
  Data(const Source &source, const Case &c, bool specials)
      : ends(endsOf(c.lengths, std::stoi(source.align))), rows((ends.empty() ? 0 : ends.back()) + c.tail),
        blocks((c.k + 127) / 128), groups(rowGroups(ends, rows, std::stoi(source.align))) {
    BlockwiseRandom random(uint64_t(c.n * 31 + c.k), specials);
    const int64_t count = int64_t(ends.size());
    scaleRows = scaleRowsOf(rows, count, std::stoi(source.align));
    a.assign(size_t(rows * c.k), std::byte{0xFF});
    sa.assign(size_t(scaleCount(ScaleLayout::MnMajor, scaleRows, blocks)),
              std::numeric_limits<float>::quiet_NaN());
    for (const RowGroup &group : groups) {
      std::ranges::copy(random.codes(source.element, group.rows() * c.k), a.begin() + group.begin * c.k);
      for (int64_t row = group.scaleRow; row < group.scaleRow + group.rows(); ++row)
        for (int64_t block = 0; block < blocks; ++block)
          sa[size_t(scaleOffset(ScaleLayout::MnMajor, row, block, scaleRows, blocks))] = random.scale();
    }
    b = random.codes(source.elementB, count * c.n * c.k);
    scalesOfB = source.isByRows ? scaleCount(ScaleLayout::MnMajor, c.n, blocks) : (c.n + 127) / 128 * blocks;
    sb = random.scales(count * scalesOfB);
  }

  HostTensors inputs() const {
    return {{"a", a},
            {"sa", std::as_bytes(std::span(sa))},
            {"b", b},
            {"sb", std::as_bytes(std::span(sb))},
            {"ends", std::as_bytes(std::span(ends))}};
  }

  std::vector<float> scalesOf(const RowGroup &group) const { // of its rows as a matrix of their own
    std::vector<float> own(size_t(scaleCount(ScaleLayout::MnMajor, group.rows(), blocks)));
    for (int64_t row = 0; row < group.rows(); ++row)
      for (int64_t block = 0; block < blocks; ++block)
        own[size_t(scaleOffset(ScaleLayout::MnMajor, row, block, group.rows(), blocks))] =
            sa[size_t(scaleOffset(ScaleLayout::MnMajor, group.scaleRow + row, block, scaleRows, blocks))];
    return own;
  }

  std::vector<int32_t> ends;
  int64_t rows, blocks, scaleRows = 0, scalesOfB = 0;
  std::vector<RowGroup> groups;
  std::vector<std::byte> a, b;
  std::vector<float> sa, sb;
};

RunOutcome run(const Kernel &kernel, const Source &source, const Case &c, const Data &data) {
  RunCase run;
  run.inputs = data.inputs();
  const int64_t groups = int64_t(data.ends.size());
  run.dimensions = {{"M", data.rows}, {"N", c.n}, {"K", c.k}, {"G", groups}};
  const std::vector<std::byte> bias = matrixData(FloatType::BF16, groups, c.n, 3, /*finite=*/true),
                               sum = matrixData(floatTypeNamed(source.output), data.rows, c.n, 4,
                                                /*finite=*/true);
  if (source.hasBias) run.inputs["bias"] = bias;
  if (source.clauses == "accumulate") run.inputs["c"] = sum;
  std::optional<Prologue> region;
  if (source.hasBias) run.prologue = &region.emplace(Prologue::parse(source.text()).value());
  return runChecked(kernel, run);
}

std::string check(const Kernel &kernel, const Source &source, const Case &c, bool specials = false) {
  const RunOutcome outcome = run(kernel, source, c, Data(source, c, specials));
  return outcome.failure.empty() ? "" : text(c) + " <" + outcome.tile + ">\n" + outcome.failure;
}

constexpr const char *kTiles[] = {"m = 192, n = 256, stages = 4, ctas = 2, share = a",
                                  "m = 128, n = 256, stages = 5, ctas = 2, share = a",
                                  "m = 256, n = 192, stages = 4, ctas = 2",
                                  "m = 128, n = 192, stages = 4, buffers = 2",
                                  "m = 256, n = 128, stages = 3, supergroup = 2",
                                  "m = 512, n = 128, stages = 3, ctas = 2",
                                  "n = 128, stages = 4, store = rows",
                                  "n = 128, stages = 4, load = element, store = rows"};
// A CTA has fewer rows than a warpgroup multiplies, or a stage several blocks of K.
constexpr const char *kFewRows[] = {"m = 16, n = 128, stages = 5, buffers = 1",
                                    "m = 48, n = 64, stages = 4, buffers = 1",
                                    "m = 16, n = 8, stages = 3, store = rows",
                                    "m = 32, n = 32, stages = 3, ctas = 2, share = a, store = rows",
                                    "m = 64, n = 128, stages = 4, buffers = 1",
                                    "m = 96, n = 64, stages = 3, ctas = 2, share = a, store = rows"};

constexpr const char *kHandedOut[] = {
    "m = 192, n = 256, stages = 4, ctas = 2, share = a, scheduler = counter",
    "m = 128, n = 192, stages = 4, buffers = 2, scheduler = counter",
    "m = 256, n = 128, stages = 3, scheduler = counter"};

const Case kCases[] = {{{0, 1, 31, 44, 128, 129, 0}, 136, 160, 40},
                       {{1}, 8, 32},
                       {{300}, 264, 272, 4},
                       {{0, 0, 0}, 64, 64, 130},
                       {{200, 0, 56}, 72, 48, 0},
                       {{5, 0, 130}, 33, 200, 3}};

} // namespace

TEST_CASE("grouped blockwise products: forced tiles have the reference's bytes", "[small]") {
  if (!onWarpgroups()) return;
  for (const auto &tiles : {std::span<const char *const>(kTiles), std::span<const char *const>(kFewRows),
                            std::span<const char *const>(kHandedOut)})
    for (const char *tile : tiles)
      for (const char *align : {"128", "1"})
        for (bool isByRows : {false, true}) {
          const Source source = {.align = align, .isByRows = isByRows};
          INFO(tile << "\n" << source.text());
          const Kernel kernel = compileForDevice(source.text(), tile).kernel();
          for (const Case &c : kCases)
            for (bool specials : {false, true})
              CHECK(check(kernel, source, c, specials) == "");
        }
}

TEST_CASE("grouped blockwise products: one form each", "[small][simulated]") {
  if (!onWarpgroups()) return;
  struct Form {
    const char *tile, *align;
    bool isByRows;
  };
  for (const Form &form :
       {Form{kTiles[0], "1", false}, Form{kTiles[1], "128", true}, Form{kTiles[3], "128", false},
        Form{kTiles[6], "1", true}, Form{kFewRows[0], "1", false}, Form{kFewRows[3], "1", false},
        Form{kHandedOut[0], "1", false}}) {
    const Source source = {.align = form.align, .isByRows = form.isByRows};
    INFO(form.tile << "\n" << source.text());
    const Kernel kernel = compileForDevice(source.text(), form.tile).kernel();
    for (const Case &c : {kCases[0], kCases[5]})
      CHECK(check(kernel, source, c, /*specials=*/true) == "");
  }
}

TEST_CASE("grouped blockwise products: the heuristics' tiles", "[small][simulated]") {
  if (!onWarpgroups()) return;
  for (const char *align : {"128", "1"}) {
    const Source source = {.align = align};
    INFO(source.text());
    const Kernel kernel = compileForDevice(source.text()).kernel();
    for (const Case &c : kCases)
      CHECK(check(kernel, source, c) == "");
    CHECK(check(kernel, source, {{}, 64, 64, 200}) == ""); // no groups
    CHECK(check(kernel, source, {{0, 0}, 64, 64}) == "");  // no rows
    CHECK(check(kernel, source, {{3, 130}, 64, 0, 5}) == "");
    // More than a warp looks at at a time.
    std::vector<int32_t> lengths(71);
    for (size_t g = 0; g < lengths.size(); ++g)
      lengths[g] = g % 3 ? int32_t(g * 7 % 40) : 0;
    CHECK(check(kernel, source, {lengths, 24, 64, 9}) == "");
  }
}

TEST_CASE("grouped blockwise products: formats, results, epilogues", "[small]") {
  if (!onWarpgroups()) return;
  for (const Source &source :
       {Source{.element = "f8E5M2", .output = "f32"}, Source{.elementB = "f8E5M2", .output = "f16"},
        Source{.clauses = "accumulate"}, Source{.output = "f32", .isByRows = true, .hasBias = true},
        Source{.align = "1", .clauses = "reduction = sequential"}}) {
    INFO(source.text());
    const Kernel kernel = compileForDevice(source.text()).kernel();
    CHECK(check(kernel, source, {{40, 0, 200, 1}, 72, 96, 30}) == "");
    CHECK(check(kernel, source, {{5, 0, 130}, 33, 50, 3}) == "");
  }
}

TEST_CASE("grouped blockwise products: a group's rows have the bits of its dense product",
          "[small][simulated]") {
  if (!onWarpgroups()) return;
  const Case c = {{0, 1, 31, 128, 129, 0, 300}, 136, 160, 40};
  for (const char *align : {"128", "1"}) {
    const Source source = {.output = "f32", .align = align};
    const Data data(source, c, /*specials=*/true);
    const Kernel dense = compileForDevice(source.dense(), "m = 256, n = 128, stages = 3").kernel(),
                 grouped = compileForDevice(source.text(), kTiles[0]).kernel();
    const RunOutcome outcome = run(grouped, source, c, data);
    CHECK(outcome.failure == "");
    for (size_t g = 0; g < data.groups.size(); ++g) {
      const RowGroup &group = data.groups[g];
      if (!group.rows()) continue;
      const std::vector<float> scales = data.scalesOf(group);
      RunCase own;
      own.inputs = {{"a", std::span(data.a).subspan(size_t(group.begin * c.k), size_t(group.rows() * c.k))},
                    {"sa", std::as_bytes(std::span(scales))},
                    {"b", std::span(data.b).subspan(g * size_t(c.n * c.k), size_t(c.n * c.k))},
                    {"sb", std::as_bytes(std::span(data.sb).subspan(g * size_t(data.scalesOfB),
                                                                    size_t(data.scalesOfB)))}};
      own.dimensions = {{"M", group.rows()}, {"N", c.n}, {"K", c.k}};
      const RunOutcome alone = runChecked(dense, own);
      CHECK(alone.failure == "");
      const std::span<const std::byte> expected = std::as_bytes(std::span(alone.outputs.at("c")));
      INFO("group " << g << ", " << outcome.tile << " and " << alone.tile);
      CHECK(std::ranges::equal(expected, std::as_bytes(std::span(outcome.outputs.at("c")))
                                             .subspan(size_t(group.begin * c.n) * 4, expected.size())));
    }
  }
}

// The quantizer's copy as it lies, between guards' poison where it writes nothing.
TEST_CASE("grouped blockwise products: of the quantizer's copies", "[small][simulated]") {
  if (!onWarpgroups()) return;
  const std::vector<int32_t> ends = {100, 100, 231};
  const int64_t tokens = 250, n = 72, k = 144, groups = int64_t(ends.size());
  QuantizeText quantizer;
  quantizer.layout = "mn_major", quantizer.clauses = "rounding = nearest";
  quantizer.block = "1x128", quantizer.align = "1";
  const Kernel quantize = compileForDevice(quantizer.text()).kernel();
  const std::vector<std::byte> x = matrixData(FloatType::BF16, tokens, k, 1, /*finite=*/true);
  RunCase run;
  run.inputs = {{"x", x}, {"ends", std::as_bytes(std::span(ends))}};
  run.dimensions = {{"M", tokens}, {"K", k}, {"G", groups}};
  const RunOutcome copies = runChecked(quantize, run);
  CHECK(copies.failure == "");
  const Source source = {.align = "1"};
  const Data data(source, {{100, 0, 131}, n, k, 19}, false);
  run.inputs = data.inputs();
  run.inputs["a"] = std::as_bytes(std::span(copies.outputs.at("q")));
  run.inputs["sa"] = std::as_bytes(std::span(copies.outputs.at("s")));
  run.dimensions = {{"M", tokens}, {"N", n}, {"K", k}, {"G", groups}};
  CHECK(runChecked(compileForDevice(source.text()).kernel(), run).failure == "");
}

// Bad ends lead nowhere outside of the outputs: the guards say so. A launch on a simulator names them; in a
// graph it cannot.
TEST_CASE("grouped blockwise products: ends that fall or leave the matrix", "[small]") {
  if (!onWarpgroups()) return;
  for (const char *align : {"128", "1"}) {
    const Source source = {.align = align};
    const Data data(source, {{70, 0, 80}, 72, 96, 10}, false);
    for (const char *tile : {"", kTiles[6], kFewRows[2]}) {
      const Kernel kernel = compileForDevice(source.text(), tile).kernel();
      for (const std::vector<int32_t> &ends : {std::vector<int32_t>{100, 50, 200},
                                               {300, 300, 300},
                                               {-5, 20, 1 << 30},
                                               {0, INT32_MIN, INT32_MAX}}) {
        checkBadEnds(kernel, {{"M", data.rows}, {"N", 72}, {"K", 96}, {"G", 3}}, data.inputs(), ends);
      }
    }
  }
}

TEST_CASE("grouped blockwise products: large", "[large]") {
  if (!onWarpgroups()) return;
  const Source source = {.align = "1"};
  const Kernel kernel = compileForDevice(source.text()).kernel();
  CHECK(check(kernel, source, {{1000, 0, 513, 700, 1, 77}, 1032, 1040, 100}) == "");
  CHECK(check(kernel, source, {{4, 0, 17, 1, 0, 3, 9, 2}, 1536, 2048, 0}, /*specials=*/true) == "");
}
