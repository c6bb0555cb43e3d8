// Contexts, and which of them is a thread's current one.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

namespace mxc::sim::api {

static CUresult create(CUcontext *context, unsigned flags, CUdevice dev) {
  return started([&] {
    require(context && (flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) == 0);
    Simulator &simulator = Simulator::instance();
    std::shared_ptr<Context> made = makeContext(simulator.device(dev), false);
    made->flags = flags;
    *context = simulator.contexts.add(made);
    simulator.stack().push_back(std::move(made));
  });
}
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned flags, CUdevice dev) { return create(pctx, flags, dev); }
CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *, int numParams, unsigned flags, CUdevice dev) {
  return numParams ? CUDA_ERROR_NOT_SUPPORTED : create(pctx, flags, dev);
}
CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *params, unsigned flags, CUdevice dev) {
  bool isPlain = !params || (!params->numExecAffinityParams && !params->cigParams);
  return isPlain ? create(pctx, flags, dev) : CUDA_ERROR_NOT_SUPPORTED;
}

/// Null for a null handle.
static std::shared_ptr<Context> contextOf(CUcontext handle) {
  if (!handle) return nullptr;
  auto found = Simulator::instance().contexts.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  return found;
}

CUresult cuCtxDestroy_v2(CUcontext ctx) {
  return started([&] {
    std::shared_ptr<Context> context = contextOf(ctx);
    require(context && !context->isPrimary, CUDA_ERROR_INVALID_CONTEXT);
    Simulator &simulator = Simulator::instance();
    require(simulator.contexts.remove(ctx) != nullptr,
            CUDA_ERROR_INVALID_CONTEXT); // another thread was quicker
    context->isAlive = false;
    simulator.destroyObjectsOf(*context);
    auto &stack = simulator.stack();
    if (!stack.empty() && stack.back() == context) stack.pop_back();
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  return started([&] {
    require(ctx != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    Simulator::instance().stack().push_back(contextOf(ctx));
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx) {
  return started([&] {
    auto &stack = Simulator::instance().stack();
    require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
    if (pctx) *pctx = stack.back() ? stack.back()->handle : nullptr;
    stack.pop_back();
  });
}

// Replaces the stack's top; with null the top goes.
CUresult cuCtxSetCurrent(CUcontext ctx) {
  return started([&] {
    std::shared_ptr<Context> context = contextOf(ctx);
    auto &stack = Simulator::instance().stack();
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(std::move(context));
  });
}

CUresult cuCtxGetCurrent(CUcontext *pctx) {
  return started([&] {
    require(pctx != nullptr);
    auto &stack = Simulator::instance().stack();
    *pctx = stack.empty() || !stack.back() ? nullptr : stack.back()->handle;
  });
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return started([&] {
    require(device != nullptr);
    *device = Simulator::instance().current()->device.ordinal();
  });
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
  return started([&] {
    require(ctxId != nullptr);
    *ctxId = (ctx ? contextOf(ctx) : Simulator::instance().current())->id;
  });
}

CUresult cuCtxSynchronize() {
  return inContext([](const std::shared_ptr<Context> &context) { context->device.memory().settle(); });
}

} // namespace mxc::sim::api
