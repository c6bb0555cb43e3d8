// Candidates that ruin the device they are tuned on.
#include "tests/unit/tune/FaultyCandidates.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/// What the test after it starts: in this process a driver may have started.
TEST_CASE("tuner: candidates that fault, in a fresh process", "[.faulty-candidates]") {
  const char *device = std::getenv("MXC_TEST_DEVICE");
  tuneFaultyCandidates(device && *device ? device : "cuda:0");
}

TEST_CASE("tuner: candidates that fault or never end are refused, and the others go on", "[tune]") {
  std::string program = "/proc/self/exe", tag = "[.faulty-candidates]";
  char *arguments[] = {program.data(), tag.data(), nullptr};
  pid_t process = 0;
  REQUIRE(posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments, environ) == 0);
  int status = 0;
  waitpid(process, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
