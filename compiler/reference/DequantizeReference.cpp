#include "compiler/reference/OperationReference.h"
#include "compiler/reference/QuantizeReference.h"
#include "dialect/formats/Error.h"

namespace mxc {

static void dequantize(ReferenceRun &run) {
  const AbiArgument &data = run.argument(ArgumentRole::Codes), &scales = run.scalesOf(data),
                    &values = run.argument(ArgumentRole::Data);
  auto format = blockFormatNamed(run.attribute("format"));
  if (!format) throw run.damaged("an unknown format " + run.attribute("format"));
  HostExtent extent = run.extent(data);
  std::vector<float> &result = run.result.values;
  result.resize(static_cast<size_t>(extent.rows * extent.columns));
  dequantizeRows(run.codes(data, info(*format).element, extent), run.bytes(scales), extent.rows,
                 extent.columns, *format, scaleLayoutOf(scales), result);
  if (info(*format).tensorScale != TensorScale::None) {
    const float tensorScale = givenTensorScale(run, *format);
    for (float &value : result)
      value *= tensorScale;
  }
  FloatType type = floatTypeOf(values);
  std::vector<uint8_t> &bytes = run.output(values, static_cast<int64_t>(result.size()) * byteSize(type));
  for (size_t i = 0; i < result.size(); ++i)
    storeFloat(type, bytes.data(), static_cast<int64_t>(i), result[i]);
}

std::span<const OperationReference> referencesOfDequantize() {
  static constexpr OperationReference references[] = {{"dequantize", dequantize}};
  return references;
}

} // namespace mxc
