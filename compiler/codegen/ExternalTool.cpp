#include "compiler/codegen/ExternalTool.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace mxc {

MemoryFile::MemoryFile(const std::string &content) : descriptor_(memfd_create("mxc", MFD_CLOEXEC)) {
  if (descriptor_ < 0) error_ = std::strerror(errno);
  for (size_t done = 0; error_.empty() && done < content.size();) {
    ssize_t written =
        pwrite(descriptor_, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (written < 0 && errno != EINTR) error_ = std::strerror(errno);
    if (written > 0) done += static_cast<size_t>(written);
  }
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

std::string MemoryFile::read() const {
  std::string content;
  char piece[65536];
  for (ssize_t got; (got = pread(descriptor_, piece, sizeof piece, static_cast<off_t>(content.size()))) > 0;)
    content.append(piece, static_cast<size_t>(got));
  return content;
}

int runTool(const std::string &program, const std::vector<std::string> &arguments, std::string &output) {
  std::vector<llvm::StringRef> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  MemoryFile log;
  std::string path = log.path(), message;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(path),
                                                llvm::StringRef(path)};
  // No limit of time: LLVM keeps one by the process's SIGALRM, which is the host's.
  int status =
      llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects, /*SecondsToWait=*/0, 0, &message);
  output = log.read();
  if (status < 0) output += message;
  return status;
}

std::string keepForReproduction(const std::string &content, const std::string &suffix) {
  llvm::SmallString<128> path;
  int descriptor;
  if (llvm::sys::fs::createTemporaryFile("mxc-failed", suffix.substr(1), descriptor, path))
    return "FILE" + suffix;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << content;
  stream.close();
  bool failed = stream.has_error();
  stream.clear_error();
  return failed ? "FILE" + suffix : path.str().str();
}

} // namespace mxc
