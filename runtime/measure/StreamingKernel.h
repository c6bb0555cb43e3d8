// Kernels that move bytes and compute next to nothing: the ceiling of this very device, for kernels of the
// same traffic.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <string>
#include <vector>

namespace mxc::measure {

/// What one thread moves at a time, of each array: 4, 8 or 16 bytes. {{16}, {8}} is bf16 to e4m3.
struct StreamTraffic {
  std::vector<int> bytesRead, bytesWritten;
  bool operator==(const StreamTraffic &) const = default;
};

/// A kernel's traffic on a matrix of rows x columns pieces, or nearly so. Where its matrices have as many
/// elements each (quantize), the arrays are theirs, and what takes a sixteenth of one or less is left out,
/// and scales; else (a product) arrays are read and written in about the proportion of the bytes.
struct StreamedPieces {
  StreamTraffic traffic;
  int64_t rows = 1, columns = 0;
};
StreamedPieces streamLike(const KernelAbi &kernel, const Dimensions &dimensions);

/// An image (PTX with its ABI, for every device from sm_90 on) whose kernel `stream` takes `in0` .., `out0`
/// .., [R, C, bytes] each. Its variants are the shapes of launch that run fastest somewhere: CTAs of 256 to
/// 1024 threads with 1 to 8 independent loads a thread over the pieces as they lie, and the last one as a
/// quantizer goes, a warp taking four rows 32 apart.
std::string streamingImage(const StreamTraffic &traffic);

} // namespace mxc::measure
