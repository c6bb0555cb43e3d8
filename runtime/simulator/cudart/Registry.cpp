#include "runtime/simulator/cudart/Registry.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace mxc::sim::cudart {

struct Image {
  const void *data;
  CUlibrary library = nullptr;
  CUresult failure = CUDA_SUCCESS; // of loading it, which is not tried again
  std::map<void **, std::string> managed = {};
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
  std::map<CUfunction, const void *> hosts; // of functions that were asked for
};

/// Never destroyed: programs ask for kernels in their last destructors.
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

CUresult load(Image &image) {
  if (image.library || image.failure) return image.failure;
  image.failure = cuLibraryLoadData(&image.library, image.data, nullptr, nullptr, 0, nullptr, nullptr, 0);
  for (const auto &[host, name] : image.managed) {
    CUdeviceptr address = 0; // host and device reach one memory
    size_t bytes;
    if (!image.failure) image.failure = cuLibraryGetGlobal(&address, &bytes, image.library, name.c_str());
    *host = reinterpret_cast<void *>(address);
  }
  return image.failure;
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

void addManaged(Image *image, void **host, const char *name) {
  std::lock_guard lock(registry().mutex);
  image->managed[host] = name;
  registry().variables[host] = {image, name};
}

void initialize(Image *image) {
  if (start()) return; // the first call tells
  std::lock_guard lock(registry().mutex);
  load(*image);
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
  CUresult result = findKernel(host, kernel);
  if (result == CUresult(cudaErrorInvalidDeviceFunction)) { // a function's handle is one thing more
    const char *name;
    function = static_cast<CUfunction>(const_cast<void *>(host));
    if (host && cuFuncGetName(&name, function) == CUDA_SUCCESS) return CUDA_SUCCESS;
  }
  if (!result) result = cuKernelGetFunction(&function, kernel);
  if (result) return result;
  std::lock_guard lock(registry().mutex);
  if (registry().kernels.contains(host)) registry().hosts[function] = host;
  return CUDA_SUCCESS;
}

const void *hostOf(CUfunction function) {
  std::lock_guard lock(registry().mutex);
  auto found = registry().hosts.find(function);
  return found == registry().hosts.end() ? function : found->second;
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
