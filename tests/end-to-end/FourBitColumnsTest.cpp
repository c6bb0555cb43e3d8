// mx.quantize to 4 bits with random bits, the Hadamard transform and two scales to choose from, along
// columns, along both axes, and beside totals; presets and numbers of the tensor.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

#include <array>
#include <span>

using namespace mxc;

namespace {

constexpr std::array<int64_t, 2> kRandom = {int64_t(0x9123456789ABCDEF), 0x7FFFFFFFFFFF};

QuantizeText textOf(bool isNvfp4, const char *axis, const char *input, const char *layout,
                    const std::string &clauses, bool isRandom = false) {
  QuantizeText text;
  text.element = "f4E2M1FN", text.scale = isNvfp4 ? "f8E4M3FN" : "f8E8M0FNU", text.hasTensorScale = isNvfp4;
  text.axis = std::string("axis = ") + axis, text.input = input, text.layout = layout;
  text.clauses = clauses, text.isRandom = isRandom;
  text.hasTwoTensors = text.axis == "axis = both" && clauses.find("hadamard") != std::string::npos;
  return text;
}

QuantizeText withTotals(QuantizeText text, bool hasColumnSum = false) {
  text.hasAmax = true, text.hasColumnSum = hasColumnSum;
  return text;
}

QuantizeText given(QuantizeText text, const char *sense) {
  text.tensorSense = sense;
  return text;
}

std::string moduleOf(std::vector<QuantizeText> texts) {
  std::string module;
  int number = 0;
  for (QuantizeText &text : texts) {
    text.name = "k" + std::to_string(number++);
    module += text.text();
  }
  return module;
}

std::string check(const Kernel &kernel, Shape shape, const Prologue *prologue = nullptr) {
  const KernelAbi &abi = kernel.abi();
  const bool hasGroups = abi.argumentOf(ArgumentRole::Ends);
  const bool isFinite = shape.rows % 4 == 2 || (prologue && !prologue->isExact());
  const std::vector<std::byte> x =
      matrixData(floatTypeNamed(argumentOf(abi, "x").type), hasGroups ? 50 : shape.rows, shape.columns,
                 uint64_t(shape.rows), isFinite);
  const std::vector<int32_t> ends = endsOf({0, 1, 129, 31}, 128);
  std::vector<int32_t> index(size_t(shape.rows));
  for (size_t i = 0; i < index.size(); ++i)
    index[i] = int32_t(i * 7 % 51) - 1;
  const std::array<float, 2> tensors = {0.01f, 0.03f};
  RunCase run;
  run.inputs["x"] = x, run.prologue = prologue;
  run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
  if (const AbiArgument *t = abi.argumentOf(ArgumentRole::TensorScale))
    run.inputs["t"] = std::as_bytes(std::span(tensors).first(t->shape.front().text() == "2" ? 2 : 1));
  if (abi.argumentOf(ArgumentRole::Random)) run.inputs["random"] = std::as_bytes(std::span(kRandom));
  if (hasGroups) {
    run.inputs["ends"] = std::as_bytes(std::span(ends)),
    run.inputs["index"] = std::as_bytes(std::span(index));
    run.dimensions["N"] = 50, run.dimensions["G"] = int64_t(ends.size());
  }
  const RunOutcome outcome = runChecked(kernel, run);
  if (outcome.failure.empty()) return {};
  std::string failure = abi.name + " " + text(shape);
  for (const auto &[name, value] : abi.operation.attributes)
    failure += " " + name + "=" + value;
  return failure + " <" + outcome.tile + ">\n" + outcome.failure;
}

void checkModule(const std::vector<QuantizeText> &texts, std::span<const Shape> shapes,
                 const std::string &tile = {}) {
  Module module = compileForDevice(moduleOf(texts), tile);
  int number = 0;
  for (const KernelAbi &abi : module.abi().kernels) {
    if (isLeftToOthers(number++)) continue;
    for (Shape shape : shapes)
      CHECK(check(module.kernel(abi.name), shape) == "");
  }
}

const std::vector<QuantizeText> kModes = {
    withTotals(
        given(textOf(true, "both", "bf16", "tcgen05", "hadamard = 16 along column", true), "tensor_amax"),
        /*hasColumnSum=*/true),
    textOf(true, "column", "f32", "dense", "hadamard = 16 special = saturate", true),
    withTotals(textOf(true, "both", "bf16", "mn_major", "hadamard = 16 four_over_six = mse")),
    withTotals(textOf(false, "both", "f16", "dense", "hadamard = 16 along row special = nan_scale", true)),
    given(textOf(true, "both", "f32", "tcgen05", "four_over_six = mse"), "tensor_divisor"),
    withTotals(textOf(false, "column", "bf16", "tcgen05", "hadamard = 16")),
    withTotals(textOf(true, "row", "f32", "tcgen05", "hadamard = 16", true)),
    textOf(true, "both", "bf16", "tcgen05", "block = 16x16 to 1x16 special = saturate", true)};

// Whole tiles; ends within a part of 16, a pair and a block; and nothing.
constexpr Shape kShapes[] = {{192, 256}, {46, 34}, {270, 78}, {2, 2}, {0, 64}};

} // namespace

TEST_CASE("four bits along columns: random bits, transforms and two scales", "[small][simulated]") {
  checkModule(kModes, kShapes);
}

TEST_CASE("four bits along columns: forced tiles", "[small]") {
  for (const char *tile : {"columns = 64, load = direct, store_bytes = 4", "load = element, store_bytes = 1",
                           "columns = 64, ctas_per_sm = 6"})
    checkModule(kModes, kShapes, tile);
}

TEST_CASE("four bits along columns: groups and gathered rows", "[small][simulated]") {
  std::vector<QuantizeText> texts = {
      withTotals(textOf(true, "both", "bf16", "tcgen05", "hadamard = 16 along column", true)),
      textOf(false, "column", "f32", "dense", "hadamard = 16 special = saturate", true),
      textOf(true, "both", "f16", "dense", "four_over_six = mse hadamard = 16"),
      withTotals(given(textOf(true, "row", "bf16", "dense", "hadamard = 16", true), "tensor_amax"))};
  for (QuantizeText &text : texts)
    text.align = "128", text.isGathered = true;
  texts.back().align = "1";
  checkModule(texts, std::array{Shape{420, 36}});
}

TEST_CASE("four bits along columns: prologues", "[small][simulated]") {
  int rotation = 0;
  for (const char *body : {"  %c = arith.constant 1.5 : f32\n  %r = arith.addf %a, %c : f32\n",
                           "  %r = math.exp2 %a fastmath<afn> : f32\n"}) {
    QuantizeText text =
        withTotals(textOf(true, "both", "bf16", "dense",
                          rotation ? "hadamard = 16 along column" : "hadamard = 16", rotation == 0));
    text.prologue = body;
    if (isLeftToOthers(uint64_t(rotation++))) continue;
    const Prologue prologue = Prologue::parse(text.text()).value();
    CHECK(check(compileForDevice(text.text()).kernel(), {130, 66}, &prologue) == "");
  }
}

// Blocks outside the matrix have torchao's least scale nowhere: padding is 0.
TEST_CASE("four bits: presets", "[small][simulated]") {
  checkModule({given(textOf(true, "both", "bf16", "tcgen05", "compat = \"te\""), "tensor_amax"),
               textOf(true, "both", "f32", "dense", "compat = \"torchao\""),
               given(textOf(true, "row", "bf16", "tcgen05", "compat = \"te\""), "tensor_divisor"),
               textOf(true, "row", "bf16", "tcgen05", "compat = \"torchao\""),
               textOf(true, "row", "f16", "dense", "compat = \"te\""),
               given(textOf(true, "both", "bf16", "tcgen05", "compat = \"flashinfer\""), "tensor_divisor"),
               textOf(true, "column", "f16", "tcgen05", "compat = \"torchao\"", true)},
              std::array{Shape{132, 98}, Shape{6, 32}});
}
