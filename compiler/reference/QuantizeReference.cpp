#include "compiler/reference/QuantizeReference.h"
#include "compiler/reference/OperationReference.h"
#include "compiler/reference/QuantizeTotals.h"
#include "dialect/formats/Error.h"
#include "dialect/formats/Hadamard.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace mxc {

static std::vector<const AbiArgument *> inputsOf(const ReferenceRun &run) {
  return run.kernel.argumentsOf(ArgumentRole::Data, /*areOutputs=*/false);
}

// What is quantized: the inputs' rows in their places, or what the prologue makes of them.
static std::vector<float> quantizedValues(ReferenceRun &run, const GroupedReference &groups,
                                          int64_t columns) {
  const KernelAbi &kernel = run.kernel;
  std::vector<std::vector<float>> inputs;
  for (const AbiArgument *argument : inputsOf(run)) // in the region's order
    inputs.push_back(groups.place(run.floats(*argument, run.extent(*argument)), columns));
  if (!kernel.operation.hasPrologue) return std::move(inputs.at(0));
  if (const AbiArgument *ofRows = kernel.argumentOf(ArgumentRole::RowValues))
    inputs.push_back(groups.spread(run.floats(*ofRows, run.extent(*ofRows)), columns));
  if (!run.prologue)
    throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name +
                                             "' has a prologue, which an image does not carry as "
                                             "source: give the .mlir file to have it verified");
  std::vector<std::span<const float>> views(inputs.begin(), inputs.end());
  run.result.isExact = run.prologue->isExact();
  auto results = [&](auto... approximation) {
    std::vector<float> values(size_t(groups.valueRows() * columns));
    run.prologue->evaluate(views, values, approximation...);
    groups.clearPadding(values, columns);
    return values;
  };
  if (run.prologue->approximates()) {
    run.result.flushed = results(Approximation::Flushed);
    run.result.larger = results(Approximation::Larger);
  }
  return results();
}

static void transposeAll(std::vector<float> &values, int64_t rows, int64_t columns) {
  std::vector<float> lines(values.size());
  transpose<float>(values, lines, rows, columns);
  values.swap(lines);
}

// Results take the values' place; what these may be off bounds each of them: a sum of 16, rounded to bf16.
static void transformRows(QuantizedValues &result, std::span<const float> reach, int64_t columns) {
  constexpr float kBf16Step = 0x1p-7f; // of neighbours, beside their magnitude at most
  hadamardRows(result.values, columns);
  result.bounds.assign(reach.size(), 0);
  for (size_t i = 0; i < reach.size(); ++i) {
    const size_t inRow = i % size_t(columns), first = i - inRow % kHadamardElements,
                 count = std::min<size_t>(kHadamardElements,
                                          size_t(columns) - (inRow - inRow % kHadamardElements));
    const auto begin = reach.begin() + std::ptrdiff_t(first);
    const float sum = std::accumulate(begin, begin + std::ptrdiff_t(count), 0.0f);
    if (sum > 0) result.bounds[i] = sum * kHadamardFactor + std::fabs(result.values[i]) * kBf16Step;
  }
}

// Along rows, or along columns of the groups: past a group's end are zeros again.
static void transform(QuantizedValues &result, const GroupedReference &groups, int64_t columns,
                      bool alongColumns) {
  const int64_t rows = groups.valueRows();
  std::vector<float> reach;
  for (size_t i = 0; i < result.flushed.size(); ++i) {
    const float value = result.values[i];
    const float off = std::max(std::fabs(result.larger[i] - value), std::fabs(result.flushed[i] - value));
    reach.push_back(std::isfinite(off) ? off : 0); // the same infinity, or NaN
  }
  result.flushed.clear(), result.larger.clear();
  if (!alongColumns) return transformRows(result, reach, columns);
  transposeAll(result.values, rows, columns);
  if (!reach.empty()) transposeAll(reach, rows, columns);
  transformRows(result, reach, rows);
  transposeAll(result.values, columns, rows);
  if (!reach.empty()) transposeAll(result.bounds, columns, rows);
  for (int64_t row = 0; row < rows; ++row)
    if (!groups.isRowOf(row)) std::fill_n(result.values.begin() + row * columns, columns, 0.0f);
}

TensorSense tensorSenseOf(const ReferenceRun &run) {
  if (!run.kernel.operation.attributes.contains("tensor_sense")) return TensorSense::Scale;
  auto sense = tensorSenseNamed(run.attribute("tensor_sense"));
  if (!sense) throw run.damaged("an unknown number for the tensor");
  return *sense;
}

float givenTensorScale(const ReferenceRun &run, BlockFormat format) {
  const QuantizeRule rule{.format = format,
                          .rounding = defaultRounding(info(format).scale),
                          .tensorScale = run.number(ArgumentRole::TensorScale),
                          .sense = tensorSenseOf(run)};
  return rule.sense == TensorSense::Scale ? rule.tensorScale : usedTensorScale(rule);
}

QuantizeRule ruleOf(const ReferenceRun &run, std::optional<BlockFormat> format) {
  auto special = specialNamed(run.attribute("special"));
  if (!format || !special) throw run.damaged("an unknown rule of quantization");
  QuantizeRule rule{.format = *format, .special = *special, .random = run.random(), .repeats = run.repeats()};
  if (info(*format).tensorScale != TensorScale::None)
    rule.tensorScale = run.number(ArgumentRole::TensorScale);
  const ScaleFormat scale = info(*format).scale;
  rule.rounding = defaultRounding(scale);
  const auto &attributes = run.kernel.operation.attributes;
  rule.isFourOverSix = attributes.contains("four_over_six");
  rule.sense = tensorSenseOf(run);
  const bool isByte = info(scale).rule == ScaleRule::PowerOfTwo;
  if (isByte || attributes.contains("rounding")) {
    auto rounding = roundingNamed(run.attribute("rounding"));
    if (!rounding) throw run.damaged("an unknown rule of quantization");
    rule.rounding = *rounding;
  }
  if (isByte || attributes.contains("tiny")) {
    auto tiny = tinyBlockNamed(run.attribute("tiny"));
    if (!tiny) throw run.damaged("an unknown rule of quantization");
    rule.tiny = *tiny;
  }
  if (!faultOfRule(rule, scale).empty()) throw run.damaged("a rule that its scales do not have");
  return rule;
}

ToleratedCopy quantizeCopy(ReferenceRun &run, const QuantizedValues &result, const GroupedReference &groups,
                           CopyShape shape, const AbiArgument &data) {
  const AbiArgument &scales = run.scalesOf(data);
  ScaleLayout layout = scaleLayoutOf(scales);
  HostExtent blocks = run.extent(scales);
  std::vector<uint8_t> &bytes = run.output(scales, scaleCount(layout, blocks.rows, blocks.columns) *
                                                       info(info(result.rule.format).scale).bytes());
  std::vector<uint8_t> codes(result.values.size());
  if (!shape.alongColumns) {
    quantizeRows(result.values, shape.rows, shape.columns, result.rule, layout, codes, bytes,
                 groups.rowOfPlace());
  } else {
    std::vector<float> lines(result.values.size());
    transpose<float>(result.values, lines, shape.rows, shape.columns);
    quantizeRows(lines, shape.lines(), shape.length(), result.rule, layout, codes, bytes);
  }
  if (shape.alongColumns && !shape.isTransposed) {
    std::vector<uint8_t> asInput(codes.size());
    transpose<uint8_t>(codes, asInput, shape.lines(), shape.length());
    codes.swap(asInput);
  }
  if (groups.hasGroups()) { // from the values' rows to the data's
    shape.placeOfRow = groups.placeOfRow();
    std::vector<uint8_t> compact(size_t(shape.dataRows() * shape.columns));
    for (size_t i = 0; i < compact.size(); ++i) {
      auto [line, place] = shape.placeOf(int64_t(i));
      const int64_t row = shape.alongColumns ? place : line;
      if (row < 0 || !groups.isRowOf(row)) continue; // past a group's end: +0, in a block of NaN, too
      bool asInput = shape.alongColumns && !shape.isTransposed;
      compact[i] = codes[size_t(asInput ? place * shape.columns + line : line * shape.length() + place)];
    }
    codes.swap(compact);
  }
  run.outputCodes(data, info(result.rule.format).element, codes);
  groups.leave(run, data, scales, shape, result.rule.format);
  return {data.name, scales.name, layout, shape};
}

// What a copy is made of, and its own rule; null: the run's.
static std::shared_ptr<const QuantizedValues>
valuesOfCopy(const ReferenceRun &run, const GroupedReference &groups, int64_t columns, bool alongColumns) {
  const auto &attributes = run.kernel.operation.attributes;
  const bool isTransformed = attributes.contains("hadamard");
  if (!isTransformed && !(run.result.rule.random && alongColumns)) return nullptr;
  auto values = std::make_shared<QuantizedValues>(run.result);
  if (values->rule.random) values->rule.random->isAlongColumns = alongColumns;
  if (!isTransformed) return values;
  const bool areTwo = run.attribute("axis") == "both";
  if (areTwo && alongColumns && run.kernel.argumentOf(ArgumentRole::TensorScale))
    values->rule.tensorScale = run.number(ArgumentRole::TensorScale, 1);
  const std::string axis = attributes.contains("hadamard_axis") ? run.attribute("hadamard_axis") : "both";
  if (axis == "both" || axis == (alongColumns ? "column" : "row"))
    transform(*values, groups, columns, alongColumns);
  return values;
}

static void quantize(ReferenceRun &run) {
  run.result.rule = ruleOf(run, blockFormatNamed(run.attribute("format")));
  const std::string &axis = run.attribute("axis");
  if (axis != "row" && axis != "column" && axis != "both") throw run.damaged("an unknown axis");
  bool isTransposed = axis != "row" && run.attribute("transpose") == "true";
  HostExtent data =
      run.extent(run.argument(axis == "column" ? ArgumentRole::ColumnCodes : ArgumentRole::Codes));
  if (axis == "column" && isTransposed) std::swap(data.rows, data.columns);
  GroupedReference groups(run, data.rows);
  run.result.values = quantizedValues(run, groups, data.columns);
  data.rows = groups.valueRows();
  CopyShape alongRows{data.rows, data.columns}, alongColumns{data.rows, data.columns, true, isTransposed};
  std::vector<ToleratedCopy> copies;
  auto copy = [&](CopyShape shape, ArgumentRole role) {
    auto values = valuesOfCopy(run, groups, data.columns, shape.alongColumns);
    copies.push_back(quantizeCopy(run, values ? *values : run.result, groups, shape, run.argument(role)));
    copies.back().values = std::move(values);
  };
  if (axis != "column") copy(alongRows, ArgumentRole::Codes);
  if (axis != "row") copy(alongColumns, ArgumentRole::ColumnCodes);
  quantizeTotals(run, copies, data.columns);
  if (!run.result.isExact) {
    auto bounds = totalBounds(run, copies, data.columns);
    run.result.tolerance = quantizeTolerance(std::move(copies), std::move(bounds));
  }
}

std::span<const OperationReference> referencesOfQuantize() {
  static constexpr OperationReference references[] = {{"quantize", quantize}};
  return references;
}

} // namespace mxc
