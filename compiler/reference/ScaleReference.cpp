#include "compiler/reference/OperationReference.h"
#include "dialect/formats/Error.h"

namespace mxc {

static void copyScales(ReferenceRun &run) {
  auto scales = [&](bool areOutputs) -> const AbiArgument & {
    const std::vector<const AbiArgument *> found = run.kernel.argumentsOf(ArgumentRole::Scales, areOutputs);
    if (found.size() != 1) throw run.damaged("a copy of scales has one source and one destination");
    return *found.front();
  };
  const AbiArgument &from = scales(/*areOutputs=*/false), &to = scales(/*areOutputs=*/true);
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
