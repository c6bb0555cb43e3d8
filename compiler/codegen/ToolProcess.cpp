#include "compiler/codegen/ToolProcess.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mxc {

static void redirect(int descriptor, const char *path, int flags) {
  const int opened = open(path, flags);
  if (opened < 0) _exit(127);
  if (opened == descriptor) return;
  dup2(opened, descriptor);
  close(opened);
}

static void limitFiles(uint64_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur <= bytes) return;
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_DFL);
}

// What posix_spawn does, which cannot have the program end with the thread that waits for it. Returns errno
// where there is no such program.
static int start(char *const *words, const char *log, uint64_t bytes, pid_t &process) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t parent = getpid();
  volatile int error = 0; // the child writes into this memory, until it becomes the program
  process = vfork();
  if (process == 0) {
    for (int signal = 1; signal < NSIG; ++signal) // no handler of the host's runs here
      if (struct sigaction action;
          !sigaction(signal, nullptr, &action) && (action.sa_handler != SIG_IGN || signal == SIGCHLD))
        ::signal(signal, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // it is gone already
    limitFiles(bytes);
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

/// False where it does not end: looks are counted, not seconds.
static bool endsWithin(pid_t process, int looks) {
  constexpr int kLookMilliseconds = 100;
  const int handle = int(syscall(SYS_pidfd_open, process, 0)); // the host may wait for it, too
  pollfd end = {handle, POLLIN, 0};
  bool hasEnded = handle < 0 && errno == ESRCH;
  for (int look = 0; !hasEnded && look < looks; ++look) {
    if (handle >= 0) {
      hasEnded = poll(&end, 1, kLookMilliseconds) > 0;
      continue;
    }
    siginfo_t ended; // a kernel before 5.3
    for (int i = 0; !hasEnded && i < kLookMilliseconds; ++i, usleep(1000))
      hasEnded = waitid(P_PID, id_t(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid;
  }
  if (!hasEnded && handle >= 0) syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
  if (!hasEnded && handle < 0) kill(process, SIGKILL);
  if (handle >= 0) close(handle);
  return hasEnded;
}

static ToolEnd runAndWait(char *const *words, const char *log, const ToolBounds &bounds) {
  ToolEnd end;
  pid_t process, ended = -1;
  end.error = start(words, log, bounds.bytes, process);
  const bool hasEnded = process <= 0 || endsWithin(process, bounds.tenthsOfSeconds);
  if (process > 0)
    while ((ended = waitpid(process, &end.status, 0)) < 0 && errno == EINTR) {
    }
  if (!hasEnded) return {ETIME};
  if (process > 0 && ended < 0 && !end.error) end.error = errno;
  return end;
}

static ToolEnd runBehindProcess(char *const *words, const char *log, const ToolBounds &bounds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {errno};
  const pid_t host = getpid(), process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != host) _exit(127);
    signal(SIGCHLD, SIG_DFL);
    const ToolEnd end = runAndWait(words, log, bounds);
    _exit(write(ends[1], &end, sizeof end) != sizeof end);
  }
  ToolEnd end = {process < 0 ? errno : 0};
  close(ends[1]);
  ssize_t got = 0;
  if (process > 0)
    while ((got = read(ends[0], &end, sizeof end)) < 0 && errno == EINTR) {
    }
  if (process > 0 && got != sizeof end) end = {ECHILD}; // it was killed
  close(ends[0]);
  while (process > 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return end;
}

ToolEnd runProcess(char *const *words, const char *log, ToolWaiter waiter, const ToolBounds &bounds) {
  return waiter == ToolWaiter::Host ? runAndWait(words, log, bounds) : runBehindProcess(words, log, bounds);
}

} // namespace mxc
