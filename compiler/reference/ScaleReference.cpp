#include "compiler/reference/OperationReference.h"
#include "dialect/formats/Error.h"

namespace mxc {

static const AbiArgument &scalesOf(const ReferenceRun &run, bool areOutputs) {
  const std::vector<const AbiArgument *> found = run.kernel.argumentsOf(ArgumentRole::Scales, areOutputs);
  if (found.size() != 1) throw run.damaged("a copy of scales has one source and one destination");
  return *found.front();
}

static void copyScales(ReferenceRun &run) {
  const AbiArgument &from = scalesOf(run, /*areOutputs=*/false), &to = scalesOf(run, /*areOutputs=*/true);
  HostExtent extent = run.extent(from);
  const int bytesOfOne = info(scaleFormatOf(from)).bytes();
  std::vector<uint8_t> &bytes =
      run.output(to, scaleCount(scaleLayoutOf(to), extent.rows, extent.columns) * bytesOfOne);
  convertScales(scaleLayoutOf(from), run.bytes(from).data(), scaleLayoutOf(to), bytes.data(), extent.rows,
                extent.columns, bytesOfOne);
}

static void convert(ReferenceRun &run) {
  const AbiArgument &from = scalesOf(run, /*areOutputs=*/false), &to = scalesOf(run, /*areOutputs=*/true);
  const ScaleFormat source = scaleFormatOf(from), destination = scaleFormatOf(to);
  if (!convertsScales(source, destination)) throw run.damaged("scales that are not converted");
  const int64_t batches = to.rank() == 3 ? to.shape.front().evaluate(run.dimensions) : 1;
  auto matrixOf = [&](const AbiArgument &scales) {
    HostExtent extent = run.extent(scales);
    if (batches > 0) extent.rows /= batches;
    return extent;
  };
  const HostExtent before = matrixOf(from), after = matrixOf(to);
  const BlockShape repeats = run.repeats();
  const ScaleLayout fromLayout = scaleLayoutOf(from), toLayout = scaleLayoutOf(to);
  const int64_t scalesBefore = scaleCount(fromLayout, before.rows, before.columns),
                scalesAfter = scaleCount(toLayout, after.rows, after.columns);
  const uint8_t *scales = run.bytes(from).data();
  std::vector<uint8_t> &bytes = run.output(to, batches * scalesAfter * info(destination).bytes());
  int64_t inexact = 0;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < after.rows; ++row)
      for (int64_t block = 0; block < after.columns; ++block) {
        const int64_t at =
            batch * scalesBefore +
            scaleOffset(fromLayout, row / repeats.rows, block / repeats.columns, before.rows, before.columns);
        const ConvertedScale scale = convertScale(source, loadScale(source, scales, at), destination);
        storeScale(destination, bytes.data(),
                   batch * scalesAfter + scaleOffset(toLayout, row, block, after.rows, after.columns),
                   scale.code);
        inexact += !scale.isExact && row % repeats.rows == 0 && block % repeats.columns == 0;
      }
  run.outputLoss(inexact);
}

std::span<const OperationReference> referencesOfScale() {
  static constexpr OperationReference references[] = {
      {"pack_scales", copyScales}, {"unpack_scales", copyScales}, {"convert_scales", convert}};
  return references;
}

} // namespace mxc
