// Launches. The parameters are copied, so that the caller's may go.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"
#include "runtime/simulator/driver/LaunchShape.h"

#include <cstring>

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

/// Copies the buffer that `extra` names: CU_LAUNCH_PARAM_BUFFER_POINTER, the buffer,
/// CU_LAUNCH_PARAM_BUFFER_SIZE, a pointer to its size, END.
static void copyBuffer(void **extra, std::vector<std::byte> &to) {
  const void *buffer = nullptr;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      bytes = *static_cast<const size_t *>(extra[1]);
    else
      throw Refusal{CUDA_ERROR_INVALID_VALUE};
  }
  require(to.empty() || (buffer && bytes >= to.size()));
  if (!to.empty()) std::memcpy(to.data(), buffer, to.size());
}

static std::vector<std::byte> parametersOf(const KernelFacts &facts, void **parameters, void **extra) {
  std::vector<std::byte> bytes(facts.parameterBytes);
  require(!parameters || !extra);
  if (extra) {
    copyBuffer(extra, bytes);
    return bytes;
  }
  require(parameters || facts.parameterOffsets.empty());
  for (size_t i = 0; i < facts.parameterOffsets.size(); ++i) {
    require(parameters[i] || !facts.parameterSizes[i]);
    if (facts.parameterSizes[i])
      std::memcpy(&bytes[facts.parameterOffsets[i]], parameters[i], facts.parameterSizes[i]);
  }
  return bytes;
}

/// Events that a launch attribute wants recorded: at its begin or its end, which are one moment here.
static void recordEvents(const CUlaunchConfig &config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
      Simulator::instance().event(attribute.value.programmaticEvent.event)->record();
    else if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
      Simulator::instance().event(attribute.value.launchCompletionEvent.event)->record();
  }
}

CUresult api::cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                               void **extra) {
  return inContextAsync([&](const ContextPointer &context) {
    require(config != nullptr);
    auto function = Simulator::instance().function(f);
    auto image = function->image.lock();
    require(image && image->context == context,
            CUDA_ERROR_INVALID_HANDLE); // a function of another context's module
    LaunchShape shape = checkedShape(context->device, *function, *config);
    Launch launch{shape.grid,
                  shape.block,
                  shape.cluster,
                  shape.dynamicSharedBytes,
                  parametersOf(*function->facts, kernelParams, extra),
                  shape.isClusterExplicit,
                  shape.isDependent,
                  shape.isCooperative};
    auto call = std::make_shared<KernelCall>(KernelCall{function, image, std::move(launch), {}});
    for (uint32_t offset : function->facts->parameterOffsets)
      call->arguments.push_back(call->launch.parameters.data() + offset);
    CUresult result = enqueue(context, config->hStream,
                              {CU_GRAPH_NODE_TYPE_KERNEL,
                               [call] {
                                 Context &own = *call->image->context;
                                 if (!own.isBroken())
                                   own.device.launch(own, *call->function->program, call->launch);
                                 return CUDA_SUCCESS; // a fault is the next call's to tell
                               },
                               call});
    if (result == CUDA_SUCCESS) recordEvents(*config);
    return result;
  });
}

CUresult api::cuLaunchKernel(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ,
                             unsigned blockDimX, unsigned blockDimY, unsigned blockDimZ,
                             unsigned sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
  CUlaunchConfig config{gridDimX,  gridDimY,       gridDimZ, blockDimX, blockDimY,
                        blockDimZ, sharedMemBytes, hStream,  nullptr,   0};
  return api::cuLaunchKernelEx(&config, f, kernelParams, extra);
}

CUresult api::cuLaunchCooperativeKernel(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ,
                                        unsigned blockDimX, unsigned blockDimY, unsigned blockDimZ,
                                        unsigned sharedMemBytes, CUstream hStream, void **kernelParams) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config{gridDimX,  gridDimY,       gridDimZ, blockDimX,    blockDimY,
                        blockDimZ, sharedMemBytes, hStream,  &cooperative, 1};
  return api::cuLaunchKernelEx(&config, f, kernelParams, nullptr);
}

CUresult api::cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
  return inContextAsync([&](const ContextPointer &context) {
    require(fn != nullptr);
    return enqueue(context, hStream, {CU_GRAPH_NODE_TYPE_HOST, [context, fn, userData] {
                                        context->showPrinted();
                                        return fn(userData), CUDA_SUCCESS;
                                      }});
  });
}

} // namespace mxc::sim
