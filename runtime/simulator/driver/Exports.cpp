// The C names of the driver API. Part of the shared library alone: inside of a program they would clash with
// libcuda's.
#include "runtime/simulator/driver/Api.h"

#define MXC_SIM_FUNCTION(symbol, parameters, arguments)                                                      \
  extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI symbol parameters {                     \
    return mxc::sim::api::symbol arguments;                                                                  \
  }
#include "runtime/simulator/driver/Functions.def"
