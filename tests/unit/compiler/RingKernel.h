// A warp-specialised kernel made of a Ring: one thread copies, a warp adds.
#pragma once

#include <cstdint>
#include <string>

struct RingKernel {
  std::string ptx; // kernel "test": in [steps][2][32] words, out [steps][32] words; 64 threads
  uint32_t sharedBytes;
};

/// out[step][i] = in[step][0][i] + in[step][1][i], `stages` steps in flight; empty `ptx` after a printed
/// error.
RingKernel ringKernel(int stages, int steps);
