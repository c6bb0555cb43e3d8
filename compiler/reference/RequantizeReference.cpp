#include "compiler/reference/OperationReference.h"
#include "compiler/reference/QuantizeReference.h"
#include "dialect/formats/Error.h"
#include "dialect/formats/Requantize.h"

namespace mxc {

static void requantize(ReferenceRun &run) {
  auto codesOf = [&](bool areOutputs) -> const AbiArgument & {
    const std::vector<const AbiArgument *> found = run.kernel.argumentsOf(ArgumentRole::Codes, areOutputs);
    if (found.size() != 1) throw run.damaged("requantize has one matrix of elements and one result");
    return *found.front();
  };
  const AbiArgument &data = codesOf(/*areOutputs=*/false), &result = codesOf(/*areOutputs=*/true),
                    &scales = run.scalesOf(data), &resultScales = run.scalesOf(result);
  const std::optional<BlockFormat> from = blockFormatNamed(run.attribute("format")),
                                   to = blockFormatNamed(run.attribute("result"));
  if (!from || !to || !requantizes(*from, *to)) throw run.damaged("formats that are not requantized");
  const HostExtent extent = run.extent(data), blocks = run.extent(resultScales);
  const std::vector<uint8_t> codes = run.codes(data, info(*from).element, extent);
  std::vector<uint8_t> results(codes.size());
  const ScaleLayout layout = scaleLayoutOf(resultScales);
  std::vector<uint8_t> &bytes = run.output(resultScales, scaleCount(layout, blocks.rows, blocks.columns) *
                                                             info(info(*to).scale).bytes());
  const bool isBelowTensor = info(*to).tensorScale != TensorScale::None;
  const float tensorScale = isBelowTensor ? givenTensorScale(run, *to) : 1;
  const RequantizeLoss loss =
      requantizeRows({*from, scaleLayoutOf(scales), codes, run.bytes(scales)}, extent.rows, extent.columns,
                     *to, layout, results, bytes, tensorScale);
  run.outputCodes(result, info(*to).element, results);
  run.outputLoss(loss.elements, loss.largestError);
}

std::span<const OperationReference> referencesOfRequantize() {
  static constexpr OperationReference references[] = {{"requantize", requantize}};
  return references;
}

} // namespace mxc
