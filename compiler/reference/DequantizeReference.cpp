#include "compiler/reference/OperationReference.h"
#include "dialect/formats/Error.h"

namespace mxc {

static void dequantize(ReferenceRun &run) {
  const AbiArgument &data = run.argument("data"), &scales = run.argument("scales"),
                    &values = run.argument("values");
  auto element = elementFormatNamed(data.type);
  if (!element) throw run.damaged("data of type " + data.type);
  HostExtent extent = run.extent(data);
  std::vector<float> &result = run.result.values;
  result.resize(static_cast<size_t>(extent.rows * extent.columns));
  dequantizeRows(run.codes(data), run.codes(scales), extent.rows, extent.columns, *element,
                 scaleLayoutOf(scales), result);
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
