#include "compiler/reference/OutputComparison.h"

#include "compiler/reference/ElementText.h"
#include "dialect/formats/Error.h"
#include "dialect/formats/PackedCodes.h"

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
    if (found.size() != expected_.size())
      throw Error(ErrorKind::InvalidInput, "output '" + argument.name + "': expected " +
                                               std::to_string(expected_.size()) + " bytes, found " +
                                               std::to_string(found.size()));
    if (auto format = elementFormatNamed(argument.type); format && info(*format).bits() < 8)
      unpack(*format, hostExtent(argument, dimensions));
    result.elements = static_cast<int64_t>(expected_.size()) / text_.elementBytes();
  }

  OutputComparison compare(const OutputTolerance *tolerance) {
    const uint8_t *found = foundCodes_.empty() ? found_ : foundCodes_.data();
    if (result.bytes == 0 || std::memcmp(expected_.data(), found, expected_.size()) == 0) return result;
    int64_t size = text_.elementBytes();
    for (int64_t i = 0; i < result.elements; ++i) {
      if (std::memcmp(&expected_[static_cast<size_t>(i * size)], found + i * size,
                      static_cast<size_t>(size)) == 0)
        continue;
      ++result.different;
      if (tolerance && tolerance->allows(result.name, i)) continue;
      ++result.wrong;
      if (result.firstWrong.size() < kShown)
        result.firstWrong.push_back(text_.place(i) + ": expected " + text_.value(expected_.data(), i) +
                                    ", found " + text_.value(found, i));
    }
    return result;
  }

private:
  // Elements of less than a byte are compared one a byte.
  void unpack(ElementFormat format, HostExtent extent) {
    std::vector<uint8_t> codes(static_cast<size_t>(extent.rows * extent.columns));
    unpackCodes(format, expected_.data(), codes);
    foundCodes_.resize(codes.size());
    unpackCodes(format, found_, foundCodes_);
    expected_ = std::move(codes);
  }

  OutputComparison result;
  ElementText text_;
  std::vector<uint8_t> expected_;
  const uint8_t *found_;
  std::vector<uint8_t> foundCodes_; // instead of found_, where elements are packed
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
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.isOutput && !reference.outputs.contains(argument.name))
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + kernel.name + "': the reference has no output '" + argument.name + "'");
  std::vector<Comparer> comparers;
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.isOutput)
      comparers.emplace_back(argument, dimensions, reference, foundOf(argument.name)); // sizes first
  std::unique_ptr<OutputTolerance> tolerance;
  if (reference.tolerance) tolerance = reference.tolerance->make(reference, found);
  std::vector<OutputComparison> results;
  for (Comparer &comparer : comparers)
    results.push_back(comparer.compare(tolerance.get()));
  return results;
}

} // namespace mxc
