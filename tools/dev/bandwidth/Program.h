// Something that is launched again and again and timed: a ceiling kernel, or a kernel of a cubin.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mxc::bandwidth {

/// An array that a program reads, filled with fresh random data.
struct Input {
  std::string type; // "bf16", "e4m3", "ue8m0", ...
  int64_t bytes;
  bool operator==(const Input &) const = default;
};

/// Addresses of one set of a program's arrays.
struct BufferSet {
  std::vector<CUdeviceptr> inputs, outputs;
};

struct Program {
  std::string name;    // "r2w1_quad", "q.cubin:quantize"
  std::string ceiling; // the traffic it is held against: "r2w1"
  bool isCeiling = false;
  double bytes = 0; // that a launch must move: inputs and outputs once, scales without padding
  std::vector<Input> inputs;
  std::vector<int64_t> outputBytes;
  std::function<void(const BufferSet &, bool pdl, CUstream)> launch;
};

} // namespace mxc::bandwidth
