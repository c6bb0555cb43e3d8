// A file that somebody named, open for reading.
#pragma once

#include <string>
#include <sys/stat.h>

namespace mxc {

/// Opening never waits. Throws mxc::Error (InvalidInput), "cannot read <path>: ...", where the file cannot be
/// opened, is a folder, or is a named pipe, which has nothing to read until somebody else opens it. A pipe
/// that the process was given (standard input, a shell's `<(..)`) is none of these.
class OpenedFile {
public:
  explicit OpenedFile(const std::string &path);
  ~OpenedFile();
  OpenedFile(const OpenedFile &) = delete;
  OpenedFile &operator=(const OpenedFile &) = delete;

  int descriptor() const { return descriptor_; }
  const struct stat &status() const { return status_; }

private:
  int descriptor_ = -1;
  struct stat status_ = {};
};

} // namespace mxc
