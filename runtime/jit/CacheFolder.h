// The files of the kernel cache, each of which is whole or absent, whatever happens to its writer.
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
  std::chrono::system_clock::time_point used; // the last use, by the clock of that time
};

/// A folder of files named by 64 hexadecimal digits, which any number of threads and processes use at once.
/// Nothing here throws because of the state of the disk: a cache that cannot be used counts as absent.
class CacheFolder {
public:
  explicit CacheFolder(std::string path) : path_(std::move(path)) {}
  const std::string &path() const { return path_; }

  enum class Use { Counts, DoesNotCount }; // as the last use of the file
  std::optional<std::string> read(const std::string &name, Use use = Use::Counts) const;

  /// Writes a file aside, flushes it to the disk and renames it: a crash at any moment leaves the old file,
  /// the new one or none. Makes the folder if it is missing. Returns nullopt, or why it could not write.
  std::optional<std::string> write(const std::string &name, std::string_view bytes) const;
  void remove(const std::string &name) const;

  std::vector<CachedFile> files() const;  // in no order
  std::vector<std::string> names() const; // of files and of whatever else bears an entry's name

  /// Removes what dead writers left and, if the files take more than `limit` bytes, the least recently used
  /// ones until an eighth of the limit is free. A use in the future was dated by a wrong clock and counts as
  /// the oldest. Does nothing while another process does it.
  void trim(uint64_t limit) const;

  /// A lock for what one process does for all, held until it is destroyed or its process ends in any way. It
  /// locks bytes at `position` of one file, so that locks of different keys do not meet and leave no files
  /// over.
  class Lock {
  public:
    /// Waits for the lock at most so long; after that, or if the folder cannot be written, goes on without
    /// it.
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
