// The simulator's functions of the CUDA driver API. They live in a namespace, so that a program may hold them
// beside libcuda; Exports.cpp gives them their C names in the shared library.
#pragma once

#include <cuda.h>

// cuda.h maps these to later versions; here each name is its own function.
#undef cuCtxCreate
#undef cuDeviceGetUuid
#undef cuEventElapsedTime
#undef cuGetProcAddress
#undef cuMemAdvise
#undef cuMemPrefetchAsync

namespace mxc::sim::api {

#define MXC_SIM_FUNCTION(symbol, parameters, arguments) CUresult symbol parameters;
#include "runtime/simulator/driver/Functions.def"

} // namespace mxc::sim::api
