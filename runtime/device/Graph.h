// Work captured once and launched many times.
#pragma once

#include "runtime/device/Stream.h"

#include <functional>

namespace mxc {

/// A CUDA graph. `Graph::capture(stream, work)` runs `work`, which enqueues on `stream` only, without
/// executing it; launch then replays it, with the addresses and values of the capture. Throws mxc::Error
/// (Device) if something in `work` cannot be captured; an exception from `work` ends the capture and passes
/// through.
class Graph {
public:
  static Graph capture(const Stream &stream, const std::function<void()> &work);

  void launch(CUstream stream) const;

private:
  explicit Graph(const Device &device) : executable_(device) {}
  DeviceHandle<CUgraphExec, &Driver::cuGraphExecDestroy> executable_;
};

} // namespace mxc
