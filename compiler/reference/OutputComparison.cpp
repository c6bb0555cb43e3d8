#include "compiler/reference/OutputComparison.h"

#include "compiler/reference/ElementText.h"
#include "compiler/reference/QuantizeTolerance.h"
#include "dialect/formats/Error.h"

#include <cstring>

namespace mxc {

namespace {

constexpr size_t kShown = 5;

/// One output under comparison.
class Comparer {
public:
  Comparer(const AbiArgument &argument, const Dimensions &dimensions, const KernelReference &reference,
           std::span<const std::byte> found)
      : text_(argument, hostExtent(argument, dimensions)),
        expected_(reference.outputs.find(argument.name)->second),
        found_(reinterpret_cast<const uint8_t *>(found.data())) {
    result.name = argument.name;
    result.bytes = static_cast<int64_t>(expected_.size());
    result.elements = result.bytes / text_.elementBytes();
    if (found.size() != expected_.size())
      throw Error(ErrorKind::InvalidInput, "output '" + argument.name + "': expected " +
                                               std::to_string(expected_.size()) + " bytes, found " +
                                               std::to_string(found.size()));
  }

  /// `allows(element)` says whether an element that differs is within the tolerance.
  template <typename Allows> OutputComparison compare(Allows allows) {
    if (result.bytes == 0 || std::memcmp(expected_.data(), found_, expected_.size()) == 0) return result;
    int64_t size = text_.elementBytes();
    for (int64_t i = 0; i < result.elements; ++i) {
      if (std::memcmp(&expected_[static_cast<size_t>(i * size)], found_ + i * size,
                      static_cast<size_t>(size)) == 0)
        continue;
      ++result.different;
      if (allows(i)) continue;
      ++result.wrong;
      if (result.firstWrong.size() < kShown)
        result.firstWrong.push_back(text_.place(i) + ": expected " + text_.value(expected_.data(), i) +
                                    ", found " + text_.value(found_, i));
    }
    return result;
  }

private:
  OutputComparison result;
  ElementText text_;
  const std::vector<uint8_t> &expected_;
  const uint8_t *found_;
};

} // namespace

std::vector<OutputComparison> compareOutputs(const KernelAbi &kernel, const Dimensions &dimensions,
                                             const KernelReference &reference, const HostTensors &found) {
  auto foundOf = [&](const std::string &name) {
    auto tensor = found.find(name);
    if (tensor == found.end())
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + kernel.name + "': no output '" + name + "' to compare");
    return tensor->second;
  };
  std::vector<OutputComparison> results;
  if (reference.isExact) {
    for (const AbiArgument &argument : kernel.arguments)
      if (argument.isOutput)
        results.push_back(
            Comparer(argument, dimensions, reference, foundOf(argument.name)).compare([](int64_t) {
              return false;
            }));
    return results;
  }
  const AbiArgument &data = argumentOf(kernel, kernel.operation.attributes.at("data"));
  const AbiArgument &scales = argumentOf(kernel, kernel.operation.attributes.at("scales"));
  std::span<const std::byte> codes = foundOf(data.name), bytes = foundOf(scales.name);
  Comparer compareCodes(data, dimensions, reference, codes),
      compareScales(scales, dimensions, reference, bytes);
  QuantizeTolerance tolerance(reference, hostExtent(data, dimensions), scaleLayoutOf(scales),
                              reinterpret_cast<const uint8_t *>(codes.data()),
                              reinterpret_cast<const uint8_t *>(bytes.data()));
  results.push_back(compareCodes.compare([&](int64_t i) { return tolerance.allowsCode(i); }));
  results.push_back(compareScales.compare([&](int64_t i) { return tolerance.allowsScale(i); }));
  return results;
}

} // namespace mxc
