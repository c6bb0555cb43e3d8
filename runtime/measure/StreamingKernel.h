// Kernels that move bytes and compute next to nothing: this device's ceiling for kernels with the same
// traffic.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>
#include <vector>

namespace mxc::measure {

/// How many bytes of each array one thread moves at a time: 4, 8 or 16. {{16}, {8}} is bf16 to e4m3.
struct StreamTraffic {
  std::vector<int> bytesRead, bytesWritten;
  bool operator==(const StreamTraffic &) const = default;
};

/// A kernel's traffic, or nearly so, on a matrix of rows x columns pieces. If its matrices have equally many
/// elements (quantize), the arrays are the matrices, without scales and whatever takes at most a sixteenth of
/// one. Otherwise (a product) arrays are read and written in about the proportion of the bytes.
struct StreamedPieces {
  StreamTraffic traffic;
  int64_t rows = 1, columns = 0;
};
StreamedPieces streamLike(const KernelAbi &kernel, const Dimensions &dimensions);

/// Returns an image (PTX with its ABI, for every device from sm_90 on) whose kernel `stream` takes `in0` ..,
/// `out0` .., [R, C, bytes] each. Its variants are the launch shapes that are fastest somewhere: CTAs of 256
/// to 1024 threads with 1 to 8 independent loads a thread over the pieces in order, and last a quantizer's
/// order, in which a warp takes four rows 32 apart.
std::string streamingImage(const StreamTraffic &traffic);

} // namespace mxc::measure
