#include "runtime/device/Graph.h"

namespace mxc {

Graph Graph::capture(const Stream &stream, const std::function<void()> &work) {
  Graph result(stream.device());
  const Device &device = stream.device();
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
  CUresult instantiated = driver.cuGraphInstantiateWithFlags(result.executable_.place(), graph, 0);
  driver.cuGraphDestroy(graph);
  device.check(instantiated, "instantiate a graph");
  return result;
}

void Graph::launch(CUstream stream) const {
  const Device &device = executable_.device();
  ContextScope scope(device);
  device.check(device.driver().cuGraphLaunch(executable_.get(), stream), "launch a graph");
}

} // namespace mxc
