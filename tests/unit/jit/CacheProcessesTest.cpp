// The cache among processes that die, stop, crowd and run out of disk.
#include "tests/unit/jit/CacheSample.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/process/FailingSystemCall.h"
#include "tests/unit/process/Mounts.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace mxc;
namespace fs = std::filesystem;

static size_t unfinishedFiles(const KernelCache &cache) {
  size_t count = 0;
  if (!fs::exists(cache.folder())) return 0;
  for (const auto &entry : fs::directory_iterator(cache.folder()))
    count += entry.path().filename().string().starts_with(".new-");
  return count;
}

TEST_CASE("kernel cache: 1,000 writers killed at random moments leave whole entries", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  std::mt19937 random(1);
  size_t unfinished = 0;
  for (int round = 0; round < 1000; ++round) {
    const int first = static_cast<int>(random() % 32);
    ChildProcess writer([&] {
      for (int number = first;; number = (number + 1) % 32) {
        cache.remove(hexadecimal(sampleKey(number)));
        obtainSample(cache, number);
      }
      return 0;
    });
    usleep(random() % 3000);
    CHECK(writer.kill() == 128 + SIGKILL);
    unfinished += unfinishedFiles(cache);
    if (round % 50 == 0)
      for (const CachedKernel &kernel : cache.kernels())
        REQUIRE(kernel.entry);
  }
  for (const CachedKernel &kernel : cache.kernels())
    CHECK(kernel.entry);
  // No lock stays held, and what they left goes.
  for (int number = 0; number < 32; ++number)
    CHECK((obtainSample(cache, number).entry.image == sampleEntry(number).image));
  CHECK(unfinished > 0);
  cache.clear();
  CHECK(unfinishedFiles(cache) == 0);
}

TEST_CASE("kernel cache: of 32 processes at once one builds each kernel", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  const std::string builds = folder.write("builds", "");
  auto build = [&](int number) {
    int file = open(builds.c_str(), O_WRONLY | O_APPEND);
    char digit = static_cast<char>('0' + number);
    if (write(file, &digit, 1) != 1) _exit(2);
    close(file);
    usleep(20'000);
    return sampleEntry(number);
  };
  std::vector<ChildProcess> processes;
  for (int process = 0; process < 32; ++process)
    processes.emplace_back([&] {
      for (int i = 0; i < 8; ++i) {
        const int number = (process + i) % 8;
        KernelCache::Result result =
            cache.obtain(sampleKey(number), [&] { return build(number); }, std::chrono::minutes(5));
        if (result.entry.image != sampleEntry(number).image || !result.problem.empty()) return 1;
      }
      return 0;
    });
  for (ChildProcess &process : processes)
    CHECK(process.wait() == 0);
  std::string digits;
  std::ifstream(builds) >> digits;
  std::ranges::sort(digits);
  CHECK(digits == "01234567");
}

TEST_CASE("kernel cache: who sweeps takes no file from a writer that lives", "[cache]") {
  TemporaryFolder folder;
  CacheFolder files(folder.file("cache"));
  ChildProcess sweeper([&]() -> int {
    for (;;)
      files.trim(1 << 30);
  });
  std::vector<ChildProcess> writers;
  for (int number = 0; number < 16; ++number)
    writers.emplace_back([&, number] {
      for (int round = 0; round < 100; ++round)
        if (files.write(hexadecimal(sampleKey(number)), "bytes")) return 1;
      return 0;
    });
  for (ChildProcess &writer : writers)
    CHECK(writer.wait() == 0);
  CHECK(files.files().size() == 16);
}

TEST_CASE("kernel cache: a process that builds is waited for, but not for ever", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  ChildProcess builder([&] {
    cache.obtain(sampleKey(1), [&] {
      raise(SIGSTOP);
      return sampleEntry(1);
    });
    return 0;
  });
  builder.waitUntilStopped();
  auto obtain = [&](int number, std::chrono::milliseconds patience) {
    const auto start = std::chrono::steady_clock::now();
    cache.obtain(sampleKey(number), [&] { return sampleEntry(number); }, patience);
    return std::chrono::steady_clock::now() - start;
  };
  CHECK(obtain(1, std::chrono::milliseconds(300)) >= std::chrono::milliseconds(300));
  CHECK(obtain(2, std::chrono::minutes(5)) < std::chrono::minutes(1)); // another kernel
  cache.remove(hexadecimal(sampleKey(1)));
  builder.kill();
  CHECK(obtain(1, std::chrono::minutes(5)) < std::chrono::minutes(1)); // its lock went with it
}

TEST_CASE("kernel cache: a fork that lives on holds no lock of its parent's", "[cache]") {
  TemporaryFolder folder;
  CacheFolder files(folder.file("cache"));
  std::optional<ChildProcess> child;
  {
    CacheFolder::Lock lock(files, 5, std::chrono::milliseconds(0));
    CHECK(lock.isHeld());
    CHECK_FALSE(CacheFolder::Lock(files, 5, std::chrono::milliseconds(0)).isHeld());
    CHECK(CacheFolder::Lock(files, 6, std::chrono::milliseconds(0)).isHeld());
    child.emplace([] { return pause(); });
  }
  CHECK(CacheFolder::Lock(files, 5, std::chrono::milliseconds(0)).isHeld());
}

/// 0, or which check failed.
static int useFullCache(const KernelCache &cache) {
  KernelCache::Result result = obtainSample(cache, 1);
  if (result.entry.image != sampleEntry(1).image) return 1;
  if (!result.problem.starts_with("cannot write " + cache.folder())) return 2;
  return cache.kernels().empty() && unfinishedFiles(cache) == 0 ? 0 : 3;
}

TEST_CASE("kernel cache: a file that cannot be written whole is not kept", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  ChildProcess limited([&] {
    const rlimit limit = {5000, 5000}; // writes stop in the midst of an entry
    return setrlimit(RLIMIT_FSIZE, &limit) ? 4 : useFullCache(cache);
  });
  CHECK(limited.wait() == 0);
}

TEST_CASE("kernel cache: a full disk", "[cache]") {
  TemporaryFolder folder;
  fs::create_directory(folder.file("disk"));
  KernelCache cache(folder.file("disk/cache"));
  ChildProcess process([&] {
    if (!mountSmallDisk(folder.file("disk"), 8)) return kNotAllowed;
    return useFullCache(cache);
  });
  checkUnlessNotAllowed(process.wait());
}

TEST_CASE("kernel cache: a file system without locks", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  ChildProcess process([&] {
    if (!failSystemCall(SYS_flock, ENOSYS)) return kNotAllowed;
    KernelCache::Result result = obtainSample(cache, 1);
    if (!result.problem.empty()) return 1;
    return obtainSample(cache, 1).wasFound && unfinishedFiles(cache) == 0 ? 0 : 2;
  });
  checkUnlessNotAllowed(process.wait());
}

TEST_CASE("kernel cache: a read-only folder serves what it holds", "[cache]") {
  TemporaryFolder folder;
  fs::permissions(folder.file(""), fs::perms::all);
  KernelCache cache(folder.file("cache"));
  ChildProcess process([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return 4; // root may write everywhere
    obtainSample(cache, 1);
    if (chmod(cache.folder().c_str(), 0500) != 0) return 5;
    if (!obtainSample(cache, 1).wasFound) return 1;
    KernelCache::Result other = obtainSample(cache, 2);
    if (other.entry.image != sampleEntry(2).image) return 2;
    const bool saysWhy = other.problem.find("Permission denied") != std::string::npos;
    chmod(cache.folder().c_str(), 0700);
    return saysWhy && cache.kernels().size() == 1 ? 0 : 3;
  });
  CHECK(process.wait() == 0);
}
