#include "tools/mxc/OutputFile.h"

#include "dialect/formats/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mxc {

static Error unwritable(const std::string &path, int error) {
  return Error(ErrorKind::InvalidInput, "cannot write " + path + ": " + std::strerror(error));
}

static int writeAll(int file, std::string_view content) { // 0 or errno
  while (!content.empty()) {
    ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

static void writeDirectly(const std::string &path, std::string_view content) {
  bool isStandardOutput = path == "-";
  int file = isStandardOutput ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) throw unwritable(path, errno);
  int error = writeAll(file, content);
  if (!isStandardOutput && close(file) != 0 && error == 0) error = errno;
  if (error != 0) throw unwritable(isStandardOutput ? "standard output" : path, error);
}

void writeOutput(const std::string &path, std::string_view content) {
  std::error_code ignored;
  fs::file_status status = fs::status(path, ignored);
  if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)))
    return writeDirectly(path, content);
  if (fs::is_directory(status)) throw unwritable(path, EISDIR);

  fs::path target = path; // a link stays one: what it points to is replaced
  if (fs::exists(status)) target = fs::canonical(target, ignored);
  std::string aside = target.string() + ".XXXXXX";
  int file = mkostemp(aside.data(), O_CLOEXEC);
  if (file < 0) throw unwritable(path, errno);
  mode_t mask = umask(0);
  umask(mask);
  int error = fchmod(file, 0666 & ~mask) != 0 ? errno : writeAll(file, content);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(aside.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  unlink(aside.c_str());
  throw unwritable(path, error);
}

void checkNotInput(const std::string &output, const std::string &input) {
  std::error_code missing; // what does not exist is no input
  if (output != "-" && input != "-" && fs::equivalent(output, input, missing) && !missing &&
      fs::is_regular_file(output))
    throw Error(ErrorKind::Usage, "the output " + output + " is the input: name another file with -o");
}

} // namespace mxc
