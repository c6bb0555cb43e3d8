#include "compiler/codegen/ToolProcess.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
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

// What posix_spawn does, which cannot have the program end with the thread that waits for it. Returns errno
// where there is no such program.
static int start(char *const *words, const char *log, pid_t &process) {
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

static ToolEnd runAndWait(char *const *words, const char *log) {
  ToolEnd end;
  pid_t process, ended = -1;
  end.error = start(words, log, process);
  if (process > 0)
    while ((ended = waitpid(process, &end.status, 0)) < 0 && errno == EINTR) {
    }
  if (process > 0 && ended < 0 && !end.error) end.error = errno;
  return end;
}

static ToolEnd runBehindProcess(char *const *words, const char *log) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {errno};
  const pid_t host = getpid(), process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != host) _exit(127);
    signal(SIGCHLD, SIG_DFL);
    const ToolEnd end = runAndWait(words, log);
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

ToolEnd runProcess(char *const *words, const char *log, ToolWaiter waiter) {
  return waiter == ToolWaiter::Host ? runAndWait(words, log) : runBehindProcess(words, log);
}

} // namespace mxc
