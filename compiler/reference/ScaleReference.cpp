#include "compiler/reference/OperationReference.h"
#include "dialect/formats/Error.h"

namespace mxc {

static void copyScales(ReferenceRun &run) {
  const std::vector<AbiArgument> &arguments = run.kernel.arguments;
  if (arguments.size() != 2) throw run.damaged("a copy of scales has two arguments");
  bool firstIsOutput = arguments[0].isOutput;
  const AbiArgument &from = arguments[firstIsOutput], &to = arguments[!firstIsOutput];
  HostExtent extent = run.extent(from);
  const int bytesOfOne = info(scaleFormatOf(from)).bytes();
  std::vector<uint8_t> &bytes =
      run.output(to, scaleCount(scaleLayoutOf(to), extent.rows, extent.columns) * bytesOfOne);
  convertScales(scaleLayoutOf(from), run.bytes(from).data(), scaleLayoutOf(to), bytes.data(), extent.rows,
                extent.columns, bytesOfOne);
}

std::span<const OperationReference> referencesOfScale() {
  static constexpr OperationReference references[] = {{"pack_scales", copyScales},
                                                      {"unpack_scales", copyScales}};
  return references;
}

} // namespace mxc
