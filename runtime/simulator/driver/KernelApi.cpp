// Kernels of libraries: what is asked of one is asked of its function in the current context.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static std::shared_ptr<Kernel> kernelOf(CUkernel handle) {
  auto found = Simulator::instance().kernels.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}
static CUfunction asFunction(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(kernel);
} // as launches take it

CUresult api::cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
  return inContext([&](const ContextPointer &) {
    require(pFunc != nullptr);
    kernelOf(kernel);
    *pFunc = Simulator::instance().function(asFunction(kernel))->handle;
  });
}

CUresult api::cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
  return started([&] {
    auto library = kernelOf(kernel)->library.lock();
    require(pLib && library);
    *pLib = library->handle;
  });
}

CUresult api::cuKernelGetName(const char **name, CUkernel hfunc) {
  return started([&] {
    require(name != nullptr);
    *name = kernelOf(hfunc)->name.c_str();
  });
}

/// The device is the current context's: kernels are in the contexts that loaded them.
static CUresult onDevice(CUdevice device, CUresult (*call)(int *, CUfunction_attribute, CUfunction),
                         int *value, CUfunction_attribute attribute, CUkernel kernel) {
  return inContext([&](const ContextPointer &context) {
    require(Simulator::instance().device(device).ordinal() == context->device.ordinal(),
            CUDA_ERROR_INVALID_DEVICE);
    kernelOf(kernel);
    return call(value, attribute, asFunction(kernel));
  });
}

CUresult api::cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return onDevice(dev, api::cuFuncGetAttribute, pi, attrib, kernel);
}

CUresult api::cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  auto set = [](int *value, CUfunction_attribute attribute, CUfunction function) {
    return api::cuFuncSetAttribute(function, attribute, *value);
  };
  return onDevice(dev, set, &val, attrib, kernel);
}

CUresult api::cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice) {
  return started([&] { kernelOf(kernel); });
}

CUresult api::cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize) {
  return api::cuFuncGetParamInfo(asFunction(kernel), paramIndex, paramOffset, paramSize);
}

} // namespace mxc::sim
