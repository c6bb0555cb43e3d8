#include "runtime/simulator/driver/Capture.h"

#include "runtime/simulator/driver/Refusal.h"

#include <utility>

namespace mxc::sim {

static std::shared_ptr<Graph> graphIn(const std::shared_ptr<Context> &context) {
  auto graph = std::make_shared<Graph>();
  graph->context = context;
  return graph;
}

static uint64_t nextCaptureId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Capture::Capture(const std::shared_ptr<Context> &context, const Stream *origin)
    : graph_(graphIn(context)), origin_(origin), id_(nextCaptureId()) {}

bool Capture::append(Work &work) {
  std::lock_guard lock(mutex_);
  if (hasEnded_) return false;
  require(!isInvalid_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  std::vector<CUgraphNode> latest;
  if (!graph_->nodes.empty()) latest.push_back(graph_->nodes.back()->handle);
  graph_->add(std::move(work), std::move(latest));
  return true;
}

std::shared_ptr<Graph> Capture::end() {
  std::lock_guard lock(mutex_);
  if (hasEnded_.exchange(true)) return nullptr;
  require(!isInvalid_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  return graph_;
}

std::shared_ptr<Capture> CaptureLink::get() const {
  std::lock_guard lock(mutex_);
  return capture_ && !capture_->hasEnded() ? capture_ : nullptr;
}

void CaptureLink::set(std::shared_ptr<Capture> capture) {
  std::lock_guard lock(mutex_);
  capture_.swap(capture); // the former one goes outside of the lock
}

bool CaptureLink::begin(std::shared_ptr<Capture> capture) {
  std::lock_guard lock(mutex_);
  if (capture_ && !capture_->hasEnded()) return false;
  capture_.swap(capture);
  return true;
}

} // namespace mxc::sim
