// The driver itself, and what has no counterpart here: profilers, tables of private functions.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

#include "dialect/formats/Error.h"

#include <cstdio>

namespace mxc::sim::api {

CUresult cuInit(unsigned flags) {
  return guarded([&] {
    require(flags == 0);
    try {
      Simulator::instance().start();
    } catch (const Error &error) {
      printUnexpected(error.what());
      throw Refusal{error.kind() == ErrorKind::Usage ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_OUT_OF_MEMORY};
    }
  });
}

CUresult cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetExportTable(const void **table, const CUuuid *) {
  static std::atomic_flag isSaid;
  if (!isSaid.test_and_set())
    std::fputs(
        "simulator: this program holds NVIDIA's own CUDA runtime, which asks for private tables of NVIDIA's "
        "driver; link it with nvcc -cudart shared and run it with the simulator's libcudart.so.13: "
        "LD_LIBRARY_PATH=build/lib/simulator/cudart (docs/simulator.md)\n",
        stderr);
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_FOUND; // NVIDIA's own libraries know what is in them; nobody else does
}

CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

} // namespace mxc::sim::api
