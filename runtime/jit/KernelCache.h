// Compiled kernels on disk, shared by all processes of a user.
#pragma once

#include "runtime/jit/CacheEntry.h"
#include "runtime/jit/CacheFolder.h"
#include "runtime/jit/ContentHash.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mxc {

struct CachedKernel {
  std::string key;
  uint64_t bytes = 0;
  std::chrono::system_clock::time_point used;
  std::optional<CacheEntry> entry; // nothing: damaged
};

/// A cheap handle, which any thread may use. It survives what happens to disks and processes: writers that
/// are killed, full and read-only folders, damaged entries (built anew), clocks that jump.
class KernelCache {
public:
  static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30;

  explicit KernelCache(const std::string &folder, uint64_t limitBytes = kDefaultLimit);

  /// Opens $XDG_CACHE_HOME/mxc or $HOME/.cache/mxc, with at most $MXC_CACHE_SIZE bytes; nullopt without a
  /// place or with a size of 0. Throws mxc::Error (Usage) if the size is not a number of bytes.
  static std::optional<KernelCache> ofUser();

  const std::string &folder() const;
  uint64_t limit() const; // bytes

  void limitTo(uint64_t bytes); // for all handles of it

  struct Result {
    CacheEntry entry;
    bool wasFound = false;
    std::string problem; // why it could not be stored
  };
  /// Returns the entry of `key`, or stores and returns what `build` makes. If several processes and threads
  /// ask at once, one builds and the others wait, at most `patience` long; then they build too. Throws what
  /// `build` throws.
  Result obtain(const ContentHash &key, const std::function<CacheEntry()> &build,
                std::chrono::milliseconds patience = std::chrono::seconds(20)) const;

  std::optional<CacheEntry> find(const ContentHash &key) const; // nothing: not there, or damaged

  std::vector<CachedKernel> kernels() const; // all of them, read; the last used first
  void remove(const std::string &key) const;
  /// Removes all kernels, and what dead writers left. Returns the names of what cannot be removed.
  std::vector<std::string> clear() const;

private:
  std::optional<CacheEntry> find(const std::string &key) const;
  std::string store(const std::string &key, const CacheEntry &entry) const; // why not, or ""
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace mxc
