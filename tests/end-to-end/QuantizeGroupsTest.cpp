// mx.quantize of rows in groups and of gathered rows: axes, alignments, layouts, tiles, and groups of any
// length.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace mxc;

namespace {

std::span<const std::byte> bytesOf(const std::vector<int32_t> &integers) {
  return std::as_bytes(std::span(integers));
}

struct GroupedCase {
  int64_t rows, columns, inputRows = 0; // inputRows: of what is gathered from
  std::vector<int32_t> ends;
  int seed = 1;
};

/// "" or the failure.
std::string check(const Kernel &kernel, const GroupedCase &c, const Prologue *prologue = nullptr) {
  const KernelAbi &abi = kernel.abi();
  RunCase run;
  bool hasGroups = abi.argumentOf(ArgumentRole::Ends), isGathered = abi.argumentOf(ArgumentRole::Index);
  int64_t inputRows = isGathered ? c.inputRows : c.rows;
  FloatType type = floatTypeNamed(argumentOf(abi, "x").type);
  std::vector<std::byte> x = matrixData(type, inputRows, c.columns, c.seed, prologue != nullptr),
                         y = matrixData(type, inputRows, c.columns, c.seed + 1, prologue != nullptr);
  std::vector<int32_t> index(size_t(c.rows));
  std::mt19937 random(c.seed);
  for (int32_t &row : index)
    row = int32_t(random() % uint64_t(inputRows + 1)) - 1;
  std::vector<std::byte> rows = matrixData(FloatType::F32, c.rows, 1, c.seed + 2, /*finite=*/true);
  run.inputs["x"] = x;
  for (const auto &[name, bytes] : {std::pair("y", &y), std::pair("rows", &rows)})
    if (std::ranges::count(abi.arguments, name, &AbiArgument::name)) run.inputs[name] = *bytes;
  if (hasGroups) run.inputs["ends"] = bytesOf(c.ends);
  if (isGathered) run.inputs["index"] = bytesOf(index);
  run.dimensions = {{"M", c.rows}, {"K", c.columns}};
  if (hasGroups) run.dimensions["G"] = int64_t(c.ends.size());
  if (isGathered) run.dimensions["N"] = inputRows;
  run.prologue = prologue;
  RunOutcome outcome = runChecked(kernel, run);
  if (outcome.failure.empty()) return {};
  std::string text = std::to_string(c.rows) + "x" + std::to_string(c.columns) + " from " +
                     std::to_string(inputRows) + " rows, ends";
  for (int32_t end : c.ends)
    text += " " + std::to_string(end);
  for (const auto &[name, value] : abi.operation.attributes)
    text += " " + name + "=" + value;
  return text + " <" + outcome.tile + ">\n" + outcome.failure;
}

const char *const kAxes[] = {"axis = row", "axis = column", "axis = column transpose = false", "axis = both",
                             "axis = both transpose = false"};

/// Every axis with every alignment and gathering; types, elements and layouts rotate.
std::string moduleText(int rotation) {
  static const char *const inputs[] = {"bf16", "bf16", "f16", "f32"};
  std::string module;
  for (const char *axis : kAxes)
    for (const char *align : {"", "1", "128"})
      for (bool isGathered : {false, true}) {
        if (!*align && !isGathered) continue;
        QuantizeText text;
        text.axis = axis, text.align = align, text.isGathered = isGathered;
        text.input = inputs[rotation % 4], text.element = rotation % 3 ? "f8E4M3FN" : "f8E5M2";
        text.layout = rotation % 5 % 2 ? "dense" : "tcgen05";
        if (rotation % 4 == 3) text.clauses = "tiny = clamp"; // zeros have a scale that is not padding's
        text.name = "k" + std::to_string(rotation++);
        module += text.text();
      }
  return module;
}

GroupedCase caseOf(const KernelAbi &abi, const std::vector<int32_t> &lengths, int64_t columns, int32_t tail) {
  const AbiArgument *ends = abi.argumentOf(ArgumentRole::Ends);
  bool isCompact = ends && ends->groupRows == 1;
  GroupedCase c{0, columns, 77, endsOf(lengths, isCompact ? 1 : 128)};
  c.rows = c.ends.back() + tail;
  return c;
}

} // namespace

TEST_CASE("quantize groups: lengths from 0, with rows after them", "[small][simulated]") {
  Module module = compileForDevice(moduleText(0));
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    Kernel kernel = module.kernel(abi.name);
    CHECK(check(kernel, caseOf(abi, {0, 1, 31, 44, 128, 129, 0}, 80, 48)) == "");
    CHECK(check(kernel, caseOf(abi, {33, 0, 7}, 33, 5)) == "");
    CHECK(check(kernel, caseOf(abi, {64}, 64, 0)) == "");
    CHECK(check(kernel, caseOf(abi, {127}, 34, 1)) ==
          ""); // one group, whole tiles: as a matrix, but for a row
  }
}

TEST_CASE("quantize groups: no rows, no columns, no groups, more groups than a warp has lanes", "[small]") {
  Module module = compileForDevice(moduleText(1));
  std::vector<int32_t> many(70, 0);
  many[3] = 5, many[33] = 1, many[34] = 130, many[66] = 2;
  for (const KernelAbi &abi : module.abi().kernels) {
    Kernel kernel = module.kernel(abi.name);
    CHECK(check(kernel, caseOf(abi, {0, 0}, 64, 0)) == "");
    CHECK(check(kernel, caseOf(abi, {0, 0}, 64, 150)) == "");
    CHECK(check(kernel, caseOf(abi, {5, 9}, 0, 0)) == "");
    CHECK(check(kernel, caseOf(abi, many, 40, 1)) == "");
    if (abi.argumentOf(ArgumentRole::Ends)) {
      CHECK(check(kernel, {256, 64, 3, {}}) == "");
      CHECK(check(kernel, {0, 64, 3, {}}) == "");
    }
    GroupedCase nothing = caseOf(abi, {3, 4}, 32, 2);
    nothing.inputRows = 0; // every row is padding
    if (abi.argumentOf(ArgumentRole::Index)) CHECK(check(kernel, nothing) == "");
  }
}

TEST_CASE("quantize groups: more than two loads of ends find", "[small][simulated]") {
  std::vector<int32_t> lengths(1100, 0);
  lengths[5] = 3, lengths[40] = 130, lengths[1023] = 1, lengths[1024] = 2, lengths[1099] = 4;
  for (const char *align : {"1", "128"}) {
    QuantizeText text;
    text.axis = kAxes[0], text.align = align;
    Kernel kernel = compileForDevice(text.text()).kernel();
    CHECK(check(kernel, caseOf(kernel.abi(), lengths, 32, 0)) == "");
  }
}

TEST_CASE("quantize groups: more groups among a warp's rows than it looks at at once", "[small][simulated]") {
  std::vector<int32_t> lengths;
  for (int group = 0; group < 230; ++group)
    lengths.push_back(group % 7 == 6 ? 0 : 1 + group % 3);
  for (const char *layout : {"tcgen05", "dense"}) {
    QuantizeText text;
    text.axis = kAxes[0], text.align = "1", text.layout = layout;
    for (const char *tile : {"", "rows_per_warp = 1", "access = element", "lane_elements = 32"}) {
      Kernel kernel = compileForDevice(text.text(), tile).kernel();
      CHECK(check(kernel, caseOf(kernel.abi(), lengths, 96, 3)) == "");
    }
  }
}

// Blocks of 128 with every axis, alignment and layout; a prologue on one of them.
TEST_CASE("quantize groups: blocks of 128 with f32 scales", "[small][simulated]") {
  static const char *const kRules[] = {"special = propagate", "compat = \"deepseek\"",
                                       "compat = \"te_blockwise\"", "special = saturate"};
  int rotation = 0;
  std::string module;
  for (const char *axis : kAxes)
    for (const char *align : {"", "1", "1", "128"}) {
      ++rotation;
      QuantizeText text;
      text.block = "1x128", text.axis = axis, text.align = align;
      text.layout = rotation % 2 ? "dense" : "mn_major";
      text.isGathered = !*align || rotation % 3 == 0;
      text.clauses = kRules[rotation % 4], text.input = rotation % 4 == 3 ? "f32" : "bf16";
      text.hasAmax = rotation % 5 == 4;
      text.name = "k" + std::to_string(rotation) + axis[7];
      module += text.text();
    }
  Module compiled = compileForDevice(module);
  int number = 0;
  for (const KernelAbi &abi : compiled.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    Kernel kernel = compiled.kernel(abi.name);
    CHECK(check(kernel, caseOf(abi, {0, 1, 31, 44, 128, 129, 0}, 80, 48)) == "");
    CHECK(check(kernel, caseOf(abi, {33, 0, 7}, 133, 5)) == "");
  }
  QuantizeText rows;
  rows.block = "1x128", rows.align = "1", rows.layout = "mn_major", rows.clauses = "special = propagate";
  for (const char *tile : {"rows_per_warp = 1", "access = element", "lane_elements = 32"}) {
    Kernel kernel = compileForDevice(rows.text(), tile).kernel();
    CHECK(check(kernel, caseOf(kernel.abi(), {0, 1, 31, 44, 128, 129, 0}, 96, 48)) == "");
  }
}

TEST_CASE("quantize groups: blocks of 128 with scales of one byte, and for smaller blocks",
          "[small][simulated]") {
  static const char *const kRules[] = {"special = propagate", "compat = \"te\"", "compat = \"megatron\""};
  static const struct {
    const char *block, *layout;
  } kBlocks[] = {
      {"1x128 to 1x32", "tcgen05"}, {"1x128", "mn_major"}, {"1x128 to 1x32", "dense"}, {"1x128", "dense"}};
  int rotation = 0;
  std::string module;
  for (const char *axis : kAxes)
    for (const char *align : {"", "1", "1", "128", "128"}) {
      QuantizeText text;
      text.block = kBlocks[rotation % 4].block, text.layout = kBlocks[rotation % 4].layout;
      text.scale = "f8E8M0FNU", text.axis = axis, text.align = align;
      text.isGathered = !*align || rotation % 3 == 0;
      text.clauses = kRules[rotation % 3], text.input = rotation % 4 == 3 ? "f32" : "bf16";
      text.name = "k" + std::to_string(rotation++) + axis[7];
      module += text.text();
    }
  Module compiled = compileForDevice(module);
  int number = 0;
  for (const KernelAbi &abi : compiled.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    Kernel kernel = compiled.kernel(abi.name);
    CHECK(check(kernel, caseOf(abi, {0, 1, 31, 44, 128, 129, 0}, 80, 48)) == "");
    CHECK(check(kernel, caseOf(abi, {33, 0, 7}, 133, 5)) == "");
  }
}

TEST_CASE("quantize groups: forced tiles and random ends", "[small]") {
  std::mt19937 random(7);
  struct Forced {
    const char *tile;
    bool alongRows, gathers;
  };
  static const Forced tiles[] = {{"access = element", true, true},
                                 {"rows_per_warp = 1, warps = 4", true, true},
                                 {"order = rows, warps = 16", true, true},
                                 {"variant = bulk", true, false},
                                 {"order = columns", false, true},
                                 {"order = columns, cluster_rows = 2, cluster_columns = 2", false, true},
                                 {"columns = 256, ctas_per_sm = 1", false, true},
                                 {"load = direct, columns = 256, store_bytes = 4", false, true},
                                 {"load = element, store_bytes = 2", false, true}};
  int rotation = 0;
  for (const Forced &forced : tiles)
    for (int pick = 0; pick < 3; ++pick) {
      QuantizeText text;
      text.axis = forced.alongRows ? kAxes[0] : kAxes[1 + ++rotation % 4];
      text.align = random() % 2 ? "1" : "128";
      text.isGathered = forced.gathers && random() % 2;
      const bool isWide = std::string(forced.tile).find("256") != std::string::npos; // for sm_120a's memory
      text.input = random() % 2 || isWide ? "bf16" : "f32", text.layout = random() % 2 ? "dense" : "tcgen05";
      Module module = compileForDevice(text.text(), forced.tile);
      std::vector<int32_t> lengths(1 + random() % 9);
      for (int32_t &length : lengths)
        length = random() % 3 ? int32_t(random() % 200) : 0;
      lengths.push_back(1);
      GroupedCase c = caseOf(module.abi().kernels.front(), lengths, 16 * int64_t(1 + random() % 20), 0);
      c.rows += 15 - (c.rows + 15) % 16 + int64_t(random() % 3) * 64; // whole pieces of transposed rows
      INFO(forced.tile);
      CHECK(check(module.kernel("k"), c) == "");
    }
}

TEST_CASE("quantize groups: prologues", "[small][simulated]") {
  static const char *const kExact = "  %c = arith.constant 0.5 : f32\n  %p = arith.mulf %a, %b : f32\n"
                                    "  %r = arith.addf %p, %c : f32\n";
  static const char *const kInexact =
      "  %e = math.exp %a fastmath<afn> : f32\n  %r = arith.mulf %e, %b : f32\n";
  int rotation = 0;
  for (const char *axis : kAxes)
    for (const char *body : {kExact, kInexact}) {
      QuantizeText text;
      text.axis = axis, text.inputs = 2, text.prologue = body;
      text.align = ++rotation % 2 ? "1" : "128", text.isGathered = rotation % 3 == 0;
      if (rotation % 4 < 2)
        text.block = "1x128", text.layout = "mn_major", text.clauses = "special = saturate";
      std::string source = text.text();
      Prologue prologue = Prologue::parse(source).value();
      Kernel kernel = compileForDevice(source).kernel();
      CHECK(check(kernel, caseOf(kernel.abi(), {40, 0, 129, 3}, 96, 20), &prologue) == "");
    }
}

TEST_CASE("quantize groups: a value for each row", "[small][simulated]") {
  int rotation = 0;
  for (const char *axis : kAxes)
    for (const char *align : {"", "1", "128"}) {
      QuantizeText text;
      text.axis = axis, text.align = align, text.inputs = 1 + ++rotation % 2, text.hasRowValues = true;
      text.isGathered = !*align || rotation / 2 % 2, text.input = rotation % 3 ? "bf16" : "f32";
      text.prologue = text.inputs == 1 ? "  %r = arith.mulf %a, %f : f32\n"
                                       : "  %p = arith.mulf %a, %f : f32\n  %r = arith.addf %p, %b : f32\n";
      std::string source = text.text(), tile = text.axis == kAxes[0] ? "access = element" : "load = element";
      Prologue prologue = Prologue::parse(source).value();
      Kernel kernel = compileForDevice(source, rotation % 4 ? "" : tile).kernel();
      CHECK(check(kernel, caseOf(kernel.abi(), {40, 0, 129, 3}, 96, 20), &prologue) == "");
    }
}

TEST_CASE("quantize groups: rows after an end are +0, beside NaN, too", "[small][simulated]") {
  for (const char *axis : {"axis = column", "axis = column transpose = false"}) {
    QuantizeText text;
    text.axis = axis, text.align = "128", text.layout = "dense";
    Kernel kernel = compileForDevice(text.text()).kernel();
    const bool isTransposed = kernel.abi().operation.attributes.at("transpose") == "true";
    constexpr int64_t kRows = 144, kColumns = 48, kEnd = 40;
    std::vector<std::byte> nan(2 * kRows * kColumns, std::byte{0xFF});
    std::vector<int32_t> ends = {kEnd};
    RunCase run;
    run.inputs = {{"x", nan}, {"ends", bytesOf(ends)}};
    run.dimensions = {{"M", kRows}, {"K", kColumns}, {"G", 1}};
    RunOutcome outcome = runChecked(kernel, run);
    INFO(axis);
    CHECK(outcome.failure == "");
    const std::vector<std::byte> &codes = outcome.outputs.at("q");
    for (int64_t row = 0; row < 128; ++row)
      for (int64_t column = 0; column < kColumns; ++column) {
        const std::byte code =
            codes.at(size_t(isTransposed ? column * kRows + row : row * kColumns + column));
        if (code != std::byte(row < kEnd ? 0x7F : 0)) FAIL("row " << row << ", column " << column);
      }
  }
}

TEST_CASE("quantize groups: one group is the matrix", "[small]") {
  for (const char *axis : kAxes) {
    QuantizeText text;
    text.axis = axis;
    std::vector<GuardedArguments::Outputs> outputs;
    for (const char *align : {"", "1", "128"}) {
      text.align = align;
      Kernel kernel = compileForDevice(text.text()).kernel();
      std::vector<std::byte> x = matrixData(FloatType::BF16, 176, 96, 3);
      std::vector<int32_t> ends = {176};
      RunCase run;
      run.inputs["x"] = x;
      run.dimensions = {{"M", 176}, {"K", 96}};
      if (*align) run.inputs["ends"] = bytesOf(ends), run.dimensions["G"] = 1;
      RunOutcome outcome = runChecked(kernel, run);
      CHECK(outcome.failure == "");
      outputs.push_back(outcome.outputs);
    }
    INFO(axis);
    CHECK((outputs[0] == outputs[1] && outputs[0] == outputs[2]));
  }
}

// Bad ends lead nowhere outside of the outputs: the guards say so. On a simulator the launch names them.
TEST_CASE("quantize groups: ends that fall or leave the matrix", "[small]") {
  static const std::vector<std::vector<int32_t>> bad = {
      {100, 50, 200}, {300, 300, 300}, {-5, 20, 1 << 30}, {0, INT32_MIN, INT32_MAX}, {200, 0, 0}};
  for (const char *axis : kAxes)
    for (const char *align : {"1", "128"})
      for (bool isGathered : {false, true}) {
        QuantizeText text;
        text.axis = axis, text.align = align, text.isGathered = isGathered;
        Kernel kernel = compileForDevice(text.text()).kernel();
        for (const std::vector<int32_t> &ends : bad) {
          std::vector<std::byte> x = matrixData(FloatType::BF16, 208, 96, 3);
          std::vector<int32_t> index(208, 207);
          index[7] = 208, index[9] = INT32_MIN, index[11] = INT32_MAX;
          GuardedArguments tensors(kernel, {{"M", 208}, {"K", 96}, {"G", 3}, {"N", 208}},
                                   {{"x", x}, {"ends", bytesOf(ends)}, {"index", bytesOf(index)}});
          Stream stream(testDevice());
          PreparedLaunch launch = kernel.prepare(tensors.arguments());
          if (isSimulated()) {
            CHECK_THROWS_WITH(launch.launch(stream), Catch::Contains("argument 'ends': ends["));
            continue;
          }
          launch.launch(stream);
          stream.synchronize();
          CHECK(tensors.damage().value_or("") == "");
        }
      }
}
