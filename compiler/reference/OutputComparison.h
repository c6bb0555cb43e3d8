// Outputs held against the reference: byte for byte, or, after an inexact prologue, within a stated
// tolerance.
#pragma once

#include "compiler/reference/KernelReference.h"

namespace mxc {

/// One output. `wrong` elements are at fault; `different` ones have other bytes than the reference (an
/// inexact prologue's tolerance allows some of them).
struct OutputComparison {
  std::string name;
  int64_t bytes = 0, elements = 0;
  int64_t wrong = 0, different = 0;
  std::vector<std::string> firstWrong; // at most five: place, expected and found bytes and their values
};

/// Compares every output of `kernel`: every byte must agree, but for what reference.tolerance allows. After
/// an inexact prologue that is:
///   scale bytes agree, or are off by one where the block's maximum lies within a relative 2^-14 of the
///   boundary codes       |decode(found) - y * 2^(127-byte)| <= half a step of the format there + 2^-12 * |y
///   * 2^(127-byte)|, with the
///               found scale byte and y * 2^.. first brought into the format's range
///   NaN and Inf values, the blocks that they make NaN, and padding agree exactly
/// Throws mxc::Error (InvalidInput) if an output is missing in `found` or has another size.
std::vector<OutputComparison> compareOutputs(const KernelAbi &kernel, const Dimensions &dimensions,
                                             const KernelReference &reference, const HostTensors &found);

} // namespace mxc
