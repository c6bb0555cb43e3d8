// Files that appear whole or not at all, wherever that is asked for and however it ends.
#include "runtime/files/FileWriter.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/process/Mounts.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <random>
#include <span>

using namespace mxc;

static void write(const std::string &path, const std::string &content) {
  FileWriter file(path);
  file.write(std::as_bytes(std::span(content)));
  file.commit();
}

static std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST_CASE("file writer: what lies under the names that it would take is left alone") {
  TemporaryFolder folder;
  const std::string path = folder.file("file");
  constexpr int kTaken = 1000; // some have had their turn in other tests
  ChildProcess child([&] {
    for (int number = 0; number < kTaken; ++number)
      folder.write(".mxc-" + std::to_string(getpid()) + "-" + std::to_string(number), "another's");
    write(path, "content");
    return 0;
  });
  CHECK(child.wait(std::chrono::minutes(2)) == 0);
  CHECK(contentOf(path) == "content");
  CHECK(folder.files() == kTaken + 1);
}

TEST_CASE("file writer: a signal that ends the process leaves the old file or the new one, and no other") {
  TemporaryFolder folder;
  const std::string path = folder.write("file", "old");
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    ChildProcess writer([&] {
      for (;;)
        write(path, "new");
      return 0;
    });
    usleep(random() % 2000);
    CHECK(writer.kill(SIGUSR1) == 128 + SIGUSR1);
    REQUIRE(folder.files() == 1);
    const std::string content = contentOf(path);
    CHECK((content == "old" || content == "new"));
  }
}

TEST_CASE("file writer: it writes where there is no /proc") {
  TemporaryFolder folder;
  const std::string path = folder.write("file", "old");
  ChildProcess child([&] {
    if (!hideProc()) return kNotAllowed;
    write(path, "new");
    return 0;
  });
  const int status = child.wait(std::chrono::minutes(2));
  checkUnlessNotAllowed(status);
  CHECK(contentOf(path) == (status == kNotAllowed ? "old" : "new"));
  CHECK(folder.files() == 1);
}
