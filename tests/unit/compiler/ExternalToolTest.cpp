// Programs that assemble, and their files, where the system does not play along.
#include "compiler/codegen/ExternalTool.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/process/FailingSystemCall.h"
#include "tests/unit/process/Mounts.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <sys/prctl.h>
#include <thread>

using namespace mxc;

static int runShell(const std::string &script, std::string &output) {
  return runTool("/bin/sh", {"-c", script}, output);
}

TEST_CASE("tools: how they end, and what they print") {
  std::string output;
  CHECK(runShell("echo one; echo two >&2; exit 3", output) == 3);
  CHECK(output == "one\ntwo\n");
  CHECK(runShell("kill -SEGV $$", output) < 0);
  CHECK_THAT(output, Catch::Contains("Segmentation fault"));
  CHECK(runShell("echo no such library; exit 127", output) < 0); // the loader's word for it
  CHECK_THAT(output, Catch::StartsWith("no such library"));
  CHECK(runTool("/no/such/program", {}, output) < 0);
  // ThreadSanitizer forks in vfork's place, and errno stays in the child.
  CHECK_THAT(output,
             Catch::Contains("No such file or directory") || Catch::Contains("could not be executed"));
}

TEST_CASE("tools: they keep to their bounds, or are stopped") {
  std::string output;
  const ToolBounds brief{5, 1 << 20};
  CHECK(runTool("/bin/sh", {"-c", "while :; do echo line; done"}, output, {3000, 1 << 20}) < 0);
  CHECK_THAT(output, Catch::StartsWith("line\nline\n") &&
                         Catch::EndsWith("it printed or wrote more than 1048576 bytes, and was stopped"));
  CHECK(output.size() < 70'000);
  CHECK(runTool("/bin/sh", {"-c", "echo begun; exec sleep 1000"}, output, brief) < 0);
  CHECK(output == "begun\nit did not end within 0 seconds, and was stopped");
  ChildProcess ignoring([&] { // the process in between waits then
    std::signal(SIGCHLD, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    if (runTool("/bin/sleep", {"1000"}, output, brief) >= 0) return 1;
    return runTool("/bin/sh", {"-c", "while :; do echo line; done"}, output, {3000, 1 << 20}) < 0 ? 0 : 2;
  });
  CHECK(ignoring.wait(std::chrono::minutes(2)) == 0);
}

TEST_CASE("tools: they have no input, and of signals only the mask") {
  std::string output;
  sigset_t usr1, before;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  const auto handler = std::signal(SIGUSR2, [](int) {});
  CHECK(runTool("/bin/cat", {"-", "/proc/self/status"}, output) == 0);
  std::signal(SIGUSR2, handler);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK_THAT(output, Catch::StartsWith("Name:\tcat\n") && Catch::Contains("SigBlk:\t0000000000000200\n") &&
                         Catch::Contains("SigCgt:\t0000000000000000\n"));
}

TEST_CASE("tools: how they end is known where the host has its own ways with children") {
  auto runsRight = [] {
    std::string output;
    return runShell("echo one; exit 3", output) == 3 && output == "one\n" &&
           runShell("kill -SEGV $$", output) < 0;
  };
  ChildProcess ignoring([&] {
    std::signal(SIGCHLD, SIG_IGN);
    return runsRight() ? 0 : 1;
  });
  CHECK(ignoring.wait(std::chrono::minutes(2)) == 0);
  ChildProcess reaping([&] {
    std::thread([] {
      for (;;)
        if (waitpid(-1, nullptr, 0) < 0) usleep(100);
    }).detach();
    for (int round = 0; round < 50; ++round)
      if (!runsRight()) return 1;
    return 0;
  });
  CHECK(reaping.wait(std::chrono::minutes(2)) == 0);
}

TEST_CASE("tools: they end with the process that waits for them") {
  TemporaryFolder folder;
  const std::string path = folder.file("process");
  prctl(PR_SET_CHILD_SUBREAPER, 1); // what the child leaves behind is this process's to wait for
  ChildProcess host([&] {
    std::string output;
    return runShell("echo $$ > " + path + ".new; mv " + path + ".new " + path + "; exec sleep 1000", output);
  });
  pid_t tool = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!(std::ifstream(path) >> tool) && std::chrono::steady_clock::now() < end)
    usleep(1000);
  REQUIRE(tool > 0);
  CHECK(host.kill() == 128 + SIGKILL);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(tool, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < end)
    usleep(1000);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  CHECK(ended == tool);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  if (ended == 0) kill(tool, SIGKILL);
}

TEST_CASE("memory files: they are read whole, or it is an error") {
  const std::string content(100'000, 'x');
  MemoryFile file(content);
  CHECK((file.read() == content && file.error().empty()));
  ChildProcess child([&] {
    constexpr int kOffset = 3;
    if (!failSystemCall(SYS_pread64, EIO, kOffset, 65'536)) return kNotAllowed;
    return file.read().empty() && file.error() == "Input/output error" ? 0 : 1;
  });
  checkUnlessNotAllowed(child.wait(std::chrono::minutes(2)));
}

TEST_CASE("memory files: where there is no /proc they say so, and no program is run") {
  ChildProcess child([] {
    if (!hideProc()) return kNotAllowed;
    std::string output;
    if (MemoryFile("content").error().find("is /proc mounted?") == std::string::npos) return 1;
    return runShell("exit 3", output) < 0 && output.find("is /proc mounted?") != output.npos ? 0 : 2;
  });
  checkUnlessNotAllowed(child.wait(std::chrono::minutes(2)));
}
