#include "runtime/simulator/cudart/Registry.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace mxc::sim::cudart {

struct Image {
  const void *data;
  CUlibrary library = nullptr;
};

namespace {

struct Entry {
  Image *image;
  std::string name;
};

struct Registry {
  std::mutex mutex;
  std::deque<Image> images;
  std::map<const void *, Entry> kernels, variables;
};

/// Never destroyed: programs ask for kernels in their last destructors.
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

CUresult load(Image &image) {
  if (image.library) return CUDA_SUCCESS;
  return cuLibraryLoadData(&image.library, image.data, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

} // namespace

Image *addImage(const void *data) {
  std::lock_guard lock(registry().mutex);
  return &registry().images.emplace_back(Image{data});
}

void addKernel(Image *image, const void *host, const char *name) {
  std::lock_guard lock(registry().mutex);
  registry().kernels[host] = {image, name};
}

void addVariable(Image *image, const void *host, const char *name) {
  std::lock_guard lock(registry().mutex);
  registry().variables[host] = {image, name};
}

CUresult findKernel(const void *host, CUkernel &kernel) {
  if (CUresult failure = start()) return failure;
  std::lock_guard lock(registry().mutex);
  auto entry = registry().kernels.find(host);
  if (entry == registry().kernels.end()) {
    kernel = static_cast<CUkernel>(const_cast<void *>(host));
    const char *name;
    if (cuKernelGetName(&name, kernel) == CUDA_SUCCESS) return CUDA_SUCCESS;
    // Host code that got no handle on a context that a fault ruined launches null: the fault is the error.
    size_t free, total;
    if (CUresult fault = cuMemGetInfo(&free, &total)) return fault;
    return CUresult(cudaErrorInvalidDeviceFunction);
  }
  auto &[image, name] = entry->second;
  if (CUresult failure = load(*image)) return failure;
  return cuLibraryGetKernel(&kernel, image->library, name.c_str());
}

CUresult findFunction(const void *host, CUfunction &function) {
  CUkernel kernel;
  if (CUresult failure = findKernel(host, kernel)) return failure;
  return cuKernelGetFunction(&function, kernel);
}

CUresult findVariable(const void *host, CUdeviceptr &address, size_t &bytes) {
  if (CUresult failure = start()) return failure;
  std::lock_guard lock(registry().mutex);
  auto entry = registry().variables.find(host);
  if (entry == registry().variables.end()) return CUresult(cudaErrorInvalidSymbol);
  auto &[image, name] = entry->second;
  if (CUresult failure = load(*image)) return failure;
  return cuLibraryGetGlobal(&address, &bytes, image->library, name.c_str());
}

} // namespace mxc::sim::cudart
