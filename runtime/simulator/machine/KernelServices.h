// What kernels ask of the device beyond its instructions, and what of it outlives a launch.
#pragma once

#include "runtime/simulator/machine/KernelHeap.h"
#include "runtime/simulator/machine/PrintedText.h"

namespace mxc::sim {

struct KernelServices {
  explicit KernelServices(GlobalMemory &memory) : heap(memory) {}

  KernelHeap heap;     // malloc, free
  PrintedText printed; // printf
};

} // namespace mxc::sim
