#include "runtime/launch/RowContracts.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/RowGroups.h"

#include <algorithm>

namespace mxc {

static const std::string *attributeOf(const KernelAbi &kernel, const char *name) {
  auto found = kernel.operation.attributes.find(name);
  return found == kernel.operation.attributes.end() ? nullptr : &found->second;
}

RowContracts::Array RowContracts::arrayOf(const KernelAbi &kernel, const Arguments &arguments,
                                          const char *attribute) const {
  const std::string *name = attributeOf(kernel, attribute);
  if (!name) return {};
  auto given = std::find_if(arguments.begin(), arguments.end(),
                            [&](const Argument &argument) { return argument.name == *name; });
  if (given == arguments.end() || given->view.shape.size() != 1) return {};
  return {*name, given->view.address, given->view.shape.front()};
}

RowContracts::RowContracts(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &dimensions)
    : kernel_(kernel.name), ends_(arrayOf(kernel, arguments, "ends")),
      index_(arrayOf(kernel, arguments, "gather")) {
  const std::string *inputs = attributeOf(kernel, "inputs");
  if ((ends_.name.empty() && index_.name.empty()) || !inputs) return;
  const std::string first = inputs->substr(0, inputs->find(','));
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.name == first) inputRows_ = argumentShape(kernel, argument, dimensions).front();
  rows_ = index_.name.empty() ? inputRows_ : index_.length;
  if (const std::string *align = attributeOf(kernel, "align")) align_ = *align == "1" ? 1 : 128;
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
