// The files of the kernel cache: whole or not there, whatever happens to those who write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

struct CachedFile {
  std::string name;
  uint64_t bytes = 0;
  std::chrono::system_clock::time_point used; // when last, by the clock of then
};

/// A folder of files named by 64 hexadecimal digits, which any number of threads and processes use at once.
/// Nothing here throws for the state of the disk: a cache that cannot be used is none.
class CacheFolder {
public:
  explicit CacheFolder(std::string path) : path_(std::move(path)) {}
  const std::string &path() const { return path_; }

  enum class Use { Counts, DoesNotCount }; // as the last use of the file
  std::optional<std::string> read(const std::string &name, Use use = Use::Counts) const;

  /// Aside, flushed to the disk, and renamed: a crash at any moment leaves the old file, the new one or none.
  /// Makes the folder where it is missing. Nothing, or why it could not be written.
  std::optional<std::string> write(const std::string &name, std::string_view bytes) const;
  void remove(const std::string &name) const;

  std::vector<CachedFile> files() const; // in no order

  /// Removes what writers left that are gone and, where the files take more than `limit` bytes, the least
  /// recently used ones until an eighth of it is free. A use that lies in the future was dated by a wrong
  /// clock: it counts as the oldest. Does nothing while another process does it.
  void trim(uint64_t limit) const;

  /// What one process does for all: held until it goes, however its process ends. A lock of bytes at
  /// `position` of one file, so that locks of different keys do not meet and leave no files behind.
  class Lock {
  public:
    /// Waits until it has the lock, at most so long; then, or where the folder cannot be written, without it.
    Lock(const CacheFolder &folder, uint64_t position, std::chrono::milliseconds patience);
    ~Lock();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    bool isHeld() const { return isHeld_; }

  private:
    int descriptor_ = -1;
    uint64_t position_;
    bool isHeld_ = false;
  };

private:
  std::string pathOf(const std::string &name) const { return path_ + "/" + name; }
  void sweep() const;
  std::string path_;
};

} // namespace mxc
