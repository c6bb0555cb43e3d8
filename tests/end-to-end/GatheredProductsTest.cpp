// mx.grouped_matmul with rows of a by index: against the reference, and byte for byte the product of the rows
// gathered beforehand.
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/BlockwiseData.h"
#include "tests/end-to-end/GroupCases.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <algorithm>
#include <limits>
#include <random>

using namespace mxc;

namespace {

struct Source {
  bool isBlockwise = false, hasParts = false;
  std::string align = "128", element = "f8E4M3FN";

  /// Arguments a, sa, b, sb, ends, (index,) c.
  std::string text(bool gathers) const {
    const std::string tiles = "f8E8M0FNU, #mx.scale_layout<tcgen05>>",
                      lines = "f32, #mx.scale_layout<mn_major>>",
                      leading = hasParts ? "memref<?x2x?x?x" : "memref<?x?x?x",
                      a = "memref<?x?x" + element + ">", sa = "memref<?x?x" + (isBlockwise ? lines : tiles),
                      b = leading + "f8E4M3FN>", sb = leading + (isBlockwise ? "f32>" : tiles),
                      c = "memref<?x?xbf16>", i = "memref<?xi32>";
    return "mx.kernel @k(%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " + sb + ", %ends: " + i + ", " +
           (gathers ? "%index: " + i + ", " : "") + "%c: " + c +
           ") {\n  mx.grouped_matmul ins(%a, %sa, %b, %sb : " + a + ", " + sa + ", " + b + ", " + sb +
           ") groups(%ends : " + i + ") " + (gathers ? "gather(%index : " + i + ") " : "") +
           "outs(%c : " + c + ") align = " + align + (isBlockwise ? " block = 1x128 by 128x128" : "") +
           (hasParts ? " parts = 2 {\n  ^bb0(%x: f32, %y: f32):\n    %z = arith.mulf %x, %y : f32\n    "
                       "mx.yield %z : "
                       "f32\n  }"
                     : "") +
           "\n}\n";
  }
};

struct Case {
  std::vector<int32_t> lengths; // of the groups
  int64_t rowsOfA, n, k, tail = 0;
  uint64_t seed = 1;
};

std::string text(const Case &c) {
  std::string text = "groups of";
  for (int32_t length : c.lengths)
    text += " " + std::to_string(length);
  return text + " of " + std::to_string(c.rowsOfA) + " rows, x " + std::to_string(c.n) + " x " +
         std::to_string(c.k) + ", seed " + std::to_string(c.seed);
}

/// Bytes of a scale, and what there is of them.
struct Scales {
  ScaleLayout layout;
  int64_t rows, blocks;
  std::vector<std::byte> bytes;

  Scales(bool isBlockwise, int64_t rows, int64_t blocks)
      : layout(isBlockwise ? ScaleLayout::MnMajor : ScaleLayout::Tcgen05), rows(rows), blocks(blocks),
        bytes(size_t(scaleCount(layout, rows, blocks)) * size(), std::byte{0}) {}
  size_t size() const { return layout == ScaleLayout::MnMajor ? 4 : 1; }
  std::byte *at(int64_t row, int64_t block) {
    return bytes.data() + size_t(scaleOffset(layout, row, block, rows, blocks)) * size();
  }
};

/// An entry of rows that are nobody's names none.
struct Data {
  std::vector<int32_t> ends, index;
  int64_t rows;
  std::vector<RowGroup> groups;
  Scales sa, gatheredScales, sb;
  std::vector<std::byte> a, gathered, b;

  Data(const Source &source, const Case &c)
      : ends(endsOf(c.lengths, std::stoi(source.align))), rows((ends.empty() ? 0 : ends.back()) + c.tail),
        groups(rowGroups(ends, rows, std::stoi(source.align))),
        sa(source.isBlockwise, c.rowsOfA, blocks(source, c)),
        gatheredScales(source.isBlockwise, scaleRowsOf(rows, int64_t(ends.size()), std::stoi(source.align)),
                       blocks(source, c)),
        sb(source.isBlockwise, 0, 0), gathered(size_t(rows * c.k), std::byte{0}) {
    BlockwiseRandom random(c.seed, source.isBlockwise); // special values where they have the reference's bits
    a = random.codes(source.element, c.rowsOfA * c.k);
    const int64_t matrices = int64_t(ends.size()) * (source.hasParts ? 2 : 1);
    b = random.codes("f8E4M3FN", matrices * c.n * c.k);
    std::mt19937_64 numbers(c.seed);
    auto put = [&](std::byte *to) {
      const float scale = random.scale();
      if (source.isBlockwise)
        std::copy_n(reinterpret_cast<const std::byte *>(&scale), 4, to);
      else
        *to = std::byte(118 + numbers() % 16);
    };
    for (int64_t row = 0; row < c.rowsOfA; ++row)
      for (int64_t block = 0; block < sa.blocks; ++block)
        put(sa.at(row, block));
    const int64_t blocksOfN = (c.n + 127) / 128;
    sb.bytes.resize(size_t(matrices) * (source.isBlockwise
                                            ? size_t(blocksOfN * sa.blocks * 4)
                                            : size_t(scaleCount(ScaleLayout::Tcgen05, c.n, sa.blocks))));
    for (size_t i = 0; i < sb.bytes.size(); i += sa.size())
      put(sb.bytes.data() + i);
    index.assign(size_t(rows), 0x40000000);
    for (const RowGroup &group : groups)
      for (int64_t row = group.begin; row < group.end; ++row) {
        const int32_t from =
            c.rowsOfA == 0 || numbers() % 8 == 0 ? -1 : int32_t(numbers() % uint64_t(c.rowsOfA));
        index[size_t(row)] = from;
        if (from < 0) continue;
        std::copy_n(a.begin() + from * c.k, c.k, gathered.begin() + row * c.k);
        for (int64_t block = 0; block < sa.blocks; ++block)
          std::copy_n(sa.at(from, block), sa.size(),
                      gatheredScales.at(group.scaleRow + row - group.begin, block));
      }
  }

  static int64_t blocks(const Source &source, const Case &c) {
    const int64_t length = source.isBlockwise ? 128 : 32;
    return (c.k + length - 1) / length;
  }

  RunOutcome run(const Kernel &kernel, const Source &source, const Case &c, bool gathers) const {
    RunCase run;
    run.inputs = {{"a", gathers ? a : gathered},
                  {"sa", gathers ? sa.bytes : gatheredScales.bytes},
                  {"b", b},
                  {"sb", sb.bytes},
                  {"ends", std::as_bytes(std::span(ends))}};
    run.dimensions = {{"M", rows}, {"N", c.n}, {"K", c.k}, {"G", int64_t(ends.size())}};
    if (gathers) run.inputs["index"] = std::as_bytes(std::span(index)), run.dimensions["T"] = c.rowsOfA;
    std::optional<Prologue> region;
    if (source.hasParts) run.prologue = &region.emplace(Prologue::parse(source.text(gathers)).value());
    return runChecked(kernel, run);
  }
};

/// "" or what is wrong: the reference is another, or the bytes of the product of gathered rows are.
std::string check(const Kernel &byIndex, const Kernel &beforehand, const Source &source, const Case &c) {
  const Data data(source, c);
  const RunOutcome found = data.run(byIndex, source, c, true),
                   expected = data.run(beforehand, source, c, false);
  const std::string where = text(c) + " <" + found.tile + ">\n";
  if (!found.failure.empty() || !expected.failure.empty()) return where + found.failure + expected.failure;
  for (const RowGroup &group : data.groups) {
    auto rowsOf = [&](const RunOutcome &of) {
      return std::as_bytes(std::span(of.outputs.at("c")))
          .subspan(size_t(group.begin * c.n * 2), size_t(group.rows() * c.n * 2));
    };
    if (!std::ranges::equal(rowsOf(found), rowsOf(expected)))
      return where + "the group at row " + std::to_string(group.begin) +
             " differs from the rows gathered beforehand";
  }
  return "";
}

std::vector<std::string> tiles(const Source &source) {
  if (source.isBlockwise)
    return {"m = 256, n = 192, stages = 3, ctas = 2",
            "m = 256, n = 128, stages = 3, scheduler = counter",
            "n = 128, stages = 4, store = rows",
            "m = 16, n = 128, stages = 5, buffers = 1",
            "m = 48, n = 64, stages = 4, buffers = 1",
            "m = 16, n = 8, stages = 3, store = rows",
            "n = 128, stages = 4, load = element, store = rows"};
  if (onWarpgroups())
    return {"m = 256, n = 256, stages = 5, ctas = 2, buffers = 1, a = in_flight",
            "m = 256, n = 256, stages = 4, ctas = 2, buffers = 1, scheduler = counter, a = in_flight",
            "n = 64, stages = 4, supergroup = 2, store = rows, a = in_flight",
            "#mx.swap_tile<tokens = 16, splits = 1, parts = 2, stages = 2, token_stages = 3>",
            "#mx.swap_tile<columns = 64, tokens = 32, splits = 3, parts = 2, stages = 3>",
            "#mx.swap_tile<tokens = 96, splits = 2, stages = 3, token_stages = 2, code_stages = 2>",
            "m = 256, n = 256, ctas = 2, stages = 4",
            "n = 128, stages = 4, load = element, store = rows"};
  if (onWarps()) return {"n = 64, stages = 2, load = element, store = rows"};
  return {"n = 64, load = element, store = rows"};
}

std::vector<Source> sources() {
  std::vector<Source> all;
  for (bool isBlockwise : {false, true})
    for (const char *align : {"128", "1"})
      if (!isBlockwise || onWarpgroups()) all.push_back({.isBlockwise = isBlockwise, .align = align});
  return all;
}

const Case kCases[] = {{{0, 1, 31, 44, 128, 129, 0}, 37, 136, 160, 40},
                       {{1}, 1, 8, 32},
                       {{300}, 500, 264, 272, 4},
                       {{0, 0, 0}, 9, 64, 64, 130},
                       {{200, 0, 56}, 130, 72, 48, 0, 2}};

} // namespace

TEST_CASE("rows by index: forced tiles", "[small][simulated]") {
  uint64_t number = 0;
  for (const Source &source : sources())
    for (const std::string &tile : tiles(source)) {
      if (isLeftToOthers(number++)) continue;
      INFO(tile << "\n" << source.text(true));
      const Kernel byIndex = compileForDevice(source.text(true), tile).kernel(),
                   beforehand = compileForDevice(source.text(false), tile).kernel();
      for (const Case &c : kCases)
        CHECK(check(byIndex, beforehand, source, c) == "");
    }
}

TEST_CASE("rows by index: the heuristics' tiles", "[small][simulated][chip]") {
  for (const Source &source : sources()) {
    INFO(source.text(true));
    const Kernel byIndex = compileForDevice(source.text(true)).kernel();
    for (const Case &c : kCases)
      CHECK(Data(source, c).run(byIndex, source, c, true).failure == "");
    const Case none{{3, 130}, 0, 64, 64, 5}, odd{{5, 0, 130}, 33, 33, 200, 3}, empty{{}, 5, 64, 64, 20};
    for (const Case &c : {none, odd, empty}) // a without rows; another alignment; no groups
      CHECK(Data(source, c).run(byIndex, source, c, true).failure == "");
  }
}

TEST_CASE("rows by index: two products of one loop over K", "[small][simulated]") {
  if (onWarps()) return;
  const Source source = {.hasParts = true, .element = "f8E5M2"};
  const Kernel byIndex = compileForDevice(source.text(true)).kernel();
  for (const Case &c :
       {Case{{200, 0, 56}, 130, 128, 96}, Case{{1, 700}, 64, 128, 32}, Case{{5, 0, 12}, 9, 96, 272}})
    CHECK(Data(source, c).run(byIndex, source, c, true).failure == "");
}

TEST_CASE("rows by index: entries that name no row", "[small][simulated]") {
  for (const Source &source : sources()) {
    const Kernel kernel = compileForDevice(source.text(true)).kernel();
    const Case c{{5, 12}, 16, 64, 64};
    Data data(source, c);
    std::vector<int32_t> zeros = data.index, wrong = data.index;
    zeros[0] = zeros[2] = zeros[3] = -1;
    wrong[0] = 16, wrong[2] = std::numeric_limits<int32_t>::min(),
    wrong[3] = std::numeric_limits<int32_t>::max();
    data.index = zeros;
    const RunOutcome expected = data.run(kernel, source, c, true);
    REQUIRE(expected.failure == "");
    GuardedArguments tensors(kernel, {{"M", data.rows}, {"N", c.n}, {"K", c.k}, {"G", 2}, {"T", 16}},
                             {{"a", data.a},
                              {"sa", data.sa.bytes},
                              {"b", data.b},
                              {"sb", data.sb.bytes},
                              {"ends", std::as_bytes(std::span(data.ends))},
                              {"index", std::as_bytes(std::span(wrong))}});
    Stream stream(testDevice());
    const PreparedLaunch launch = kernel.prepare(tensors.arguments());
    if (isSimulated())
      CHECK_THROWS_WITH(launch.launch(stream), Catch::Contains("argument 'index': entry 0 is 16"));
    const Graph graph = Graph::capture(stream, [&] { launch.launch(stream); });
    graph.launch(stream);
    stream.synchronize();
    CHECK(tensors.damage().value_or("") == "");
    auto first = [&](const GuardedArguments::Outputs &of) {
      return std::as_bytes(std::span(of.at("c"))).first(size_t(5 * c.n * 2));
    };
    const GuardedArguments::Outputs found = tensors.outputs();
    CHECK(std::ranges::equal(first(found), first(expected.outputs)));
  }
}
