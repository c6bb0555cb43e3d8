// How one operation is computed on the host: what a family's file gives, and what it is given.
#pragma once

#include "compiler/reference/KernelReference.h"
#include "dialect/formats/Error.h"

#include <string_view>

namespace mxc {

/// One kernel's run on the host. Everything throws mxc::Error (InvalidInput) that says what is missing or
/// ill-sized.
class ReferenceRun {
public:
  ReferenceRun(const KernelAbi &kernel, const Dimensions &dimensions, const HostTensors &inputs,
               const Prologue *prologue)
      : kernel(kernel), dimensions(dimensions), prologue(prologue), inputs_(inputs) {}

  const KernelAbi &kernel;
  const Dimensions &dimensions;
  const Prologue *prologue; // null: none given
  KernelReference result;

  Error damaged(const std::string &what) const; // a record that contradicts itself
  const std::string &attribute(const char *name) const;
  const AbiArgument &argument(ArgumentRole role) const; // the first one of the role
  const AbiArgument &scalesOf(const AbiArgument &codes) const;
  HostExtent extent(const AbiArgument &argument) const { return hostExtent(argument, dimensions); }

  std::span<const std::byte> input(const std::string &name) const;
  std::span<const uint8_t> bytes(const AbiArgument &argument) const; // of scales
  /// Codes, one a byte: packed in the tensors, which have rows of whole bytes.
  std::vector<uint8_t> codes(const AbiArgument &argument, ElementFormat element, HostExtent extent) const;
  void outputCodes(const AbiArgument &argument, ElementFormat element, std::span<const uint8_t> codes);
  BlockShape repeats() const; // of a scale for smaller blocks: of `block` to `block_to`, {1, 1} without
  float number(ArgumentRole role, size_t index = 0) const; // of an f32 vector
  std::vector<int32_t> integers(ArgumentRole role) const;  // nothing where no argument has the role
  std::optional<RandomSource> random() const;              // none: no argument has the role
  std::vector<float> floats(const AbiArgument &argument, HostExtent extent) const;
  std::vector<uint8_t> &output(const AbiArgument &argument, int64_t bytes); // zeros to be written

  /// What was not kept, into the outputs that count it: added to what they held.
  void outputLoss(int64_t inexact, float error = 0);

private:
  void expectBytes(const AbiArgument &argument, size_t found, int64_t expected) const;

  const HostTensors &inputs_;
};

/// An operation's name in the ABI and what computes it. XReference.cpp gives those of the family X.
struct OperationReference {
  std::string_view operation;
  void (*compute)(ReferenceRun &run);
};

} // namespace mxc
