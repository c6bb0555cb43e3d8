// mxc: the command line. Exit status: tools/mxc/ExitStatus.h.
#include "tools/mxc/CommandLine.h"
#include "tools/mxc/ExitStatus.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

/// A standard stream that is closed stays so: no file that is opened later takes its number, and what is
/// written to it.
static void occupyStandardDescriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
  occupyStandardDescriptors();
  std::signal(SIGXFSZ, SIG_IGN); // a write beyond `ulimit -f` fails like one on a full disk
  std::signal(SIGCHLD, SIG_DFL); // ignored, as some starters leave it, how a child ended is not told
  return mxc::exitStatusOf([&] { return mxc::runCommandLine(argc, argv); });
}
