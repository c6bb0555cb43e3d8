// Whether a candidate computes what the reference kernel does, for one shape.
#pragma once

#include "runtime/launch/Kernel.h"
#include "runtime/measure/ByteComparison.h"
#include "runtime/measure/TensorSets.h"
#include "runtime/tune/ProductBound.h"

#include <string>
#include <vector>

namespace mxc::tune {

class OutputAgreement {
public:
  /// Runs the reference. Throws mxc::Error: what launches and TensorSets throw, and InvalidInput for a
  /// reference that leaves bytes of its outputs unwritten, or whose results change. For rows in groups some
  /// bytes belong to nobody: every candidate has to leave the same ones.
  OutputAgreement(const Kernel &reference, const Dimensions &dimensions, const Arguments &scalars = {});

  /// Runs the candidate over outputs poisoned in two ways. Every byte must agree; if a product may take its
  /// sums in any order, every element must lie within the contract's bound. Returns "", or what differs: "12
  /// of 4,096 bytes of 'q' differ from the untuned kernel's", or why the runtime refuses to launch the
  /// candidate. Throws mxc::Error (Device) if the device itself fails.
  std::string disagreement(const Kernel &candidate);

  const measure::TensorSets &tensors() const { return tensors_; }

private:
  struct Output {
    const AbiArgument *argument; // in the reference's ABI
    uint64_t address;
    size_t bytes;
    std::vector<Buffer> expected; // one; or one for each poison, where bytes are nobody's
  };
  void run(const Kernel &kernel, uint8_t poison);
  void keepExpected(uint8_t poison);
  bool isWithinBound(const Output &output, const Buffer &expected);
  const Device &device() const { return reference_.module().device(); }

  Kernel reference_;
  Dimensions dimensions_;
  measure::TensorSets tensors_; // one set
  measure::ByteComparison comparison_;
  std::vector<Output> outputs_;
  bool overwritesInputs_ = false;                    // an output is an input as well
  std::optional<std::optional<ProductBound>> bound_; // computed when the first byte differs
};

} // namespace mxc::tune
