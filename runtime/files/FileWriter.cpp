#include "runtime/files/FileWriter.h"

#include "dialect/formats/Error.h"
#include "runtime/files/NoFileSizeSignal.h"
#include "runtime/files/SignalsLater.h"

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

/// Calls make(name), which returns whether it made the file, with names in `path`'s folder until one is free:
/// a process with the same number, in another container or killed, may have left one. The names are short,
/// however long the file's own is. Returns "" if there is none; errno says why.
template <typename Make> static std::string makeBeside(const std::string &path, Make make) {
  static std::atomic<unsigned> count{0};
  for (;;) {
    const std::string name =
        folderOf(path) + "/.mxc-" + std::to_string(getpid()) + "-" + std::to_string(count++);
    if (make(name.c_str())) return name;
    if (errno != EEXIST) return "";
  }
}

static std::string pathOfOpen(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

FileWriter::FileWriter(const std::string &path) : path_(path) {
  struct stat status;
  bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  bool isLink = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  exists = exists && stat(path.c_str(), &status) == 0;
  if (exists ? !S_ISREG(status.st_mode) : isLink) { // a link to nothing: the file that it names is made
    // O_NONBLOCK: a pipe that nobody reads is an error at once.
    descriptor_ =
        open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (exists ? 0 : O_CREAT), 0666);
    if (descriptor_ < 0) fail(errno);
    fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
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
  if (descriptor_ >= 0 && access(pathOfOpen(descriptor_).c_str(), F_OK) == 0) return;
  // The file system has no nameless files, or there is no /proc to name them through.
  if (descriptor_ >= 0) close(descriptor_);
  temporary_ = makeBeside(target_, [&](const char *name) {
    descriptor_ = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0;
  });
  if (temporary_.empty()) fail(errno);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileWriter::write(std::span<const std::byte> bytes) {
  if (int error = writeAll(descriptor_, bytes)) fail(error);
  position_ += bytes.size();
}

void FileWriter::writeAt(uint64_t offset, std::span<const std::byte> bytes) {
  if (offset != position_ && lseek(descriptor_, off_t(offset), SEEK_SET) < 0) fail(errno);
  position_ = offset;
  write(bytes);
}

void FileWriter::commit() {
  const SignalsLater signalsLater; // while a temporary name exists
  if (!target_.empty() && temporary_.empty()) {
    const std::string open = pathOfOpen(descriptor_);
    temporary_ = makeBeside(target_, [&](const char *name) {
      return linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
    if (temporary_.empty()) fail(errno);
  }
  if (close(std::exchange(descriptor_, -1)) != 0) fail(errno); // network file systems report a full disk here
  if (target_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

// The constructor throws it too, when there is nothing to clear away.
void FileWriter::fail(int code) const {
  throw Error(ErrorKind::InvalidInput, "cannot write " + path_ + ": " +
                                           (code == ENXIO ? "nobody reads this pipe" : std::strerror(code)));
}

} // namespace mxc
