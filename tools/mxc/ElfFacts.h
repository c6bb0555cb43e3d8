// What an ELF file says of the CUDA libraries that it wants.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mxc {

struct ElfFacts {
  bool isElf = false;              // else a script, or something else that the system may know how to start
  bool isDynamic = false;          // it has a loader, which looks for libraries
  bool holdsKernels = false;       // a section .nv_fatbin: what nvcc makes for CUDA's runtime
  std::vector<std::string> needed; // shared libraries, by the names that the loader looks for
};

/// Reads a file without trust: what is damaged says nothing.
ElfFacts elfFacts(std::span<const std::byte> file);

} // namespace mxc
