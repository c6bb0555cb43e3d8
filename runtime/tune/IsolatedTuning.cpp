#include "runtime/tune/IsolatedTuning.h"

#include "dialect/formats/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mxc::tune {

static constexpr int kDeviceRuined = 201; // a worker's exit status; nobody else's

static int runWorker(const std::function<int()> &work) noexcept { // what else is thrown ends the process
  int status = kDeviceRuined;
  try {
    status = work();
  } catch (const DeviceRuined &) {
  }
  std::fflush(nullptr);
  return status;
}

/// Waits for its end; kills it if one of its candidates runs too long, and says which.
static int statusOf(pid_t process, const CandidateFaults &faults, std::optional<size_t> &killedFor) {
  constexpr useconds_t kPause = 5000;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) // the host ignores SIGCHLD, or waits for all of its children
      throw Error(ErrorKind::Device,
                  std::string("cannot tell how the process that tunes ended: ") + std::strerror(errno));
    if (!killedFor && (killedFor = faults.overdue())) kill(process, SIGKILL);
    usleep(kPause);
  }
}

int runIsolated(CandidateFaults &faults, const std::function<int()> &work) {
  for (;;) {
    faults.end();
    std::fflush(nullptr); // what is still to be written is written once
    const pid_t parent = getpid(), process = fork();
    if (process < 0)
      throw Error(ErrorKind::Device,
                  std::string("cannot start a process to tune in: ") + std::strerror(errno));
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(kDeviceRuined);
      _exit(runWorker(work));
    }
    std::optional<size_t> killedFor;
    const int status = statusOf(process, faults, killedFor);
    // Another one may have begun before the signal came.
    const std::optional<size_t> candidate = killedFor ? killedFor : faults.running();
    if (WIFEXITED(status) && WEXITSTATUS(status) != kDeviceRuined) return WEXITSTATUS(status);
    const std::string end = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it";
    if (!candidate) throw Error(ErrorKind::Device, "the process that tunes was ended by " + end);
    if (killedFor)
      faults.record(*candidate, "did not end in " + std::to_string(faults.patience().count()) + " ms");
    else if (faults.reason(*candidate).empty())
      faults.record(*candidate, "the process that ran it was ended by " + end);
  }
}

} // namespace mxc::tune
