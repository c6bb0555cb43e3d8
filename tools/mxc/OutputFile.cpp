#include "tools/mxc/OutputFile.h"

#include "dialect/formats/Error.h"
#include "runtime/files/FileWriter.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mxc {

static Error unwritable(int error) {
  return Error(ErrorKind::InvalidInput, std::string("cannot write standard output: ") + std::strerror(error));
}

void writeOutput(const std::string &path, std::string_view content) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  if (path == "-") {
    if (int error = writeAll(STDOUT_FILENO, bytes)) throw unwritable(error);
    return;
  }
  FileWriter file(path);
  file.write(bytes);
  file.commit();
}

void finishStandardOutput() {
  bool failedBefore = std::ferror(stdout);
  errno = 0;
  if (std::fflush(stdout) != 0 || failedBefore) throw unwritable(errno ? errno : EIO);
}

void checkWritable(const std::string &path) {
  std::error_code missing;
  const fs::file_status status = fs::symlink_status(path, missing);
  if (path != "-" && (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)))
    FileWriter attempt(path); // never committed
}

void checkNotInput(const std::string &output, const std::string &input) {
  std::error_code missing; // what does not exist is no input
  if (output != "-" && input != "-" && fs::equivalent(output, input, missing) && !missing &&
      fs::is_regular_file(output))
    throw Error(ErrorKind::Usage, "the output " + output + " is the input: name another file");
}

/// Two names of one file, which may be there or not; of devices and pipes both may be written to.
static bool nameOneFile(const std::string &a, const std::string &b) {
  if (a == "-" || b == "-") return a == b;
  std::error_code unknown;
  const fs::path left = fs::weakly_canonical(fs::absolute(a, unknown), unknown),
                 right = fs::weakly_canonical(fs::absolute(b, unknown), unknown);
  return left == right && (!fs::exists(left, unknown) || fs::is_regular_file(left, unknown));
}

void checkNotOutput(const std::string &output, const std::string &other) {
  if (!output.empty() && !other.empty() && nameOneFile(output, other))
    throw Error(ErrorKind::Usage, "two outputs are " + output + ": name a file for each");
}

void checkOutputs(const std::vector<std::string> &outputs, const std::vector<std::string> &inputs) {
  for (const std::string &output : outputs) {
    if (output.empty()) continue;
    for (const std::string &input : inputs)
      checkNotInput(output, input);
    for (const std::string &other : outputs)
      if (&other != &output) checkNotOutput(output, other);
    checkWritable(output);
  }
}

} // namespace mxc
