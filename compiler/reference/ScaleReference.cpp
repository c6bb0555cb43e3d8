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

// How many of the destination's rows, or blocks, one of the source is for.
static int64_t repeatsOf(ReferenceRun &run, int64_t BlockShape::*extent) {
  const auto &attributes = run.kernel.operation.attributes;
  auto from = attributes.find("block"), to = attributes.find("block_to");
  if (from == attributes.end() || to == attributes.end()) return 1;
  const std::optional<BlockShape> before = blockShapeNamed(from->second), after = blockShapeNamed(to->second);
  if (!before || !after || (*before).*extent % ((*after).*extent) != 0)
    throw run.damaged("blocks that are not made of others");
  return (*before).*extent / ((*after).*extent);
}

static void convert(ReferenceRun &run) {
  const AbiArgument &from = scalesOf(run, /*areOutputs=*/false), &to = scalesOf(run, /*areOutputs=*/true);
  const ScaleFormat source = scaleFormatOf(from), destination = scaleFormatOf(to);
  if (!convertsScales(source, destination)) throw run.damaged("scales that are not converted");
  const HostExtent before = run.extent(from), after = run.extent(to);
  const int64_t rowRepeats = repeatsOf(run, &BlockShape::rows),
                blockRepeats = repeatsOf(run, &BlockShape::columns);
  const ScaleLayout fromLayout = scaleLayoutOf(from), toLayout = scaleLayoutOf(to);
  const uint8_t *scales = run.bytes(from).data();
  std::vector<uint8_t> &bytes =
      run.output(to, scaleCount(toLayout, after.rows, after.columns) * info(destination).bytes());
  int64_t inexact = 0;
  for (int64_t row = 0; row < after.rows; ++row)
    for (int64_t block = 0; block < after.columns; ++block) {
      const int64_t at =
          scaleOffset(fromLayout, row / rowRepeats, block / blockRepeats, before.rows, before.columns);
      const ConvertedScale scale = convertScale(source, loadScale(source, scales, at), destination);
      storeScale(destination, bytes.data(), scaleOffset(toLayout, row, block, after.rows, after.columns),
                 scale.code);
      inexact += !scale.isExact && row % rowRepeats == 0 && block % blockRepeats == 0;
    }
  run.outputLoss(inexact);
}

std::span<const OperationReference> referencesOfScale() {
  static constexpr OperationReference references[] = {
      {"pack_scales", copyScales}, {"unpack_scales", copyScales}, {"convert_scales", convert}};
  return references;
}

} // namespace mxc
