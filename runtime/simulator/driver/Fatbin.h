// Fatbins: images of one module for several targets, as nvcc and mxc write them.
#pragma once

#include "runtime/simulator/driver/Image.h"

#include <string>
#include <vector>

namespace mxc::sim {

/// Whether a fatbin or a wrapper that points to one (__fatBinC_Wrapper_t) begins here. Reads 4 bytes, fewer
/// before a NUL.
bool isFatbin(const char *image);

/// The PTX entries, decompressed, in the file's order. Throws ImageError (INVALID_IMAGE).
std::vector<std::string> ptxOfFatbin(const Image &image);

} // namespace mxc::sim
