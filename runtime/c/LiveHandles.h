// Which handles of the C interface there are: one that was destroyed, or never made, is an error.
#pragma once

#include "runtime/c/Status.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace mxc::c {

/// The addresses of the handles of one type. Any thread may ask; threads that ask for different handles
/// rarely meet.
template <typename Handle> class LiveHandles {
public:
  static void add(const Handle *handle) {
    Part &part = partOf(handle);
    std::lock_guard lock(part.mutex);
    part.handles.insert(handle);
  }
  /// False if there was none: whoever gets true destroys it.
  static bool take(const Handle *handle) {
    Part &part = partOf(handle);
    std::lock_guard lock(part.mutex);
    return part.handles.erase(handle) != 0;
  }
  static bool has(const Handle *handle) {
    Part &part = partOf(handle);
    std::lock_guard lock(part.mutex);
    return part.handles.count(handle) != 0;
  }

private:
  struct Part {
    std::mutex mutex;
    std::unordered_set<const Handle *> handles;
  };
  static Part &partOf(const Handle *handle) {
    constexpr size_t kParts = 64, kAllocationBytes = 32;
    static auto *parts = new std::array<Part, kParts>; // handles may be destroyed by static objects
    return (*parts)[reinterpret_cast<uintptr_t>(handle) / kAllocationBytes % kParts];
  }
};

/// Makes a handle that alive() knows.
template <typename Handle, typename... Members> Handle *made(Members &&...members) {
  auto handle = std::unique_ptr<Handle>(new Handle{std::forward<Members>(members)...});
  LiveHandles<Handle>::add(handle.get());
  return handle.release();
}

/// Throws mxc::Error (Usage) for NULL, and for what is no handle or none any more.
template <typename Handle> Handle &alive(Handle *handle, const char *what) {
  required(handle, what);
  if (!LiveHandles<std::remove_const_t<Handle>>::has(handle))
    throw Error(ErrorKind::Usage,
                std::string(what) + " is no handle that mxc made, or it was destroyed: expected a live one");
  return *handle;
}

/// NULL is none. A second time it does nothing but to set the last error.
template <typename Handle> void destroyed(Handle *handle, const char *what) noexcept {
  if (!handle) return;
  if (LiveHandles<Handle>::take(handle))
    delete handle;
  else
    failed(MXC_USAGE, what);
}

/// For functions without a status: null of what is not alive.
template <typename Handle> const Handle *orNull(const Handle *handle) noexcept {
  return handle && LiveHandles<Handle>::has(handle) ? handle : nullptr;
}

} // namespace mxc::c
