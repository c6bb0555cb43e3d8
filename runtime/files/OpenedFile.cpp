#include "runtime/files/OpenedFile.h"

#include "runtime/files/ReadErrors.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace mxc {

/// Paths of descriptors that the process holds already: whoever gave them opened them.
static bool isGiven(const std::string &path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

OpenedFile::OpenedFile(const std::string &path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw unreadable(path, std::strerror(errno));
  std::string why;
  if (fstat(descriptor_, &status_) != 0)
    why = std::strerror(errno);
  else if (S_ISDIR(status_.st_mode))
    why = "it is a folder";
  else if (S_ISFIFO(status_.st_mode) && !isGiven(path))
    why = "expected a file, found a named pipe";
  else if (!S_ISREG(status_.st_mode)) // what is read from it may come later
    fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  if (why.empty()) return;
  close(descriptor_);
  throw unreadable(path, why);
}

OpenedFile::~OpenedFile() { close(descriptor_); }

} // namespace mxc
