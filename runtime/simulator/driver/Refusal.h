// Thrown inside of a driver function; what it returns then.
#pragma once

#include <cuda.h>

namespace mxc::sim {

struct Refusal {
  CUresult result;
};

inline void require(bool condition, CUresult otherwise = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) throw Refusal{otherwise};
}

} // namespace mxc::sim
