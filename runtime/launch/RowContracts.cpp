#include "runtime/launch/RowContracts.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/RowGroups.h"

#include <algorithm>

namespace mxc {

RowContracts::Array RowContracts::arrayOf(const KernelAbi &kernel, const Arguments &arguments,
                                          ArgumentRole role) const {
  const AbiArgument *argument = kernel.argumentOf(role);
  if (!argument) return {};
  auto given = std::ranges::find(arguments, argument->name, &Argument::name);
  if (given == arguments.end() || given->view.shape.size() != 1) return {};
  return {argument->name, given->view.address, given->view.shape.front()};
}

// The rows, or what else is cut, of the argument that the one with this role belongs to.
static int64_t rowsBelow(const KernelAbi &kernel, ArgumentRole role, const Dimensions &dimensions) {
  const AbiArgument *argument = kernel.argumentOf(role);
  if (!argument) return 0;
  for (const AbiArgument &of : kernel.arguments)
    if (of.name == argument->of && of.rank() > argument->groupDimension)
      return argumentShape(kernel, of, dimensions)[argument->groupDimension];
  return 0;
}

RowContracts::RowContracts(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &dimensions)
    : kernel_(kernel.name), ends_(arrayOf(kernel, arguments, ArgumentRole::Ends)),
      index_(arrayOf(kernel, arguments, ArgumentRole::Index)),
      inputRows_(rowsBelow(kernel, ArgumentRole::Index, dimensions)),
      rows_(ends_.name.empty() ? index_.length : rowsBelow(kernel, ArgumentRole::Ends, dimensions)) {
  if (const AbiArgument *ends = kernel.argumentOf(ArgumentRole::Ends)) align_ = ends->groupRows;
}

void RowContracts::check(const Device &device, CUstream stream) const {
  if (ends_.name.empty() && index_.name.empty()) return;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  device.check(device.driver().cuStreamIsCapturing(stream, &status), "ask whether a stream captures");
  if (status != CU_STREAM_CAPTURE_STATUS_NONE) return;
  const auto read = [&](const Array &array) {
    std::vector<int32_t> entries(static_cast<size_t>(array.length));
    if (!entries.empty())
      device.check(
          device.driver().cuMemcpyDtoH_v2(entries.data(), array.address, entries.size() * sizeof(int32_t)),
          "read '" + array.name + "'");
    return entries;
  };
  const auto refuse = [&](const Array &array, const std::string &fault) {
    if (!fault.empty())
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + kernel_ + "': argument '" + array.name + "': " + fault);
  };
  std::vector<RowGroup> groups = {{0, rows_, 0}};
  if (!ends_.name.empty()) {
    const std::vector<int32_t> ends = read(ends_);
    refuse(ends_, faultOfEnds(ends, rows_, align_));
    groups = rowGroups(ends, rows_, align_);
  }
  if (!index_.name.empty()) refuse(index_, faultOfIndex(read(index_), inputRows_, groups));
}

} // namespace mxc
