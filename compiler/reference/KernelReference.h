// What a kernel must produce, computed on the host from its ABI and its inputs.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "compiler/abi/ShapeExpression.h"
#include "compiler/reference/OutputTolerance.h"
#include "compiler/reference/PrologueEvaluator.h"
#include "dialect/formats/Reference.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mxc {

/// What was quantized.
struct QuantizedValues {
  QuantizeRule rule;
  std::vector<float> values;          // the input, or what a region makes of its inputs
  std::vector<float> flushed, larger; // the same of Approximation::Flushed and Larger; empty: no difference
  std::vector<float> bounds; // of sums of products: how far each may be off, infinite: anywhere; empty: 0
};

/// The values are those of an operation that quantizes its inputs.
struct KernelReference : QuantizedValues {
  std::map<std::string, std::vector<uint8_t>, std::less<>>
      outputs; // every byte, padding of scale tiles included
  /// For outputs that a kernel leaves in part as they are: 1 for each such byte, which stands in `outputs`
  /// too.
  std::map<std::string, std::vector<uint8_t>, std::less<>> untouched;
  std::span<const uint8_t> untouchedOf(const std::string &output) const; // empty: nothing is left
  std::optional<ToleranceRule> tolerance;                                // none: every byte must agree

  bool isExact = true; // false: other implementations' values may differ in their last bits
};

/// Throws mxc::Error (InvalidInput) for an operation that it does not know, a kernel with a prologue and none
/// given, and a record that contradicts itself.
KernelReference referenceOf(const KernelAbi &kernel, const Dimensions &dimensions, const HostTensors &inputs,
                            const Prologue *prologue = nullptr);

/// The reference's inputs and the ABI in its terms.
FloatType floatTypeOf(const AbiArgument &argument); // throws mxc::Error for other types
ScaleLayout scaleLayoutOf(const AbiArgument &argument);
ScaleFormat scaleFormatOf(const AbiArgument &argument); // throws mxc::Error for what holds no scales
/// The format of elements with their scales, and the operation's attribute `block` where it has one; nullopt:
/// there is none.
std::optional<BlockFormat> blockFormatOf(const KernelAbi &kernel, const AbiArgument &data,
                                         const AbiArgument &scales);
const AbiArgument &argumentOf(const KernelAbi &kernel, const std::string &name);

/// Elements that an argument holds (scales: rows and blocks without padding), from its expressions.
struct HostExtent {
  int64_t rows = 0, columns = 0;
};
HostExtent hostExtent(const AbiArgument &argument, const Dimensions &dimensions);

} // namespace mxc
