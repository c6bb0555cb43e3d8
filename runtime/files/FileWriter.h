// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mxc {

/// What is written appears under `path` with commit(), and not before: it goes to a nameless file in the same
/// folder, which then replaces what was there and keeps its mode. A link stays a link, and the file that it
/// points to is replaced. Anything but a regular file (a device, a pipe) is written directly. Every function
/// throws mxc::Error (InvalidInput), "cannot write PATH: ...".
class FileWriter {
public:
  explicit FileWriter(const std::string &path);
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;

  void write(std::span<const std::byte> bytes);
  /// The same at a byte of the file. A pipe takes only the byte that follows what was written last.
  void writeAt(uint64_t offset, std::span<const std::byte> bytes);
  void commit();

private:
  void openBeside();
  [[noreturn]] void fail(int code) const;

  std::string path_;
  std::string target_;    // what is replaced; empty: written directly
  std::string temporary_; // empty while the file has no name
  int descriptor_ = -1;
  uint64_t position_ = 0; // in the file
};

/// Writes all of `bytes` to an open file. Returns 0, or errno.
int writeAll(int descriptor, std::span<const std::byte> bytes);

} // namespace mxc
