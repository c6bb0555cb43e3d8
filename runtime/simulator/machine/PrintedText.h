// What printf of kernels has said since the host last looked: a buffer in a ring, as on a GPU.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace mxc::sim {

class PrintedText {
public:
  static constexpr size_t kDefaultLimit = 1 << 20; // cudaLimitPrintfFifoSize

  void setLimit(size_t bytes);
  size_t limit() const;
  void add(std::string text); // what is oldest goes where the limit is exceeded
  std::string take();

private:
  mutable std::mutex mutex_;
  std::deque<std::string> texts_;
  size_t bytes_ = 0, limit_ = kDefaultLimit;
};

} // namespace mxc::sim
