#include "compiler/reference/OperationReference.h"
#include "compiler/reference/QuantizeTolerance.h"
#include "dialect/formats/Error.h"

namespace mxc {

// What is quantized: the input, or the prologue's results.
static std::vector<float> quantizedValues(ReferenceRun &run, HostExtent extent) {
  const KernelAbi &kernel = run.kernel;
  std::vector<const AbiArgument *> arguments = run.arguments("inputs"); // in the region's order
  if (arguments.empty())
    for (const AbiArgument &argument : kernel.arguments)
      if (argument.isInput()) arguments.push_back(&argument);
  std::vector<std::vector<float>> inputs;
  for (const AbiArgument *argument : arguments)
    inputs.push_back(run.floats(*argument, extent));
  if (!kernel.operation.hasPrologue) return std::move(inputs.at(0));
  if (!run.prologue)
    throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name +
                                             "' has a prologue, which an image does not carry as "
                                             "source: give the .mlir file to have it verified");
  std::vector<std::span<const float>> views(inputs.begin(), inputs.end());
  std::vector<float> values(static_cast<size_t>(extent.rows * extent.columns));
  run.result.isExact = run.prologue->isExact();
  run.prologue->evaluate(views, values);
  if (run.prologue->flushes()) {
    run.result.flushed.resize(values.size());
    run.prologue->evaluate(views, run.result.flushed, Flush::About);
  }
  return values;
}

static QuantizeRule ruleOf(const ReferenceRun &run) {
  auto format = blockFormatNamed(run.attribute("format"));
  auto rounding = roundingNamed(run.attribute("rounding"));
  auto special = specialNamed(run.attribute("special"));
  auto tiny = tinyBlockNamed(run.attribute("tiny"));
  if (!format || !rounding || !special || !tiny) throw run.damaged("an unknown rule of quantization");
  return {*format, *rounding, *special, *tiny};
}

static void quantize(ReferenceRun &run) {
  const AbiArgument &data = run.argument("data"), &scales = run.argument("scales");
  run.result.rule = ruleOf(run);
  if (run.attribute("axis") != "row")
    throw Error(ErrorKind::InvalidInput, "kernel '" + run.kernel.name +
                                             "': the host reference knows axis = row only, not " +
                                             run.attribute("axis"));
  HostExtent extent = run.extent(data), blocks = run.extent(scales);
  run.result.values = quantizedValues(run, extent);
  ScaleLayout layout = scaleLayoutOf(scales);
  std::vector<uint8_t> codes(static_cast<size_t>(extent.rows * extent.columns));
  std::vector<uint8_t> &bytes = run.output(scales, scaleBytes(layout, blocks.rows, blocks.columns));
  quantizeRows(run.result.values, extent.rows, extent.columns, run.result.rule, layout, codes, bytes);
  run.outputCodes(data, info(run.result.rule.format).element, codes);
  if (!run.result.isExact) run.result.tolerance = quantizeTolerance(data, scales, run.dimensions);
}

std::span<const OperationReference> referencesOfQuantize() {
  static constexpr OperationReference references[] = {{"quantize", quantize}};
  return references;
}

} // namespace mxc
