// Handles that callers hold, and what they stand for. A handle is a number that is given out once: a stale or
// made-up one is found to be none, and never dereferenced.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mxc::sim {

template <class Object, class Handle> class HandleTable {
public:
  explicit HandleTable(uint8_t kind) : next_((uint64_t(kind) << 40) + kStep) {}

  Handle add(std::shared_ptr<Object> object) {
    std::lock_guard lock(mutex_);
    uint64_t number = next_;
    next_ += kStep;
    object->handle = reinterpret_cast<Handle>(number);
    objects_.emplace(number, object);
    return object->handle;
  }

  std::shared_ptr<Object> find(Handle handle) const { // null: there is none
    std::lock_guard lock(mutex_);
    auto found = objects_.find(reinterpret_cast<uint64_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  std::shared_ptr<Object> remove(Handle handle) {
    std::lock_guard lock(mutex_);
    auto node = objects_.extract(reinterpret_cast<uint64_t>(handle));
    return node ? node.mapped() : nullptr;
  }

  template <class Predicate> std::vector<std::shared_ptr<Object>> removeIf(Predicate predicate) {
    std::vector<std::shared_ptr<Object>> removed; // destroyed by the caller, outside of the lock
    std::lock_guard lock(mutex_);
    for (auto it = objects_.begin(); it != objects_.end();) {
      if (predicate(*it->second))
        removed.push_back(std::move(it->second)), it = objects_.erase(it);
      else
        ++it;
    }
    return removed;
  }

private:
  static constexpr uint64_t kStep = 16;
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Object>> objects_;
  uint64_t next_;
};

} // namespace mxc::sim
