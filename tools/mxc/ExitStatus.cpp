#include "tools/mxc/ExitStatus.h"

#include "dialect/formats/Error.h"
#include "tools/mxc/KernelSource.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"

#include <new>

namespace mxc {

static int statusOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::InvalidInput:
    return 1;
  case ErrorKind::Usage:
    return 2;
  case ErrorKind::Device:
    return 3;
  }
  return 1;
}

int exitStatusOf(const std::function<int()> &command) {
  try {
    const int status = command();
    if (status == 0) finishStandardOutput();
    return status;
  } catch (const AlreadyTold &told) {
    return told.status;
  } catch (const Diagnostics &diagnostics) { // they carry file:line:col and "error:" themselves
    say(diagnostics.what());
    return statusOf(diagnostics.kind());
  } catch (const Error &error) {
    say("mxc: error: " + std::string(error.what()));
    return statusOf(error.kind());
  } catch (const std::bad_alloc &) {
    say("mxc: error: out of memory");
    return 1;
  } catch (const std::exception &error) {
    say("mxc: error: " + std::string(error.what()));
    return 1;
  }
}

} // namespace mxc
