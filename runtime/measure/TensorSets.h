// Copies of a kernel's tensors, so many that none is still in a cache when its turn comes again.
#pragma once

#include "runtime/device/Buffer.h"
#include "runtime/launch/ArgumentShapes.h"

#include <optional>
#include <vector>

namespace mxc::measure {

struct TensorSetOptions {
  /// The bytes that all sets together exceed. Absent: enough that the others leave nothing of a set in the
  /// device's L2 cache; 0: one set.
  std::optional<int64_t> rotatedBytes = {};
  uint64_t seed = 1; // of the inputs
};

class TensorSets {
public:
  /// Fills the inputs (fillInput, placesOf; a long tensor repeats itself at a period that is no multiple of
  /// its rows) and leaves outputs unwritten. Passes `scalars` on; workspaces are not among the arguments.
  /// Makes fewer sets if they would take more than half of the free memory. Throws mxc::Error: InvalidInput
  /// as argumentShape and fillInput do, Device without memory for one.
  TensorSets(const Device &device, const KernelAbi &kernel, const Dimensions &dimensions,
             const Arguments &scalars = {}, const TensorSetOptions &options = {});

  int count() const { return static_cast<int>(arguments_.size()); }
  const Arguments &arguments(int set) const { return arguments_[static_cast<size_t>(set)]; }

  /// The bytes that a launch must read and write: inputs and outputs once, scales without their padding.
  double bytesNeeded() const { return bytesRead_ + bytesWritten_; }
  double bytesRead() const { return bytesRead_; }
  double bytesWritten() const { return bytesWritten_; }

  void fillInputs(uint64_t seed);  // anew
  void fillOutputs(uint8_t value); // of all sets

  /// Returns an output of a set as contiguous rows, with the padding of scale tiles.
  std::vector<std::byte> download(int set, const std::string &output) const;

private:
  struct Tensor {
    AbiArgument argument;
    size_t bytes, stride;                            // of one set; from a set to the next
    Buffer memory;                                   // all sets'
    std::optional<std::vector<int32_t>> places = {}; // instead of numbers
  };
  std::vector<Tensor> tensors_;
  std::vector<Arguments> arguments_; // a set's
  double bytesRead_ = 0, bytesWritten_ = 0;
};

} // namespace mxc::measure
