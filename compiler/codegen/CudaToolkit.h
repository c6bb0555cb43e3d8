// Where the CUDA toolkit's parts lie: the assemblers, fatbinary, libdevice. Nothing else looks for them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mxc {

/// Folders that are searched, in order: $MXC_CUDA_ROOT, $CUDA_HOME, $CUDA_PATH, the toolkit that ptxas on
/// PATH belongs to, /usr/local/cuda.
std::vector<std::string> cudaRoots();

std::optional<std::string> findPtxas();
std::optional<std::string> findFatbinary();
std::optional<std::string> findLibdevice();     // libdevice.10.bc
std::vector<std::string> nvJitLinkCandidates(); // paths and the bare name, for dlopen

/// One line that says what was looked for, where, and what to install.
std::string toolkitAdvice(const std::string &what);

} // namespace mxc
