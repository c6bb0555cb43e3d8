// Functions: what they need, and what they are allowed.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static std::shared_ptr<Function> functionOf(CUfunction handle) {
  return Simulator::instance().function(handle);
}

static int attribute(const Context &context, const Function &function, CUfunction_attribute id) {
  const KernelFacts &facts = *function.facts;
  const FunctionSettings &settings = function.settings;
  auto cluster = [&](size_t axis) {
    return facts.requiredCluster[axis] ? static_cast<int>(facts.requiredCluster[axis])
                                       : settings.cluster[axis].load();
  };
  switch (id) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return static_cast<int>(facts.maximumThreads);
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return static_cast<int>(facts.staticSharedBytes);
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return static_cast<int>(facts.localBytes);
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return static_cast<int>(facts.registers);
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    return TargetName::parse(facts.target).value_or(TargetName()).number;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return context.device.chip().target.number;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return settings.dynamicSharedBytes;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return settings.carveout;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    return 0;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    return cluster(0);
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    return cluster(1);
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    return cluster(2);
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    return settings.isNonPortableClusterAllowed;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return settings.clusterPolicy;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: // not told apart from the module's
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    return 0;
  default:
    throw Refusal{CUDA_ERROR_INVALID_VALUE};
  }
}

CUresult api::cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return inContext([&](const ContextPointer &context) {
    require(pi != nullptr);
    *pi = attribute(*context, *functionOf(hfunc), attrib);
  });
}

static void setCluster(Function &function, size_t axis, int value) {
  require(value >= 0);
  uint32_t required = function.facts->requiredCluster[axis];
  require(!required || required == static_cast<uint32_t>(value),
          CUDA_ERROR_NOT_PERMITTED); // the kernel has said it
  function.settings.cluster[axis] = value;
}

CUresult api::cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return inContext([&](const ContextPointer &context) {
    auto function = functionOf(hfunc);
    FunctionSettings &settings = function->settings;
    int room = context->device.chip().limits.sharedBytesPerBlockOptIn -
               static_cast<int>(function->facts->staticSharedBytes);
    switch (attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      require(value >= 0 && value <= room);
      settings.dynamicSharedBytes = value;
      return;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= CU_SHAREDMEM_CARVEOUT_DEFAULT && value <= CU_SHAREDMEM_CARVEOUT_MAX_SHARED);
      settings.carveout = value;
      return;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return setCluster(*function, 0, value);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return setCluster(*function, 1, value);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return setCluster(*function, 2, value);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      settings.isNonPortableClusterAllowed = value != 0;
      return;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      settings.clusterPolicy = value;
      return;
    default:
      throw Refusal{CUDA_ERROR_INVALID_VALUE};
    }
  });
}

CUresult api::cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache) {
  return inContext([&](const ContextPointer &) { functionOf(hfunc); });
}
CUresult api::cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig) {
  return inContext([&](const ContextPointer &) { functionOf(hfunc); });
}

CUresult api::cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
  return inContext([&](const ContextPointer &) {
    auto image = functionOf(hfunc)->image.lock();
    require(hmod && image);
    *hmod = image->handle;
  });
}

CUresult api::cuFuncGetName(const char **name, CUfunction hfunc) {
  return inContext([&](const ContextPointer &) {
    require(name != nullptr);
    *name = functionOf(hfunc)->name.c_str();
  });
}

CUresult api::cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
  return inContext([&](const ContextPointer &) {
    const KernelFacts &facts = *functionOf(func)->facts;
    require(paramOffset && paramIndex < facts.parameterOffsets.size());
    *paramOffset = facts.parameterOffsets[paramIndex];
    if (paramSize) *paramSize = facts.parameterSizes[paramIndex];
  });
}

CUresult api::cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  return inContext([&](const ContextPointer &) {
    functionOf(function);
    require(state != nullptr);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}
CUresult api::cuFuncLoad(CUfunction function) {
  return inContext([&](const ContextPointer &) { functionOf(function); });
}

} // namespace mxc::sim
