#include "compiler/codegen/ExternalTool.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

std::string MemoryFile::read() {
  std::string content;
  char piece[65536];
  for (;;) {
    const ssize_t got = pread(descriptor_, piece, sizeof piece, static_cast<off_t>(content.size()));
    if (got == 0) return content;
    if (got > 0) content.append(piece, static_cast<size_t>(got));
    if (got > 0 || errno == EINTR) continue;
    error_ = std::strerror(errno);
    return "";
  }
}

static void redirect(int descriptor, const char *path, int flags) {
  const int opened = open(path, flags);
  if (opened < 0) _exit(127);
  if (opened == descriptor) return;
  dup2(opened, descriptor);
  close(opened);
}

/// What posix_spawn does, which cannot have the program end with the thread that waits for it. Its standard
/// output and error go to the file `log`. Returns errno where there is no such program.
static int start(char *const *words, const char *log, pid_t &process) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t parent = getpid();
  volatile int error = 0; // the child writes into this memory, until it becomes the program
  process = vfork();
  if (process == 0) {
    for (int signal = 1; signal < NSIG; ++signal) // no handler of the host's runs here
      if (struct sigaction action; !sigaction(signal, nullptr, &action) && action.sa_handler != SIG_IGN)
        ::signal(signal, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // it is gone already
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, log, O_WRONLY);
    dup2(STDOUT_FILENO, STDERR_FILENO); // one place in the file for both
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execv(words[0], words);
    error = errno;
    _exit(127);
  }
  if (process < 0) error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

int runTool(const std::string &program, const std::vector<std::string> &arguments, std::string &output) {
  constexpr int kDidNotRun = -1;
  MemoryFile log;
  if (!log.error().empty()) {
    output = log.error();
    return kDidNotRun;
  }
  const std::string path = log.path();
  std::vector<char *> words = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  pid_t process, ended = -1;
  int status = 0, error = start(words.data(), path.c_str(), process);
  if (process > 0)
    while ((ended = waitpid(process, &status, 0)) < 0 && errno == EINTR) {
    }
  if (process > 0 && ended < 0 && !error) error = errno; // a host that ignores SIGCHLD
  output = log.read();
  if (error) {
    output += std::string("cannot run it: ") + std::strerror(error);
    return kDidNotRun;
  }
  if (WIFSIGNALED(status)) {
    output += strsignal(WTERMSIG(status));
    return kDidNotRun;
  }
  constexpr int kCannotExecute = 126, kNotFound = 127; // in the words of shells and of the loader
  if (WEXITSTATUS(status) != kCannotExecute && WEXITSTATUS(status) != kNotFound) return WEXITSTATUS(status);
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
