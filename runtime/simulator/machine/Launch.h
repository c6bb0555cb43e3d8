// What is launched: the facts of a kernel, and one launch of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mxc::sim {

struct KernelFacts { // what cuFuncGetAttribute and occupancy need
  uint32_t parameterBytes = 0, staticSharedBytes = 0, localBytes = 0, registers = 0, maximumThreads = 1024;
  std::array<uint32_t, 3> requiredThreads{}, requiredCluster{}; // 0: not given
  std::vector<uint32_t> parameterOffsets, parameterSizes;
  std::string target, version;
};

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  std::vector<std::byte> parameters; // parameterBytes of them
  bool isClusterExplicit = false;    // dimensions were given, by the launch or the kernel: st.async needs it
  bool isDependent = false;   // may begin before the launch in front ends: programmatic stream serialization
  bool isCooperative = false; // all CTAs are there at a time, and may wait for each other
};

} // namespace mxc::sim
