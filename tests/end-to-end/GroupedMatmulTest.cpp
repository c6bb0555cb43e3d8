// mx.grouped_matmul: groups of any length, tiles of every machine, alignments and epilogues, against the
// product in f64; and bit for bit against mx.matmul of each group's rows.
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/Graph.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/GroupCases.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc;

namespace {

/// One mx.grouped_matmul of arguments a, sa, b, sb, ends, (bias,) c.
struct GroupedText {
  std::string element = "f8E4M3FN", elementB = "f8E4M3FN", output = "bf16", align = "128";
  bool hasBias = false; // [G, 1, N] of bf16, added
  std::string clauses = {};

  std::string text() const {
    const std::string scales = "f8E8M0FNU, #mx.scale_layout<tcgen05>>", a = "memref<?x?x" + element + ">",
                      b = "memref<?x?x?x" + elementB + ">", sa = "memref<?x?x" + scales,
                      sb = "memref<?x?x?x" + scales, c = "memref<?x?x" + output + ">",
                      bias = "memref<?x1x?xbf16>";
    std::string text = "mx.kernel @k(%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " + sb +
                       ", %ends: memref<?xi32>, " + (hasBias ? "%bias: " + bias + ", " : "") + "%c: " + c +
                       ") {\n  mx.grouped_matmul ins(%a, %sa, %b, %sb : " + a + ", " + sa + ", " + b + ", " +
                       sb + ") groups(%ends : memref<?xi32>) " +
                       (hasBias ? "with(%bias : " + bias + ") " : "") + "outs(%c : " + c +
                       ") align = " + align + " " + clauses;
    if (hasBias)
      text += " {\n  ^bb0(%product: f32, %shift: f32):\n    %r = arith.addf %product, %shift : f32\n"
              "    mx.yield %r : f32\n  }";
    return text + "\n}\n";
  }
};

struct GroupedCase {
  std::vector<int32_t> lengths;
  int64_t n, k, tail = 0; // tail: rows after the last group
};

std::string text(const GroupedCase &c) {
  std::string text = "groups of";
  for (int32_t length : c.lengths)
    text += " " + std::to_string(length);
  return text + ", " + std::to_string(c.tail) + " rows after them, x " + std::to_string(c.n) + " x " +
         std::to_string(c.k);
}

/// What a product is given: every row and scale that is nobody's is NaN.
class GroupedData {
public:
  GroupedData(const GroupedText &source, const GroupedCase &c, bool integers)
      : c_(c), align_(std::stoi(source.align)), ends(endsOf(c.lengths, align_)), random_(c.n * 31 + c.k) {
    rows = (ends.empty() ? 0 : ends.back()) + c.tail;
    groups = rowGroups(ends, rows, align_);
    blocks_ = (c.k + 31) / 32;
    const int64_t g = int64_t(ends.size());
    a.assign(size_t(rows * c.k), std::byte{0xFF});
    sa.assign(size_t(scaleCount(ScaleLayout::Tcgen05, scaleRowsOf(rows, g, align_), blocks_)),
              std::byte{0xFF});
    b.assign(size_t(g * c.n * c.k), std::byte{0xFF});
    sb.assign(size_t(g * scaleCount(ScaleLayout::Tcgen05, c.n, blocks_)), std::byte{0});
    for (size_t i = 0; i < groups.size(); ++i) {
      const RowGroup &group = groups[i];
      fillCodes(a, group.begin * c.k, group.rows() * c.k, source.element, integers);
      fillCodes(b, int64_t(i) * c.n * c.k, c.n * c.k, source.elementB, integers);
      fillScales(sa, group.scaleRow / 128, group.rows(), integers);
      fillScales(sb, int64_t(i) * ((c.n + 127) / 128), c.n, integers);
    }
  }

  /// The operands of one group's dense product.
  HostTensors dense(size_t g) const {
    const RowGroup &group = groups[g];
    auto bytes = [](const std::vector<std::byte> &from, int64_t first, int64_t count) {
      return std::span(from).subspan(size_t(first), size_t(count));
    };
    const int64_t scalesA = scaleCount(ScaleLayout::Tcgen05, group.rows(), blocks_),
                  scalesB = scaleCount(ScaleLayout::Tcgen05, c_.n, blocks_);
    return {{"a", bytes(a, group.begin * c_.k, group.rows() * c_.k)},
            {"sa", bytes(sa, scaleCount(ScaleLayout::Tcgen05, group.scaleRow, blocks_), scalesA)},
            {"b", bytes(b, int64_t(g) * c_.n * c_.k, c_.n * c_.k)},
            {"sb", bytes(sb, int64_t(g) * scalesB, scalesB)}};
  }
  HostTensors inputs() const {
    return {{"a", a}, {"sa", sa}, {"b", b}, {"sb", sb}, {"ends", std::as_bytes(std::span(ends))}};
  }

private:
  void fillCodes(std::vector<std::byte> &codes, int64_t first, int64_t count, const std::string &element,
                 bool integers) {
    const uint32_t largest = element == "f8E4M3FN" ? 0x7E : 0x7B;
    // 1, 2, 3 and 4, their negatives and 0: sums are exact in any order.
    static constexpr uint8_t kIntegersE4m3[] = {0x38, 0x40, 0x44, 0x48, 0x00},
                             kIntegersE5m2[] = {0x3C, 0x40, 0x42, 0x44, 0x00};
    for (int64_t i = 0; i < count; ++i) {
      uint32_t code = random_() & 0xFF;
      if (integers)
        code = (element == "f8E4M3FN" ? kIntegersE4m3 : kIntegersE5m2)[code % 5] | (random_() & 0x80);
      else if ((code & 0x7F) > largest)
        code &= 0xB7;
      codes[size_t(first + i)] = std::byte(code);
    }
  }
  // Whole tiles: zeros past the last row or block, as mx.quantize writes them.
  void fillScales(std::vector<std::byte> &scales, int64_t tileRow, int64_t count, bool integers) {
    const int64_t perTileRow = scaleCount(ScaleLayout::Tcgen05, 128, blocks_);
    std::fill_n(scales.begin() + tileRow * perTileRow, (count + 127) / 128 * perTileRow, std::byte{0});
    for (int64_t r = 0; r < count; ++r)
      for (int64_t block = 0; block < blocks_; ++block)
        scales[size_t(tileRow * perTileRow + scaleOffset(ScaleLayout::Tcgen05, r, block, count, blocks_))] =
            std::byte(integers ? 127 : 118 + random_() % 16);
  }

  GroupedCase c_;
  int32_t align_;
  int64_t blocks_;

public:
  std::vector<int32_t> ends;
  int64_t rows = 0;
  std::vector<RowGroup> groups;
  std::vector<std::byte> a, sa, b, sb;

private:
  std::mt19937_64 random_;
};

RunOutcome run(const Kernel &kernel, const GroupedText &source, const GroupedCase &c,
               const GroupedData &data) {
  RunCase run;
  run.inputs = data.inputs();
  run.dimensions = {{"M", data.rows}, {"N", c.n}, {"K", c.k}, {"G", int64_t(data.ends.size())}};
  std::vector<std::byte> bias =
                             matrixData(FloatType::BF16, int64_t(data.ends.size()), c.n, 3, /*finite=*/true),
                         sum = matrixData(floatTypeNamed(source.output), data.rows, c.n, 4, /*finite=*/true);
  if (source.hasBias) run.inputs["bias"] = bias;
  if (source.clauses == "accumulate") run.inputs["c"] = sum;
  std::optional<Prologue> region;
  if (source.hasBias) run.prologue = &region.emplace(Prologue::parse(source.text()).value());
  return runChecked(kernel, run);
}

std::string check(const Kernel &kernel, const GroupedText &source, const GroupedCase &c,
                  const std::string &expectedTile = {}) {
  RunOutcome outcome = run(kernel, source, c, GroupedData(source, c, /*integers=*/false));
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  return outcome.failure.empty() ? "" : text(c) + " <" + outcome.tile + ">\n" + outcome.failure;
}

/// "" or the first group whose rows have other bytes than a dense product of them.
std::string differsFromDense(const Kernel &grouped, const GroupedText &source, const Kernel &dense,
                             const GroupedCase &c, bool integers) {
  const GroupedData data(source, c, integers);
  RunOutcome outcome = run(grouped, source, c, data);
  if (!outcome.failure.empty()) return text(c) + "\n" + outcome.failure;
  auto bytesOf = [](const RunOutcome &of) { return std::as_bytes(std::span(of.outputs.at("c"))); };
  for (size_t g = 0; g < data.groups.size(); ++g) {
    if (!data.groups[g].rows()) continue;
    RunCase own;
    own.inputs = data.dense(g);
    own.dimensions = {{"M", data.groups[g].rows()}, {"N", c.n}, {"K", c.k}};
    RunOutcome alone = runChecked(dense, own);
    std::span<const std::byte> expected = bytesOf(alone);
    const size_t first = size_t(data.groups[g].begin) * (expected.size() / size_t(data.groups[g].rows()));
    if (!alone.failure.empty() ||
        !std::ranges::equal(expected, bytesOf(outcome).subspan(first, expected.size())))
      return text(c) + ": group " + std::to_string(g) + " differs from its dense product, " + outcome.tile +
             " and " + alone.tile + "\n" + alone.failure;
  }
  return "";
}

std::vector<std::string> tiles() {
  if (onWarpgroups())
    return {"m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight",
            "n = 256, stages = 5, buffers = 2, a = in_flight",
            "m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = copied_alone, share = a",
            "m = 256, stages = 3, supergroup = 2, buffers = 1, a = copied_alone",
            "n = 256, stages = 4, ctas = 2, buffers = 2, scheduler = counter, a = copied_alone, share = a",
            "n = 64, stages = 4, supergroup = 2, store = rows, a = in_flight",
            "#mx.swap_tile<tokens = 16, splits = 1, parts = 2, stages = 2, token_stages = 3>",
            "#mx.swap_tile<columns = 64, tokens = 32, splits = 3, parts = 2, stages = 3>",
            "#mx.swap_tile<tokens = 48, stages = 2, token_stages = 3>",
            "m = 256, n = 256, ctas = 2, stages = 4",
            "n = 128, stages = 6, buffers = 1",
            "n = 128, stages = 4, load = element, store = rows"};
  if (onWarps())
    return {"stages = 2, buffers = 1", "n = 64, stages = 3, supergroup = 2, buffers = 1",
            "n = 64, stages = 2, store = rows", "n = 64, stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 4",
          "m = 256, n = 64, ctas = 2, supergroup = 2",
          "n = 128, buffers = 1",
          "m = 256, n = 128, ctas = 2, stages = 3, scheduler = clc",
          "n = 192, store = rows, scheduler = clc",
          "n = 192, store = rows",
          "n = 64, load = element, store = rows"};
}

const GroupedCase kCases[] = {{{0, 1, 31, 44, 128, 129, 300, 0}, 136, 160, 40},
                              {{1}, 8, 32},
                              {{700}, 264, 128, 4},
                              {{0, 0, 0}, 64, 64, 130},
                              {{200, 0, 200}, 72, 48, 0}};

std::vector<int32_t> randomLengths(size_t groups, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> lengths;
  for (size_t g = 0; g < groups; ++g)
    lengths.push_back(random() % 3 ? int32_t(random() % (random() % 4 ? 40 : 280)) : 0);
  return lengths;
}

} // namespace

TEST_CASE("grouped products: forced tiles", "[small]") {
  for (const std::string &tile : tiles())
    for (const char *align : {"128", "1"}) {
      GroupedText source = {.align = align};
      INFO(tile << "\n" << source.text());
      Kernel kernel = compileForDevice(source.text(), tile).kernel();
      for (const GroupedCase &c : kCases)
        CHECK(check(kernel, source, c) == "");
      CHECK(check(kernel, source, {{5, 0, 130}, 33, 200, 3}) == ""); // takes another tile, or this one
    }
}

TEST_CASE("grouped products: tiles taken over", "[small][simulated]") {
  if (onWarps() || onWarpgroups()) return; // without cluster launch control
  for (const char *align : {"128", "1"})
    for (const char *tile :
         {"m = 256, n = 64, ctas = 2, stages = 3, scheduler = clc", "n = 64, stages = 2, scheduler = clc"}) {
      GroupedText source = {.align = align};
      INFO(tile << "\n" << source.text());
      Kernel kernel = compileForDevice(source.text(), tile).kernel();
      for (const GroupedCase &c : kCases)
        CHECK(check(kernel, source, c) == "");
      CHECK(check(kernel, source, {{}, 64, 64, 200}) == ""); // no groups
      CHECK(check(kernel, source, {{0, 0}, 64, 64}) == "");  // no rows
      CHECK(check(kernel, source, {randomLengths(71, 1), 24, 64, 9}) == "");
      CHECK(check(kernel, source, {{3, 0, 200}, 72, 64, 3000}) == ""); // nearly all numbers are nobody's
    }
}

// The counter is left at zero: launches that are repeated find what the first one found.
TEST_CASE("grouped products: tiles handed out by a counter", "[small][simulated]") {
  if (onWarps()) return;
  const std::vector<std::string> tiles =
      onWarpgroups()
          ? std::vector<
                std::string>{"m = 256, n = 256, stages = 5, ctas = 2, scheduler = counter, a = in_flight",
                             "n = 64, stages = 4, supergroup = 2, store = rows, scheduler = counter"}
          : std::vector<std::string>{"m = 256, n = 64, ctas = 2, stages = 3, scheduler = counter",
                                     "n = 64, stages = 2, load = element, store = rows, scheduler = counter"};
  uint64_t number = 0;
  for (const char *align : {"128", "1"})
    for (const std::string &tile : tiles) {
      if (isLeftToOthers(number++)) continue;
      const GroupedText source = {.align = align};
      INFO(tile << "\n" << source.text());
      const Kernel kernel = compileForDevice(source.text(), tile).kernel();
      for (const GroupedCase &c : kCases)
        CHECK(check(kernel, source, c) == "");
      CHECK(check(kernel, source, {{}, 64, 64, 200}) == ""); // no groups
      CHECK(check(kernel, source, {{0, 0}, 64, 64}) == "");  // no rows
      CHECK(check(kernel, source, {randomLengths(71, 1), 24, 64, 9}) == "");

      const GroupedData data(source, {{3, 0, 200}, 72, 64, 300}, false);
      GuardedArguments tensors(kernel, {{"M", data.rows}, {"N", 72}, {"K", 64}, {"G", 3}}, data.inputs());
      const PreparedLaunch launch = kernel.prepare(tensors.arguments(), {.pdl = true});
      Stream stream(testDevice());
      std::optional<GuardedArguments::Outputs> first;
      for (int repeat = 0; repeat < 3; ++repeat) {
        launch.launch(stream);
        stream.synchronize();
        if (!first) first = tensors.outputs();
        CHECK((tensors.outputs() == *first && !tensors.damage()));
      }
    }
}

TEST_CASE("grouped products: the heuristics' tiles", "[small][simulated][chip]") {
  for (const char *align : {"128", "1"}) {
    GroupedText source = {.align = align};
    INFO(source.text());
    Kernel kernel = compileForDevice(source.text()).kernel();
    for (const GroupedCase &c : kCases)
      CHECK(check(kernel, source, c) == "");
    CHECK(check(kernel, source, {{}, 64, 64, 200}) == ""); // no groups
    CHECK(check(kernel, source, {{0, 0}, 64, 64}) == "");  // no rows
    CHECK(check(kernel, source, {{3, 130}, 64, 0, 5}) == "");
    // More than a warp looks at at a time.
    CHECK(check(kernel, source, {randomLengths(71, 1), 24, 64, 9}) == "");
  }
}

TEST_CASE("grouped products: formats, results, epilogues", "[small]") {
  const GroupedCase c = {{40, 0, 200, 1}, 72, 96, 30};
  for (const GroupedText &source :
       {GroupedText{.element = "f8E5M2", .output = "f32"}, GroupedText{.elementB = "f8E5M2", .output = "f16"},
        GroupedText{.clauses = "accumulate"}, GroupedText{.output = "f32", .hasBias = true},
        GroupedText{.clauses = "reduction = sequential"}}) {
    INFO(source.text());
    Kernel kernel = compileForDevice(source.text()).kernel();
    CHECK(check(kernel, source, c) == "");
    CHECK(check(kernel, source, {{5, 0, 130}, 33, 50, 3}) == "");
  }
}

TEST_CASE("grouped products: a group's rows have the bits of its dense product", "[small][simulated]") {
  const std::string tile = onWarps()        ? "n = 64, stages = 3, buffers = 1"
                           : onWarpgroups() ? "n = 256, stages = 5, buffers = 2, a = in_flight"
                                            : "m = 256, n = 128, ctas = 2, stages = 4";
  Kernel dense = compileForDevice(MatmulText().text(), tile).kernel();
  for (const char *align : {"128", "1"}) {
    GroupedText source = {.align = align};
    INFO(source.text());
    Kernel grouped = compileForDevice(source.text(), tile).kernel();
    for (bool integers : {false, true}) {
      CHECK(differsFromDense(grouped, source, dense, {{0, 1, 31, 128, 129, 0}, 136, 160, 40}, integers) ==
            "");
      CHECK(differsFromDense(grouped, source, dense, {{300}, 64, 256}, integers) == "");
    }
    // Sums that are exact have the same bytes with every tile.
    Kernel other = compileForDevice(source.text()).kernel();
    CHECK(differsFromDense(other, source, dense, {randomLengths(9, 7), 72, 352, 3}, true) == "");
  }
}

// Bad ends lead nowhere outside of the outputs: the guards say so. On a simulator the launch names them; in a
// graph it cannot.
TEST_CASE("grouped products: ends that fall or leave the matrix", "[small]") {
  static const std::vector<std::vector<int32_t>> bad = {
      {100, 50, 200}, {300, 300, 300}, {-5, 20, 1 << 30}, {0, INT32_MIN, INT32_MAX}, {200, 0, 0}};
  for (const char *align : {"128", "1"}) {
    GroupedText source = {.align = align};
    const GroupedData data(source, {{70, 0, 80}, 72, 96, 10}, false);
    for (const std::string &tile : {std::string(), tiles().back()}) {
      Kernel kernel = compileForDevice(source.text(), tile).kernel();
      for (const std::vector<int32_t> &ends : bad) {
        checkBadEnds(kernel, {{"M", data.rows}, {"N", 72}, {"K", 96}, {"G", 3}}, data.inputs(), ends);
      }
    }
  }
}

TEST_CASE("grouped products: large", "[large]") {
  GroupedText source;
  Kernel kernel = compileForDevice(source.text()).kernel();
  CHECK(check(kernel, source, {{1000, 0, 513, 2048, 1, 77}, 1536, 2048, 100}) == "");
  CHECK(check(kernel, source, {randomLengths(128, 3), 512, 1024, 100}) == "");
}
