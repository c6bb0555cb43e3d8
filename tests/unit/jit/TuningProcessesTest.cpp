// The tuning database among processes that die, crowd and run out of disk.
#include "runtime/jit/CacheFolder.h"
#include "runtime/jit/TuningDatabase.h"
#include "tests/unit/jit/TuningSample.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/process/Mounts.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace mxc;

/// What a process takes to begin, store a pair and end: under a sanitizer far more than elsewhere.
static unsigned microsOfWriter(const TuningDatabase &database) {
  const auto start = std::chrono::steady_clock::now();
  ChildProcess writer([&] {
    const TunedRow pair[] = {sampleRow(0, 0), sampleRow(1, 0)};
    return database.store(pair).empty() ? 0 : 1;
  });
  CHECK(writer.wait() == 0);
  const auto taken = std::chrono::steady_clock::now() - start;
  return static_cast<unsigned>(std::chrono::duration_cast<std::chrono::microseconds>(taken).count());
}

/// Each writer stores pairs of rows of its own version, over and over, until it is killed.
static void killWriters(int writers) {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  std::mt19937 random(1);
  const unsigned longest = std::max(10'000u, 3 * microsOfWriter(database));
  for (int round = 0; round < writers; ++round) {
    ChildProcess writer([&] {
      for (int number = 0;; number = (number + 2) % 20) {
        const TunedRow pair[] = {sampleRow(number, round), sampleRow(number + 1, round)};
        if (!database.store(pair).empty()) return 1;
      }
    });
    usleep(random() % longest);
    REQUIRE(writer.kill() == 128 + SIGKILL);
    const TuningDatabase::Choices found = database.choices(kSampleKey);
    REQUIRE(found.problem.empty());
    REQUIRE(found.choices.size() % 2 == 0); // a transaction is there or not
    for (const TunedChoice &choice : found.choices)
      REQUIRE(choice.score - int(choice.score) <= round / 1000.0 + 1e-9);
  }
  const TunedRow last[] = {sampleRow(39)};
  CHECK(database.store(last).empty()); // nothing stays locked
  CHECK(database.choices(kSampleKey).choices.size() > 2);
}

TEST_CASE("tuning database: writers killed at 100 random moments leave whole transactions", "[tuning]") {
  killWriters(100);
}
TEST_CASE("tuning database: the same at 1,000 moments", "[.thousand]") { killWriters(1000); }

TEST_CASE("tuning database: 32 processes at once", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  std::vector<ChildProcess> processes;
  for (int process = 0; process < 32; ++process)
    processes.emplace_back([&] {
      for (int number = 0; number < 4; ++number) {
        TunedRow row = sampleRow(number);
        row.choice.build = std::to_string(process);
        if (!database.store(std::span(&row, 1)).empty()) return 1;
        bool isThere = false;
        const TuningDatabase::Choices found = database.choices(kSampleKey);
        for (const TunedChoice &choice : found.choices) {
          if (!isSample(choice, 0)) return 2;
          isThere |= choice.build == row.choice.build && choice.bucket == row.choice.bucket;
        }
        if (!isThere && found.problem.empty()) return 3;
      }
      return 0;
    });
  for (ChildProcess &process : processes)
    CHECK(process.wait() == 0);
  CHECK(database.rows().rows.size() == 32 * 4);
}

TEST_CASE("tuning database: of 32 processes that find it damaged one sets it aside", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.write("tuning.sqlite", std::string(5000, 'x')));
  std::vector<ChildProcess> processes;
  for (int process = 0; process < 32; ++process)
    processes.emplace_back([&] {
      TunedRow row = sampleRow(process);
      return database.store(std::span(&row, 1)).starts_with("cannot");
    });
  for (ChildProcess &process : processes)
    CHECK(process.wait() == 0);
  CHECK(database.rows().rows.size() == 32); // no new file was taken for the damaged one
}

/// 0, or which check failed.
static int useFullDatabase(const TuningDatabase &database) {
  std::vector<TunedRow> rows;
  for (int number = 0; number < 39; ++number)
    rows.push_back(sampleRow(number));
  for (TunedRow &row : rows)
    row.choice.shape = std::string(1000, 'K');
  if (!database.store(rows).starts_with("cannot write " + database.file())) return 1;
  return database.choices(kSampleKey).choices.empty() ? 0 : 2;
}

TEST_CASE("tuning database: what another process mends meanwhile is written to, not set aside", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.write("tuning.sqlite", std::string(5000, 'x'))),
      mended(folder.file("mended.sqlite"));
  const TunedRow row[] = {sampleRow(3)};
  REQUIRE(mended.store(row).empty());
  std::optional<CacheFolder::Lock> mending(std::in_place, CacheFolder(folder.file("")), 0,
                                           std::chrono::seconds(10));
  REQUIRE(mending->isHeld());
  ChildProcess writer([&] {
    const TunedRow another[] = {sampleRow(4)};
    return database.store(another).empty() ? 0 : 1;
  });
  usleep(200'000); // most likely it has found the damage, and waits; else it finds none
  std::filesystem::rename(mended.file(), database.file());
  mending.reset();
  CHECK(writer.wait(std::chrono::minutes(2)) == 0);
  CHECK(database.rows().rows.size() == 2);
}

TEST_CASE("tuning database: a file that may not grow", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  ChildProcess limited([&] {
    const rlimit limit = {10'000, 10'000};
    return setrlimit(RLIMIT_FSIZE, &limit) ? 4 : useFullDatabase(database);
  });
  CHECK(limited.wait() == 0);
  const TunedRow row[] = {sampleRow(1)};
  CHECK(database.store(row).empty());
  CHECK(database.choices(kSampleKey).choices.size() == 1);
}

TEST_CASE("tuning database: a full disk", "[tuning]") {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("disk"));
  const TuningDatabase database(folder.file("disk/tuning.sqlite"));
  ChildProcess process([&] {
    if (!mountSmallDisk(folder.file("disk"), 32)) return kNotAllowed;
    return useFullDatabase(database);
  });
  checkUnlessNotAllowed(process.wait());
}

TEST_CASE("tuning database: a folder that is read-only serves what it holds", "[tuning]") {
  TemporaryFolder folder;
  std::filesystem::permissions(folder.file(""), std::filesystem::perms::all);
  const TuningDatabase database(folder.file("tuning/tuning.sqlite"));
  ChildProcess process([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return 4; // root may write everywhere
    const TunedRow first[] = {sampleRow(1)}, second[] = {sampleRow(2)};
    if (!database.store(first).empty()) return 1;
    const std::string place = folder.file("tuning");
    if (chmod(place.c_str(), 0500) != 0 || chmod(database.file().c_str(), 0400) != 0) return 5;
    const bool saysWhy = database.store(second).starts_with("cannot write " + database.file());
    const TuningDatabase::Choices found = database.choices(kSampleKey);
    chmod(place.c_str(), 0700);
    if (!saysWhy) return 2;
    return found.choices.size() == 1 && found.problem.empty() ? 0 : 3;
  });
  CHECK(process.wait() == 0);
}
