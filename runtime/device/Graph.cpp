#include "runtime/device/Graph.h"

namespace mxc {

Graph Graph::capture(const Stream &stream, const std::function<void()> &work) {
  Graph result(stream.device());
  const Device &device = result.device_;
  const Driver &driver = device.driver();
  ContextScope scope(device);
  device.check(driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "begin a graph capture");
  CUgraph graph = nullptr;
  try {
    work();
  } catch (...) {
    driver.cuStreamEndCapture(stream, &graph);
    if (graph) driver.cuGraphDestroy(graph);
    throw;
  }
  device.check(driver.cuStreamEndCapture(stream, &graph), "end a graph capture");
  CUresult instantiated = driver.cuGraphInstantiateWithFlags(&result.executable_, graph, 0);
  driver.cuGraphDestroy(graph);
  device.check(instantiated, "instantiate a graph");
  return result;
}

Graph &Graph::operator=(Graph &&other) noexcept {
  if (this == &other) return *this;
  reset();
  device_ = other.device_;
  executable_ = std::exchange(other.executable_, nullptr);
  return *this;
}

void Graph::reset() noexcept {
  if (!executable_) return;
  ContextScope scope(device_);
  device_.driver().cuGraphExecDestroy(std::exchange(executable_, nullptr));
}

void Graph::launch(CUstream stream) const {
  ContextScope scope(device_);
  device_.check(device_.driver().cuGraphLaunch(executable_, stream), "launch a graph");
}

} // namespace mxc
