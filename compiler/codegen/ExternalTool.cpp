#include "compiler/codegen/ExternalTool.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
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
  if (error_.empty() && access(path().c_str(), F_OK) != 0)
    error_ = "others cannot open them by " + path() + ": " + std::strerror(errno) + " (is /proc mounted?)";
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

std::string MemoryFile::read(size_t most) {
  std::string content;
  char piece[65536];
  for (;;) {
    const size_t wanted = std::min(sizeof piece, most - content.size());
    const ssize_t got = pread(descriptor_, piece, wanted, static_cast<off_t>(content.size()));
    if (got == 0) return content;
    if (got > 0) content.append(piece, static_cast<size_t>(got));
    if (got > 0 || errno == EINTR) continue;
    error_ = std::strerror(errno);
    return "";
  }
}

int runTool(const std::string &program, const std::vector<std::string> &arguments, std::string &output,
            const ToolBounds &bounds) {
  constexpr int kDidNotRun = -1;
  constexpr size_t kMostShown = 65536;
  std::vector<char *> words = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  ToolEnd end;
  for (ToolWaiter waiter : {ToolWaiter::Host, ToolWaiter::Process}) {
    MemoryFile log;
    if (!log.error().empty()) {
      output = log.error();
      return kDidNotRun;
    }
    end = runProcess(words.data(), log.path().c_str(), waiter, bounds);
    output = log.read(kMostShown);
    if (end.error != ECHILD) break; // else somebody else was told how it ended
  }
  const auto refuse = [&](const std::string &why) {
    output += (output.empty() || output.ends_with('\n') ? "" : "\n") + why;
    return kDidNotRun;
  };
  if (end.error == ETIME)
    return refuse("it did not end within " + std::to_string(bounds.tenthsOfSeconds / 10) +
                  " seconds, and was stopped");
  if (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGXFSZ)
    return refuse("it printed or wrote more than " + std::to_string(bounds.bytes) +
                  " bytes, and was stopped");
  if (end.error) {
    output += std::string("cannot run it: ") + std::strerror(end.error);
    return kDidNotRun;
  }
  if (WIFSIGNALED(end.status)) {
    output += strsignal(WTERMSIG(end.status));
    return kDidNotRun;
  }
  constexpr int kCannotExecute = 126, kNotFound = 127; // in the words of shells and of the loader
  const int status = WEXITSTATUS(end.status);
  if (status != kCannotExecute && status != kNotFound) return status;
  output += "it could not be executed";
  return kDidNotRun;
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
