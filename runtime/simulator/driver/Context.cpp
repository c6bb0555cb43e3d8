#include "runtime/simulator/driver/Context.h"

#include "runtime/simulator/driver/SimulatedDevice.h"

#include <cstdio>

namespace mxc::sim {

static uint64_t nextContextId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Context::Context(SimulatedDevice &device, bool isPrimary)
    : device(device), isPrimary(isPrimary), id(nextContextId()), services(device.memory()) {
  setDefaultLimits();
}

CUresult Context::wait() {
  showPrinted();
  if (isBroken()) isFaultSeen_ = true;
  return errorSeen();
}

void Context::showPrinted() {
  const std::string text = services.printed.take();
  std::fwrite(text.data(), 1, text.size(), stdout); // among what the host prints, in its order
}

void Context::clear() {
  showPrinted();
  services.heap.reset();
  setDefaultLimits();
  fault_ = CUDA_SUCCESS, isFaultSeen_ = false;
}

void Context::setDefaultLimits() {
  services.heap.setLimit(KernelHeap::kDefaultLimit);
  services.printed.setLimit(PrintedText::kDefaultLimit);
  limits[CU_LIMIT_STACK_SIZE] = 1024;
  limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 0;
}

} // namespace mxc::sim
