// Linked into gpu-* programs: ends the program with exit code 77 ("skipped") before Catch2's main where there
// is no GPU and MXC_TEST_DEVICE names no simulator. A constructor, because a main of our own would compile
// Catch2's runner (10 s) into every program.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const char *whatIsMissing() {
  const char *device = std::getenv("MXC_TEST_DEVICE");
  if (device && std::strncmp(device, "simulator:", 10) == 0) return nullptr;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return "no NVIDIA driver (libcuda.so.1)";
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (!init || !count || init(0) != 0 || count(&devices) != 0 || devices == 0)
    return "the NVIDIA driver finds no device";
  return nullptr;
}

/// A fork asks: a process that has started a driver could not fork for its tests any more.
__attribute__((constructor)) void skipWithoutGpu() {
  const pid_t process = fork();
  if (process == 0) {
    const char *missing = whatIsMissing();
    if (missing) std::fprintf(stderr, "skipped: %s\n", missing);
    _exit(missing ? 77 : 0);
  }
  int status = 0;
  if (process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) &&
      WEXITSTATUS(status) == 77)
    _exit(77);
}

} // namespace
