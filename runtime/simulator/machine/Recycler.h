// Memory that the CTAs of a grid use one after another: fresh memory costs a page fault every 4 KiB.
#pragma once

#include <mutex>
#include <vector>

namespace mxc::sim {

template <class T> class Recycler {
public:
  T take() { // one that was given back, its content as it was; a new one if there is none
    std::lock_guard lock(mutex_);
    if (free_.empty()) return T();
    T taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void give(T &&used) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(used));
  }

private:
  std::mutex mutex_;
  std::vector<T> free_;
};

} // namespace mxc::sim
