// Libraries of kernels that a program loads itself.
#include "runtime/simulator/cudart/Runtime.h"

using namespace mxc::sim::cudart;

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, cudaJitOption *, void **, unsigned,
                                cudaLibraryOption *, void **, unsigned) {
  return started([&] { return cuLibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0); });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, cudaJitOption *, void **,
                                    unsigned, cudaLibraryOption *, void **, unsigned) {
  return started(
      [&] { return cuLibraryLoadFromFile(library, file, nullptr, nullptr, 0, nullptr, nullptr, 0); });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return started([&] { return cuLibraryUnload(library); });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  return started([&] { return cuLibraryGetKernel(kernel, library, name); });
}
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  return started([&] { return cuLibraryGetKernelCount(count, library); });
}
cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
  return started([&] { return cuLibraryGetGlobal(address(pointer), bytes, library, name); });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
  return started([&] {
    return cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value, kernel, device);
  });
}

} // extern "C"
