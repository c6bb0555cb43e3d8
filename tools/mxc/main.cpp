// mxc: the command line. Exit status: 0 done, 1 the input is at fault, 2 the usage is, 3 the device or driver
// is.
#include "dialect/formats/Error.h"
#include "tools/mxc/CommandLine.h"
#include "tools/mxc/KernelSource.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"

#include <fcntl.h>
#include <new>
#include <unistd.h>

static int exitStatus(mxc::ErrorKind kind) {
  switch (kind) {
  case mxc::ErrorKind::InvalidInput:
    return 1;
  case mxc::ErrorKind::Usage:
    return 2;
  case mxc::ErrorKind::Device:
    return 3;
  }
  return 1;
}

/// A standard stream that is closed stays so: no file that is opened later takes its number, and what is
/// written to it.
static void occupyStandardDescriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)
      (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
  occupyStandardDescriptors();
  try {
    int status = mxc::runCommandLine(argc, argv);
    if (status == 0) mxc::finishStandardOutput();
    return status;
  } catch (const mxc::Diagnostics &diagnostics) { // they carry file:line:col and "error:" themselves
    mxc::say(diagnostics.what());
    return exitStatus(diagnostics.kind());
  } catch (const mxc::Error &error) {
    mxc::say("mxc: error: " + std::string(error.what()));
    return exitStatus(error.kind());
  } catch (const std::bad_alloc &) {
    mxc::say("mxc: error: out of memory");
    return 1;
  } catch (const std::exception &error) {
    mxc::say("mxc: error: " + std::string(error.what()));
    return 1;
  }
}
