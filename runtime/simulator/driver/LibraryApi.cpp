// Libraries (CUDA 12): images of no context. Each becomes a module of every context that uses it.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/Image.h"
#include "runtime/simulator/driver/JitLog.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static CUresult load(CUlibrary *handle, const Image &image, const JitLog &log) {
  return started([&] {
    require(handle && image.start);
    auto library = std::make_shared<Library>();
    try {
      library->ptx = ptxOf(image);
      // Loaded at once where there is a context, so that errors come from this call.
      auto &stack = Simulator::instance().stack();
      if (!stack.empty() && stack.back() && stack.back()->isAlive && !stack.back()->isBroken()) {
        const ContextPointer &context = stack.back();
        library->modules[context->id] =
            loadPtx(context, chosenPtx(library->ptx, context->device.chip()))->handle;
      }
    } catch (const ImageError &error) {
      log.write(error);
      throw Refusal{error.result};
    }
    log.clear();
    *handle = Simulator::instance().libraries.add(library);
  });
}

CUresult api::cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                void **jitOptionsValues, unsigned numJitOptions, CUlibraryOption *, void **,
                                unsigned) {
  if (numJitOptions && (!jitOptions || !jitOptionsValues)) return CUDA_ERROR_INVALID_VALUE;
  return load(library, Image(code), JitLog(numJitOptions, jitOptions, jitOptionsValues));
}

CUresult api::cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                    void **jitOptionsValues, unsigned numJitOptions, CUlibraryOption *,
                                    void **, unsigned) {
  return started([&] {
    require(library && fileName && (!numJitOptions || (jitOptions && jitOptionsValues)));
    std::string file = readImageFile(fileName);
    return load(library, Image(file), JitLog(numJitOptions, jitOptions, jitOptionsValues));
  });
}

static std::shared_ptr<Library> libraryOf(CUlibrary handle) {
  auto found = Simulator::instance().libraries.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

CUresult api::cuLibraryUnload(CUlibrary library) {
  return started([&] {
    Simulator &simulator = Simulator::instance();
    auto removed = simulator.libraries.remove(library);
    require(removed != nullptr, CUDA_ERROR_INVALID_HANDLE);
    simulator.kernels.removeIf([&](const Kernel &kernel) { return kernel.library.lock() == removed; });
    for (auto [contextId, module] : removed->modules) {
      auto image = simulator.modules.find(module);
      if (!image) continue;
      ContextPointer owner = image->context;
      auto lock = owner->device.exclusiveMemory(); // until the module's variables are freed
      simulator.functions.removeIf([&](const Function &function) { return function.image.lock() == image; });
      simulator.modules.remove(module);
      image.reset();
    }
  });
}

CUresult api::cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
  return inContext([&](const ContextPointer &context) {
    require(pMod != nullptr);
    *pMod = moduleOf(*libraryOf(library), context)->handle;
  });
}

CUresult api::cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
  CUmodule module = nullptr;
  CUresult result = api::cuLibraryGetModule(&module, library);
  return result == CUDA_SUCCESS ? api::cuModuleGetGlobal_v2(dptr, bytes, module, name) : result;
}

CUresult api::cuLibraryGetKernelCount(unsigned *count, CUlibrary lib) {
  return inContext([&](const ContextPointer &context) {
    require(count != nullptr);
    *count = static_cast<unsigned>(moduleOf(*libraryOf(lib), context)->kernelNames().size());
  });
}

CUresult api::cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
  return inContext([&](const ContextPointer &context) {
    require(pKernel && name);
    Simulator &simulator = Simulator::instance();
    auto owner = libraryOf(library);
    require(simulator.functionOf(*moduleOf(*owner, context), name) != nullptr, CUDA_ERROR_NOT_FOUND);
    std::lock_guard lock(owner->mutex);
    auto &kernel = owner->kernels[name];
    if (!kernel) {
      kernel = std::make_shared<Kernel>();
      kernel->library = owner, kernel->name = name;
      simulator.kernels.add(kernel);
    }
    *pKernel = kernel->handle;
  });
}

} // namespace mxc::sim
