// Products whose results are quantized: against the host reference, and byte for byte against mx.quantize of
// the same f32, which a product with f32 results and the same tile gives.
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc;

namespace {

const std::string kTiled = "f8E8M0FNU, #mx.scale_layout<tcgen05>>";

/// mx.matmul, or mx.grouped_matmul where `align` says how groups begin, of arguments a, sa, b, sb, (ends,)
/// bias and the results: c, and copies along rows (q, s) and along columns (qt, st), all of one f32: the
/// product, or with `isSwiglu` silu(gate) up of two, which are results, too (zg, zu).
struct ProductText {
  std::string align = {}, output = "bf16", element = "f8E4M3FN", layout = "tcgen05", rule = {};
  bool hasMatrix = true, alongRows = true, alongColumns = false, hasBias = true, isSwiglu = false,
       hasParts = true; // among the results

  bool isGrouped() const { return !align.empty(); }
  std::string scalesType() const {
    return layout == "dense" ? "memref<?x?xf8E8M0FNU>" : "memref<?x?x" + kTiled;
  }
  std::string text() const {
    const std::string a = "memref<?x?xf8E4M3FN>", sa = "memref<?x?x" + kTiled,
                      leading = std::string(isGrouped() ? "memref<?x" : "memref<") + (isSwiglu ? "2x" : ""),
                      b = leading + "?x?xf8E4M3FN>", sb = leading + "?x?x" + kTiled,
                      bias = isGrouped() ? "memref<?x1x?xbf16>" : "memref<1x?xbf16>",
                      codes = "memref<?x?x" + element + ">";
    std::string arguments = "%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " + sb;
    if (isGrouped()) arguments += ", %ends: memref<?xi32>";
    if (hasBias) arguments += ", %bias: " + bias;
    std::string outs, types, yields, yieldTypes;
    auto result = [&](const std::string &of, const std::string &typesOf, const std::string &value = "%r") {
      const std::string comma = outs.empty() ? "" : ", ";
      outs += comma + of, types += comma + typesOf, yields += comma + value, yieldTypes += comma + "f32";
    };
    auto copy = [&](const std::string &q, const std::string &s, const std::string &axis) {
      arguments += ", %" + q + ": " + codes + ", %" + s + ": " + scalesType();
      result("(%" + q + ", %" + s + ") {axis = " + axis + "}", codes + ", " + scalesType());
    };
    if (alongRows) copy("q", "s", "row");
    if (hasMatrix) {
      arguments += ", %c: memref<?x?x" + output + ">";
      result("%c", "memref<?x?x" + output + ">");
    }
    if (alongColumns) copy("qt", "st", "column");
    for (const char *part : {"zg", "zu"}) {
      if (!isSwiglu || !hasParts) continue;
      const std::string name = std::string("%") + part, type = "memref<?x?x" + output + ">";
      arguments += ", " + name + ": " + type;
      result(name, type, part == std::string("zg") ? "%gate" : "%up");
    }
    std::string text =
        "mx.kernel @k(" + arguments + ") {\n  mx." + (isGrouped() ? "grouped_matmul" : "matmul") +
        " ins(%a, %sa, %b, %sb : " + a + ", " + sa + ", " + b + ", " + sb + ") " +
        (isGrouped() ? "groups(%ends : memref<?xi32>) " : "") +
        (hasBias ? "with(%bias : " + bias + ") " : "") + "outs(" + outs + " : " + types + ") " +
        (isGrouped() ? "align = " + align + " " : "") + (isSwiglu ? "parts = 2 " : "") + rule;
    if (isSwiglu)
      text += std::string(" {\n  ^bb0(%gate: f32, %up: f32") + (hasBias ? ", %shift: f32" : "") +
              "):\n    %one = arith.constant 1.0 : f32\n"
              "    %g = arith." +
              (hasBias ? "addf %gate, %shift" : "addf %gate, %gate") +
              " : f32\n    %minus = arith.negf %g : f32\n"
              "    %power = math.exp %minus fastmath<afn> : f32\n    %below = arith.addf %power, %one : f32\n"
              "    %silu = arith.divf %g, %below fastmath<afn> : f32\n    %r = arith.mulf %silu, %up : f32\n"
              "    mx.yield " +
              yields + " : " + yieldTypes + "\n  }";
    else if (hasBias)
      text += " {\n  ^bb0(%product: f32, %shift: f32):\n    %r = arith.addf %product, %shift : f32\n"
              "    mx.yield " +
              yields + " : " + yieldTypes + "\n  }";
    return text + "\n}\n";
  }
};

/// The same with one result, f32.
ProductText plain(ProductText of) {
  of.hasMatrix = true, of.alongRows = of.alongColumns = of.hasParts = false, of.output = "f32", of.rule = {};
  return of;
}

QuantizeText quantizer(const ProductText &of, const std::string &axis) {
  QuantizeText text;
  text.input = "f32", text.element = of.element, text.layout = of.layout;
  text.axis = "axis = " + axis, text.align = of.align;
  text.clauses = of.rule.empty() ? "rounding = ceil" : of.rule;
  return text;
}

struct ProductCase {
  std::vector<int32_t> lengths; // of groups; without groups the rows
  int64_t n, k, tail = 0;
};

std::string text(const ProductCase &c) {
  std::string text = "rows";
  for (int32_t length : c.lengths)
    text += " " + std::to_string(length);
  return text + ", then " + std::to_string(c.tail) + ", x " + std::to_string(c.n) + " x " +
         std::to_string(c.k);
}

// Rows that are nobody's are NaN, and so are some elements and scales.
class ProductData {
public:
  ProductData(const ProductText &source, const ProductCase &c) : random_(uint64_t(c.n * 31 + c.k)) {
    align_ = source.isGrouped() ? std::stoi(source.align) : 1;
    ends = endsOf(c.lengths, align_);
    rows = (ends.empty() ? 0 : ends.back()) + c.tail;
    groups = source.isGrouped() ? int64_t(ends.size()) : 1;
    const int64_t blocks = (c.k + 31) / 32;
    const int64_t scaleRows = source.isGrouped() ? scaleRowsOf(rows, groups, align_) : rows;
    isSmall_ = source.isSwiglu;
    const int64_t matrices = groups * (source.isSwiglu ? 2 : 1);
    a = codes(rows * c.k, true), b = codes(matrices * c.n * c.k, false);
    sa = scales(scaleCount(ScaleLayout::Tcgen05, scaleRows, blocks));
    sb = scales(matrices * scaleCount(ScaleLayout::Tcgen05, c.n, blocks));
    bias = matrixData(FloatType::BF16, groups, c.n, 3, /*finite=*/true);
    if (source.isGrouped())
      for (const auto &row : nobodys())
        std::fill_n(a.begin() + row * c.k, c.k, std::byte{0xFF});
  }

  RunCase run(const ProductText &source, const ProductCase &c) const {
    RunCase run;
    run.inputs = {{"a", a}, {"sa", sa}, {"b", b}, {"sb", sb}};
    if (source.hasBias) run.inputs["bias"] = bias;
    run.dimensions = {{"M", rows}, {"N", c.n}, {"K", c.k}};
    if (source.isGrouped()) {
      run.inputs["ends"] = std::as_bytes(std::span(ends));
      run.dimensions["G"] = groups;
    }
    return run;
  }

  std::vector<int32_t> ends;
  int64_t rows = 0, groups = 1;

private:
  std::vector<int64_t> nobodys() const {
    std::vector<uint8_t> owned(size_t(rows), 0);
    for (const RowGroup &group : rowGroups(ends, rows, align_))
      if (group.rows()) std::fill(owned.begin() + group.begin, owned.begin() + group.end, 1);
    std::vector<int64_t> free;
    for (int64_t r = 0; r < rows; ++r)
      if (!owned[size_t(r)]) free.push_back(r);
    return free;
  }
  std::vector<std::byte> codes(int64_t count, bool hasNan) {
    std::vector<std::byte> codes(static_cast<size_t>(count));
    for (std::byte &code : codes) {
      uint32_t drawn = random_() & 0xFF;
      if ((drawn & 0x7F) == 0x7F && !(hasNan && random_() % 16 == 0)) drawn = 0;
      code = std::byte(drawn);
    }
    return codes;
  }
  std::vector<std::byte> scales(int64_t count) {
    std::vector<std::byte> scales(static_cast<size_t>(count));
    for (std::byte &scale : scales)
      scale = std::byte(random_() % 32 ? (isSmall_ ? 116 + random_() % 8 : 118 + random_() % 16)
                                       : 100 + random_() % 40);
    return scales;
  }

  std::mt19937_64 random_;
  int32_t align_;
  bool isSmall_ = false; // products of some ones, where silu bends
  std::vector<std::byte> a, sa, b, sb, bias;
};

/// Kernels that are compiled once: the product, the same with f32 results, and quantizers of those.
struct Compiled {
  ProductText source;
  Kernel fused, single, rows, columns;

  explicit Compiled(const ProductText &source, const std::string &tile = {})
      : source(source), fused(compileForDevice(source.text(), tile).kernel()),
        single(compileForDevice(plain(source).text(), tile).kernel()),
        rows(compileForDevice(quantizer(source, "row").text()).kernel()),
        columns(compileForDevice(quantizer(source, "column").text()).kernel()) {}

  /// "" or what is wrong: against the reference, or with `compares` beside mx.quantize.
  std::string check(const ProductCase &c, bool compares = true) const {
    const ProductData data(source, c);
    RunCase run = data.run(source, c);
    std::optional<Prologue> region;
    if (source.hasBias || source.isSwiglu)
      run.prologue = &region.emplace(Prologue::parse(source.text()).value());
    const RunOutcome outcome = runChecked(fused, run);
    if (!outcome.failure.empty()) return text(c) + " <" + outcome.tile + ">\n" + outcome.failure;
    if (!compares) return "";
    RunCase alone = data.run(source, c);
    alone.prologue =
        source.isSwiglu ? &region.emplace(Prologue::parse(plain(source).text()).value()) : run.prologue;
    const RunOutcome sums = runChecked(single, alone);
    if (!sums.failure.empty()) return text(c) + " f32 <" + sums.tile + ">\n" + sums.failure;
    std::string failure;
    if (isInFlight(sums) != isInFlight(outcome)) return ""; // P1: added in another order
    if (source.alongRows) failure += compare(rows, data, c, sums, outcome, "q", "s");
    if (source.alongColumns) failure += compare(columns, data, c, sums, outcome, "qt", "st");
    return failure;
  }

private:
  static bool isInFlight(const RunOutcome &outcome) {
    return outcome.tile.find("in_flight") != std::string::npos;
  }
  std::string compare(const Kernel &quantizer, const ProductData &data, const ProductCase &c,
                      const RunOutcome &sums, const RunOutcome &outcome, const std::string &q,
                      const std::string &s) const {
    RunCase run;
    run.inputs = {{"x", std::as_bytes(std::span(sums.outputs.at("c")))}};
    run.dimensions = {{"M", data.rows}, {"K", c.n}};
    if (source.isGrouped()) {
      run.inputs["ends"] = std::as_bytes(std::span(data.ends));
      run.dimensions["G"] = data.groups;
    }
    const RunOutcome expected = runChecked(quantizer, run);
    if (!expected.failure.empty()) return text(c) + ": mx.quantize\n" + expected.failure;
    if (expected.outputs.at("q") == outcome.outputs.at(q) &&
        expected.outputs.at("s") == outcome.outputs.at(s))
      return "";
    return text(c) + " <" + outcome.tile + ">: " + q + " or " + s + " has other bytes than mx.quantize's\n";
  }
};

/// Those that products of two parts take.
std::vector<std::string> tilesOfParts() {
  if (onWarpgroups())
    return {"m = 256, n = 256, stages = 4, ctas = 2, buffers = 2, a = in_flight",
            "m = 256, n = 128, stages = 4, ctas = 2, supergroup = 2, store = rows",
            "n = 256, stages = 3, buffers = 1", "n = 128, stages = 4, load = element, store = rows"};
  if (onWarps())
    return {"stages = 2, buffers = 1", "stages = 2, store = rows",
            "stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 4", "n = 256, stages = 3, buffers = 1",
          "n = 256, stages = 3, supergroup = 2, store = rows",
          "n = 256, stages = 2, load = element, store = rows"};
}

std::vector<std::string> tiles() {
  if (onWarpgroups())
    return {"m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight",
            "n = 64, stages = 4, supergroup = 2, store = rows, a = in_flight",
            "n = 128, stages = 6, buffers = 1", "n = 128, stages = 4, load = element, store = rows"};
  if (onWarps())
    return {"stages = 2, buffers = 1", "n = 64, stages = 2, supergroup = 2, buffers = 1",
            "n = 64, stages = 2, store = rows", "n = 64, stages = 2, load = element, store = rows"};
  return {"m = 256, n = 256, ctas = 2, stages = 4", "m = 256, n = 64, ctas = 2, supergroup = 2",
          "n = 128, buffers = 1", "n = 192, store = rows", "n = 64, load = element, store = rows"};
}

const ProductCase kDense[] = {{{128}, 128, 128}, {{300}, 264, 96}, {{1}, 96, 64},  {{257}, 320, 160},
                              {{130}, 40, 32},   {{31}, 1, 48},    {{64}, 64, 0},  {{0}, 64, 64},
                              {{33}, 0, 64},     {{140}, 192, 64}, {{90}, 544, 64}};
const ProductCase kGrouped[] = {{{0, 1, 31, 44, 128, 129, 300, 0}, 160, 96, 40},
                                {{1}, 32, 32},
                                {{300}, 264, 64, 4},
                                {{0, 0, 0}, 64, 64, 130},
                                {{200, 0, 200}, 96, 48, 0},
                                {{5, 0, 130}, 33, 50, 3}};

void checkAll(const ProductText &source, const std::string &tile) {
  INFO((tile.empty() ? "tiles of the heuristics" : tile) << "\n" << source.text());
  const Compiled kernels(source, tile);
  const std::span<const ProductCase> cases =
      source.isGrouped() ? std::span<const ProductCase>(kGrouped) : std::span<const ProductCase>(kDense);
  // Without a given tile the kernels may choose different ones.
  for (const ProductCase &c : cases)
    CHECK(kernels.check(c, !tile.empty()) == "");
}

} // namespace

TEST_CASE("quantized results: along rows, forced tiles", "[small]") {
  for (const std::string &tile : tiles())
    for (const char *align : {"", "128", "1"})
      checkAll({.align = align}, tile);
}

TEST_CASE("quantized results: along rows, rules and formats", "[small]") {
  const std::string tile = tiles().front();
  checkAll({.hasMatrix = false}, tile);
  checkAll({.hasMatrix = false, .hasBias = false}, tile);
  checkAll({.align = "1", .layout = "dense", .rule = "rounding = floor special = saturate"}, tile);
  checkAll({.output = "f32", .element = "f8E5M2", .rule = "compat = \"te\""}, tile);
  checkAll({.align = "128", .output = "f16", .layout = "dense", .rule = "compat = \"megatron\""}, tile);
  for (const char *rule :
       {"special = unit_scale", "tiny = clamp"}) // padding is none of their blocks of zeros
    for (const char *align : {"", "128", "1"})
      checkAll({.align = align, .rule = rule, .alongColumns = true}, tile);
}

/// For one or two parts.
static const char *const kFewRowsTiles[] = {
    "#mx.swap_tile<tokens = 16, splits = 1, stages = 4, token_stages = 3, code_stages = 6>",
    "#mx.swap_tile<tokens = 32, splits = 3, parts = 2, stages = 2, token_stages = 2, code_stages = 2>",
    "#mx.swap_tile<tokens = 48, stages = 2, token_stages = 3>"};

/// Each tile with every alignment of groups; simulated, with one.
static void checkFewRows(ProductText source) {
  const std::string aligns[] = {"", "128", "1"};
  for (size_t tile = 0; tile < std::size(kFewRowsTiles); ++tile)
    for (size_t i = 0; i < std::size(aligns); ++i)
      if (!isSimulated() || i == tile) {
        source.align = aligns[i];
        checkAll(source, kFewRowsTiles[tile]);
      }
}

TEST_CASE("quantized results: along rows, tiles of few rows", "[small][simulated]") {
  if (!onWarpgroups()) return;
  checkFewRows({});
  const std::string narrow =
      "#mx.swap_tile<columns = 64, tokens = 16, splits = 5, parts = 2, token_stages = 6>";
  checkAll({.hasMatrix = false, .hasBias = false}, narrow);
  checkAll({.align = "1", .layout = "dense", .rule = "rounding = floor special = saturate"}, narrow);
  checkAll({.align = "128", .output = "f32", .element = "f8E5M2", .rule = "tiny = clamp"}, narrow);
  for (const char *tile :
       {"#mx.swap_tile<tokens = 96, stages = 3, token_stages = 3, code_stages = 0>",
        "#mx.swap_tile<tokens = 192, splits = 2, stages = 3, token_stages = 3, code_stages = 0>"})
    checkAll({.rule = "special = unit_scale"}, tile);
  checkAll({.align = "1"}, ""); // of groups they are the default
}

TEST_CASE("quantized results: along rows, the heuristics' tiles", "[small][simulated][chip]") {
  for (const char *align : {"", "128"})
    checkAll({.align = align}, "");
}

TEST_CASE("quantized results: along columns, forced tiles", "[small]") {
  for (const std::string &tile : tiles())
    for (const char *align : {"", "128", "1"})
      checkAll({.align = align, .alongRows = false, .alongColumns = true}, tile);
}

TEST_CASE("quantized results: along both, rules and formats", "[small]") {
  const std::string tile = tiles().front();
  checkAll({.hasMatrix = false, .alongColumns = true}, tile);
  checkAll(
      {.align = "1", .layout = "dense", .rule = "rounding = floor special = saturate", .alongColumns = true},
      tile);
  checkAll({.output = "f32", .element = "f8E5M2", .rule = "compat = \"te\"", .alongColumns = true}, tile);
}

TEST_CASE("quantized results: along both, the heuristics' tiles", "[small][simulated]") {
  for (const char *align : {"", "128"})
    checkAll({.align = align, .alongColumns = true}, "");
}

TEST_CASE("SwiGLU of two parts: forced tiles", "[small]") {
  for (const std::string &tile : tilesOfParts())
    for (const char *align : {"", "128", "1"})
      checkAll({.align = align, .alongColumns = true, .isSwiglu = true}, tile);
}

TEST_CASE("SwiGLU of two parts: results and formats", "[small]") {
  const std::string tile = tilesOfParts().front();
  checkAll({.align = "128",
            .hasMatrix = false,
            .alongColumns = true,
            .hasBias = false,
            .isSwiglu = true,
            .hasParts = false},
           tile);
  checkAll({.align = "1", .output = "f32", .element = "f8E5M2", .rule = "compat = \"te\"", .isSwiglu = true},
           tile);
  checkAll({.output = "f16", .alongRows = false, .isSwiglu = true}, tile);
}

TEST_CASE("SwiGLU of two parts: the heuristics' tiles", "[small][simulated]") {
  checkAll({.align = "128", .hasMatrix = false, .alongColumns = true, .isSwiglu = true}, "");
  checkAll({.isSwiglu = true}, "");
}

TEST_CASE("two parts: tiles of few rows", "[small][simulated]") {
  if (!onWarpgroups()) return;
  for (const char *tile : kFewRowsTiles)
    for (const char *align : {"", "128", "1"})
      checkAll({.align = align, .alongRows = false, .isSwiglu = true}, tile);
  checkFewRows({.isSwiglu = true});
  checkAll({.hasMatrix = false, .isSwiglu = true, .hasParts = false}, kFewRowsTiles[1]);
  checkAll({.alongRows = false, .isSwiglu = true},
           "#mx.swap_tile<tokens = 96, stages = 3, token_stages = 3, code_stages = 0>");
  for (bool alongRows : {false, true}) // of groups they are the default
    checkAll({.align = "128", .output = "f32", .alongRows = alongRows, .isSwiglu = true}, "");
}
