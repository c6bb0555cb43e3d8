// What a context may be told: limits, caches, flags. But for the limits of printf and malloc in kernels they
// are kept and given back; the simulator runs the same.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

#include <algorithm>

namespace mxc::sim::api {

using ContextPointer = std::shared_ptr<Context>;

/// Those that are kept and given back.
static std::atomic<size_t> &limit(Context &context, CUlimit id) {
  constexpr CUlimit kKnown[] = {CU_LIMIT_STACK_SIZE, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
                                CU_LIMIT_MAX_L2_FETCH_GRANULARITY, CU_LIMIT_PERSISTING_L2_CACHE_SIZE};
  require(std::ranges::find(kKnown, id) != std::end(kKnown), CUDA_ERROR_UNSUPPORTED_LIMIT);
  return context.limits[id];
}
CUresult cuCtxGetLimit(size_t *pvalue, CUlimit id) {
  return inContext([&](const ContextPointer &context) {
    require(pvalue != nullptr);
    if (id == CU_LIMIT_PRINTF_FIFO_SIZE)
      *pvalue = context->services.printed.limit();
    else if (id == CU_LIMIT_MALLOC_HEAP_SIZE)
      *pvalue = context->services.heap.limit();
    else
      *pvalue = limit(*context, id);
  });
}
CUresult cuCtxSetLimit(CUlimit id, size_t value) {
  return inContext([&](const ContextPointer &context) {
    if (id == CU_LIMIT_PRINTF_FIFO_SIZE)
      context->services.printed.setLimit(value);
    else if (id == CU_LIMIT_MALLOC_HEAP_SIZE)
      require(context->services.heap.setLimit(value)); // before the first kernel that uses it
    else
      limit(*context, id) = value;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
  return inContext([&](const ContextPointer &context) {
    require(pconfig != nullptr);
    *pconfig = context->cachePreference;
  });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return inContext([&](const ContextPointer &context) { context->cachePreference = config; });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig) {
  return inContext([&](const ContextPointer &) {
    require(pConfig != nullptr);
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return inContext([](const ContextPointer &) {});
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned *version) {
  return started([&] {
    require(version != nullptr);
    Simulator &simulator = Simulator::instance();
    require(ctx ? simulator.contexts.find(ctx) != nullptr : simulator.current() != nullptr,
            CUDA_ERROR_INVALID_CONTEXT);
    *version = 3020; // what drivers have answered since cuCtxCreate_v2
  });
}

CUresult cuCtxGetFlags(unsigned *flags) {
  return inContext([&](const ContextPointer &context) {
    require(flags != nullptr);
    *flags = context->flags;
  });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return inContext([&](const ContextPointer &context) { context->flags = flags; });
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  return inContext([&](const ContextPointer &) {
    if (leastPriority) *leastPriority = 0;
    if (greatestPriority) *greatestPriority = -5;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return inContext([](const ContextPointer &) {});
}

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  return inContext([](const ContextPointer &) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; });
}
CUresult cuCtxDisablePeerAccess(CUcontext) {
  return inContext([](const ContextPointer &) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; });
}

} // namespace mxc::sim::api
