// mxc: the command line. Exit status: 0 done, 1 the input is at fault, 2 the usage is, 3 the device or driver
// is.
#include "dialect/formats/Error.h"
#include "tools/mxc/CommandLine.h"
#include "tools/mxc/KernelSource.h"

#include <cstdio>
#include <new>

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

int main(int argc, char **argv) {
  try {
    return mxc::runCommandLine(argc, argv);
  } catch (const mxc::Diagnostics &diagnostics) { // they carry file:line:col and "error:" themselves
    std::fprintf(stderr, "%s\n", diagnostics.what());
    return exitStatus(diagnostics.kind());
  } catch (const mxc::Error &error) {
    std::fprintf(stderr, "mxc: error: %s\n", error.what());
    return exitStatus(error.kind());
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "mxc: error: out of memory\n");
    return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mxc: error: %s\n", error.what());
    return 1;
  }
}
