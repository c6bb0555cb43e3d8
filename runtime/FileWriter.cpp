#include "runtime/FileWriter.h"

#include "dialect/formats/Error.h"
#include "runtime/NoFileSizeSignal.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mxc {

int writeAll(int descriptor, std::span<const std::byte> bytes) {
  const NoFileSizeSignal noSignal;
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// A short name, whatever the file's own length.
static std::string nameBeside(const std::string &path) {
  static std::atomic<unsigned> count{0};
  return folderOf(path) + "/.mxc-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

FileWriter::FileWriter(const std::string &path) : path_(path) {
  struct stat status;
  bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  bool isLink = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  exists = exists && stat(path.c_str(), &status) == 0;
  if (exists ? !S_ISREG(status.st_mode) : isLink) { // a link to nothing: the file that it names is made
    descriptor_ = open(path.c_str(), exists ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  char *real = isLink ? realpath(path.c_str(), nullptr) : nullptr;
  target_ = real ? real : path;
  std::free(real);
  openBeside();
  if (exists)
    (void)!fchmod(descriptor_, status.st_mode & 0777); // readers of what is replaced stay its readers
}

void FileWriter::openBeside() {
  descriptor_ = open(folderOf(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  temporary_ = nameBeside(target_); // a file system without nameless files
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(errno);
  }
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileWriter::write(std::span<const std::byte> bytes) {
  if (int error = writeAll(descriptor_, bytes)) fail(error);
}

void FileWriter::commit() {
  if (!target_.empty() && temporary_.empty()) {
    std::string name = nameBeside(target_), open = "/proc/self/fd/" + std::to_string(descriptor_);
    if (linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) fail(errno);
    temporary_ = name;
  }
  if (close(std::exchange(descriptor_, -1)) != 0) fail(errno); // network file systems report a full disk here
  if (target_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

// Thrown from the constructor too, where there is nothing to clear away.
void FileWriter::fail(int code) const {
  throw Error(ErrorKind::InvalidInput, "cannot write " + path_ + ": " + std::strerror(code));
}

} // namespace mxc
