// Functions that are not simulated: they say so, once each, instead of a loader that ends the program. No
// header declares them here, so that their parameters need not be told.
#include <atomic>
#include <cstdio>

namespace mxc::sim::cudart {
int refuse(); // Runtime.cpp: cudaErrorNotSupported, the thread's last error
}

static int missing(std::atomic_flag &isSaid, const char *name) {
  if (!isSaid.test_and_set())
    std::fprintf(stderr,
                 "simulator: %s is not simulated (docs/simulator.md); it returns cudaErrorNotSupported\n",
                 name);
  return mxc::sim::cudart::refuse();
}

#define MXC_CUDART_MISSING(name)                                                                             \
  extern "C" int name() {                                                                                    \
    static std::atomic_flag isSaid;                                                                          \
    return missing(isSaid, #name);                                                                           \
  }
#include "runtime/simulator/cudart/Missing.def"

/// cuBLAS, cuDNN and their kin.
extern "C" int cudaGetExportTable() {
  static std::atomic_flag isSaid;
  if (!isSaid.test_and_set())
    std::fputs("simulator: a library of NVIDIA's asks for private tables of the CUDA runtime, which the "
               "simulator has "
               "not; such libraries hold machine code, which it does not run\n",
               stderr);
  return mxc::sim::cudart::refuse();
}
