// mx.quantize with the largest magnitude and the sums of columns beside its copies: bit for bit, again and
// again.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

using namespace mxc;

static const char *const kAxes[] = {"axis = row", "axis = column", "axis = both transpose = false"};

static std::string totalsText(const char *axis, int rotation) {
  static const char *const inputs[] = {"bf16", "f16", "f32"}, *const specials[] = {"propagate", "saturate"};
  QuantizeText text;
  text.axis = axis, text.input = inputs[rotation % 3], text.special = specials[rotation % 2];
  text.hasAmax = rotation % 4 != 1, text.hasColumnSum = rotation % 4 != 2;
  text.isGathered = rotation % 5 == 4;
  text.layout = rotation % 2 ? "dense" : "tcgen05";
  return text.text();
}

static RunCase caseOf(const Kernel &kernel, Shape shape, std::vector<std::byte> &x,
                      std::vector<int32_t> &index) {
  RunCase run;
  x = matrixData(floatTypeNamed(argumentOf(kernel.abi(), "x").type), shape.rows, shape.columns, 9,
                 shape.rows % 2);
  run.inputs["x"] = x;
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  if (!kernel.abi().argumentOf(ArgumentRole::Index)) return run;
  for (int64_t r = 0; r < shape.rows; ++r)
    index.push_back(r % 3 ? int32_t(shape.rows - 1 - r) : -1);
  run.inputs["index"] = std::as_bytes(std::span(index));
  run.dimensions["N"] = shape.rows;
  return run;
}

TEST_CASE("quantize totals: amax and column sums of every axis", "[small][simulated]") {
  int rotation = 0;
  for (const char *axis : kAxes)
    for (int pick = 0; pick < 2; ++pick) {
      static const char *const tiles[] = {"", "load = element, order = columns", "load = direct"};
      const char *tile = tiles[rotation % 3];
      Kernel kernel = compileForDevice(totalsText(axis, rotation++), tile).kernel();
      for (Shape shape : {Shape{304, 272}, Shape{129, 33}, Shape{0, 64}, Shape{64, 0}, Shape{1, 1}}) {
        std::vector<std::byte> x;
        std::vector<int32_t> index;
        RunCase run = caseOf(kernel, shape, x, index);
        RunOutcome outcome = runChecked(kernel, run);
        INFO(text(shape) << " " << axis << " <" << outcome.tile << ">, rotation " << rotation);
        CHECK(outcome.failure == "");
      }
    }
}

// The workspaces' counts are left at zero: a launch that is repeated finds what the first one found.
TEST_CASE("quantize totals: launches repeat", "[small]") {
  Kernel kernel = compileForDevice(totalsText("axis = both", 0)).kernel();
  Shape shape{isSimulated() ? 400 : 16384, 512};
  std::vector<std::byte> x = matrixData(FloatType::BF16, shape.rows, shape.columns, 3, /*finite=*/true);
  GuardedArguments tensors(kernel, {{"M", shape.rows}, {"K", shape.columns}}, {{"x", x}});
  PreparedLaunch launch = kernel.prepare(tensors.arguments());
  Stream stream(testDevice());
  std::optional<GuardedArguments::Outputs> first;
  for (int repeat = 0; repeat < 5; ++repeat) {
    launch.launch(stream);
    stream.synchronize();
    if (!first) first = tensors.outputs();
    CHECK((tensors.outputs() == *first && !tensors.damage()));
  }
}

TEST_CASE("quantize totals: amax of groups, and after an inexact prologue", "[small][simulated]") {
  QuantizeText text;
  text.axis = "axis = both transpose = false", text.align = "1", text.hasAmax = true;
  Kernel groups = compileForDevice(text.text()).kernel();
  std::vector<std::byte> x = matrixData(FloatType::BF16, 300, 64, 5, /*finite=*/true);
  std::vector<int32_t> ends = {0, 44, 44, 190};
  RunCase run;
  run.inputs = {{"x", x}, {"ends", std::as_bytes(std::span(ends))}};
  run.dimensions = {{"M", 300}, {"K", 64}, {"G", 4}};
  CHECK(runChecked(groups, run).failure == "");

  QuantizeText fused;
  fused.axis = "axis = row", fused.inputs = 2, fused.hasAmax = fused.hasColumnSum = true;
  fused.prologue = "  %e = math.exp2 %a fastmath<afn> : f32\n  %r = arith.mulf %e, %b : f32\n";
  std::string source = fused.text();
  Prologue prologue = Prologue::parse(source).value();
  RunCase inexact;
  inexact.inputs = {{"x", x}, {"y", x}};
  inexact.dimensions = {{"M", 300}, {"K", 64}};
  inexact.prologue = &prologue;
  CHECK(runChecked(compileForDevice(source).kernel(), inexact).failure == "");
}
