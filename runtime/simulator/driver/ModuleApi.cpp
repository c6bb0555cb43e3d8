// Modules.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Image.h"
#include "runtime/simulator/driver/JitLog.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static CUresult load(CUmodule *module, const Image &image, const JitLog &log) {
  return inContext([&](const ContextPointer &context) {
    require(module && image.start);
    try {
      *module = loadPtx(context, chosenPtx(ptxOf(image), context->device.chip()))->handle;
    } catch (const ImageError &error) {
      log.write(error);
      throw Refusal{error.result};
    }
    log.clear();
  });
}
CUresult api::cuModuleLoadData(CUmodule *module, const void *image) { return load(module, Image(image), {}); }
CUresult api::cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
  return load(module, Image(fatCubin), {});
}
CUresult api::cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned numOptions,
                                 CUjit_option *options, void **optionValues) {
  if (numOptions && (!options || !optionValues)) return CUDA_ERROR_INVALID_VALUE;
  return load(module, Image(image), JitLog(numOptions, options, optionValues));
}

CUresult api::cuModuleLoad(CUmodule *module, const char *fname) {
  return started([&] {
    require(module && fname);
    std::string file = readImageFile(fname);
    return load(module, Image(file), {});
  });
}

CUresult api::cuModuleUnload(CUmodule hmod) {
  return inContext([&](const ContextPointer &) {
    Simulator &simulator = Simulator::instance();
    ContextPointer owner = simulator.module(hmod)->context;
    auto lock = owner->device.exclusiveMemory(); // until the module's variables are freed
    auto image = simulator.modules.remove(hmod);
    require(image != nullptr, CUDA_ERROR_INVALID_HANDLE);
    simulator.functions.removeIf([&](const Function &function) { return function.image.lock() == image; });
    image.reset();
  });
}

CUresult api::cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  return started([&] {
    require(mode != nullptr);
    *mode = CU_MODULE_EAGER_LOADING;
  });
}

CUresult api::cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
  return inContext([&](const ContextPointer &) {
    require(hfunc && name);
    Simulator &simulator = Simulator::instance();
    auto function = simulator.functionOf(*simulator.module(hmod), name);
    require(function != nullptr, CUDA_ERROR_NOT_FOUND);
    *hfunc = function->handle;
  });
}

CUresult api::cuModuleGetFunctionCount(unsigned *count, CUmodule mod) {
  return inContext([&](const ContextPointer &) {
    require(count != nullptr);
    *count = static_cast<unsigned>(Simulator::instance().module(mod)->kernelNames().size());
  });
}

CUresult api::cuModuleEnumerateFunctions(CUfunction *functions, unsigned numFunctions, CUmodule mod) {
  return inContext([&](const ContextPointer &) {
    require(functions != nullptr);
    Simulator &simulator = Simulator::instance();
    auto image = simulator.module(mod);
    for (const std::string &name : image->kernelNames())
      if (numFunctions-- > 0)
        *functions++ = simulator.functionOf(*image, name)->handle;
      else
        break;
  });
}

CUresult api::cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
  return inContext([&](const ContextPointer &) {
    require((dptr || bytes) && name);
    const Allocation *variable = Simulator::instance().module(hmod)->module.variable(name);
    require(variable != nullptr, CUDA_ERROR_NOT_FOUND);
    if (dptr) *dptr = variable->address;
    if (bytes) *bytes = variable->bytes;
  });
}

} // namespace mxc::sim
