// The tuning database, whole and damaged.
#include "runtime/jit/TuningDatabase.h"
#include "tests/unit/jit/TuningSample.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <random>

using namespace mxc;
using Catch::Contains, Catch::StartsWith;
namespace fs = std::filesystem;

static std::string store(const TuningDatabase &database, std::vector<TunedRow> rows) {
  return database.store(rows);
}

TEST_CASE("tuning database: what was stored is found, the newest first", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("sub/folder/tuning.sqlite"));
  CHECK(database.choices(kSampleKey).choices.empty());
  CHECK_FALSE(fs::exists(database.file())); // looking makes nothing
  REQUIRE(store(database, {sampleRow(1), sampleRow(3), sampleRow(2)}).empty());
  const TuningDatabase::Choices found = database.choices(kSampleKey);
  CHECK(found.problem.empty());
  REQUIRE(found.choices.size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(found.choices[size_t(i)].bucket == sampleRow(3 - i).choice.bucket);
  CHECK(isSample(found.choices[0], 0));
}

// A process that has begun to use its user's locale reads what another wrote.
TEST_CASE("tuning database: rows are whole where a comma is the decimal point", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  folder.write("comma",
               "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n");
  const std::string make = "localedef -c -i " + folder.file("comma") + " -f ANSI_X3.4-1968 " +
                           folder.file("comma_LOCALE") + " 2>" + folder.file("warnings");
  (void)!std::system(make.c_str()); // it warns of what is left out
  REQUIRE(fs::exists(folder.file("comma_LOCALE/LC_NUMERIC")));
  REQUIRE(store(database, {sampleRow(1, 1)}).empty());
  ChildProcess host([&] {
    setenv("LOCPATH", folder.file("").c_str(), 1);
    if (!std::setlocale(LC_ALL, "comma_LOCALE") || *std::localeconv()->decimal_point != ',') return 1;
    return database.choices(kSampleKey).choices.size() == 1 && store(database, {sampleRow(2, 2)}).empty() ? 0
                                                                                                          : 2;
  });
  CHECK(host.wait() == 0);
  CHECK(database.choices(kSampleKey).choices.size() == 2);
  CHECK(database.choices(kSampleKey).problem.empty());
}

TEST_CASE("tuning database: a choice is a kernel's, a device's, a bucket's, a build's, an assembler's",
          "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  TunedRow row = sampleRow(1), other = row;
  store(database, {row, sampleRow(1, 1)});
  REQUIRE(database.choices(kSampleKey).choices.size() == 1); // replaced
  CHECK(isSample(database.choices(kSampleKey).choices[0], 1));
  other.choice.build = "another";
  store(database, {other});
  other.choice.assembler = "ptxas";
  store(database, {other});
  CHECK(database.choices(kSampleKey).choices.size() == 3);
  for (TuningKey key : {TuningKey{"other", "NVIDIA H200", 132},
                        {"0123abcd", "NVIDIA H100", 132},
                        {"0123abcd", "NVIDIA H200", 66}})
    CHECK(database.choices(key).choices.empty());
  other.key.device = "NVIDIA H100";
  store(database, {other});
  CHECK(database.rows().rows.size() == 4);
}

TEST_CASE("tuning database: what is no database is passed over, and set aside by who writes", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.write("tuning.sqlite", std::string(5000, 'x')));
  const TuningDatabase::Choices found = database.choices(kSampleKey);
  CHECK(found.choices.empty());
  CHECK_THAT(found.problem, Contains("is damaged (file is not a database)") && Contains("tune again"));
  CHECK(fs::file_size(database.file()) == 5000); // it may be anybody's
  CHECK(folder.files() == 1);
  CHECK_THAT(store(database, {sampleRow(1)}), // told, and stored
             Contains("was damaged (file is not a database)") && Contains("set aside"));
  CHECK(fs::file_size(database.file() + ".damaged") == 5000);
  CHECK(database.choices(kSampleKey).choices.size() == 1);
  CHECK(database.choices(kSampleKey).problem.empty());
}

TEST_CASE("tuning database: to store nothing tells whether something could be stored", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  CHECK(store(database, {}).empty());
  CHECK(database.choices(kSampleKey).problem.empty());
  CHECK_THAT(store(TuningDatabase("/dev/null/tuning.sqlite"), {}), StartsWith("cannot write"));
}

TEST_CASE("tuning database: an empty file, and a folder in its place", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase empty(folder.write("empty.sqlite", ""));
  CHECK((empty.choices(kSampleKey).choices.empty() && empty.choices(kSampleKey).problem.empty()));
  CHECK(store(empty, {sampleRow(1)}).empty());
  fs::create_directory(folder.file("place"));
  const TuningDatabase place(folder.file("place"));
  CHECK_THAT(place.choices(kSampleKey).problem, Contains("cannot read"));
  CHECK_THAT(store(place, {sampleRow(1)}), Contains("cannot write"));
}

TEST_CASE("tuning database: damaged anywhere, it gives right rows or none, and takes new ones", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  std::vector<TunedRow> rows;
  for (int number = 0; number < 20; ++number)
    rows.push_back(sampleRow(number));
  REQUIRE(store(database, rows).empty());
  std::string whole;
  {
    std::ifstream in(database.file(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::mt19937 random(1);
  size_t problems = 0;
  for (int round = 0; round < 120; ++round) {
    INFO(round);
    std::string damaged = whole;
    if (round % 3 == 0)
      damaged.resize(random() % damaged.size());
    else
      for (unsigned i = 0; i <= random() % 20; ++i)
        damaged[random() % damaged.size()] = char(random());
    folder.write("tuning.sqlite", damaged);
    const TuningDatabase::Choices found = database.choices(kSampleKey);
    for (const TunedChoice &choice : found.choices)
      REQUIRE(isSample(choice, 0));
    problems += !found.problem.empty();
    store(database, {sampleRow(1, 5)});
    database.choices(kSampleKey); // may find the rest of the damage
    REQUIRE_THAT(store(database, {sampleRow(1, 6)}), !Contains("cannot"));
    bool isThere = false;
    for (const TunedChoice &choice : database.choices(kSampleKey).choices)
      isThere |= choice.bucket == sampleRow(1).choice.bucket && isSample(choice, 6);
    REQUIRE(isThere);
    fs::remove(database.file() + "-journal");
  }
  CHECK(problems > 20);
}

/// What a flipped bit does: nothing, or a reader says that something is missing; and a writer always
/// succeeds.
static void checkFlip(const TuningDatabase &database, const std::string &whole, size_t bit) {
  INFO("bit " << bit << " of " << whole.size() << " bytes");
  std::string damaged = whole;
  damaged[bit / 8] = char(damaged[bit / 8] ^ 1 << bit % 8);
  fs::remove(database.file() + ".damaged");
  fs::remove(database.file() + "-journal");
  std::ofstream(database.file(), std::ios::binary) << damaged;
  const TuningDatabase::Choices found = database.choices(kSampleKey);
  for (const TunedChoice &choice : found.choices)
    CHECK(isSample(choice, 1));
  // A row whose key is damaged is of no key that anybody asks for: all rows tell of it.
  if (found.choices.size() != 5) CHECK_FALSE((found.problem + database.rows().problem).empty());
  CHECK_THAT(database.store(std::vector{sampleRow(20, 1)}), !StartsWith("cannot"));
  const TuningDatabase::Choices after = database.choices(kSampleKey);
  CHECK(after.problem.empty());
  CHECK(std::ranges::count(after.choices, sampleRow(20, 1).choice.bucket, &TunedChoice::bucket) == 1);
}

static std::string sampleFile(const TuningDatabase &database) {
  REQUIRE(
      store(database, {sampleRow(1, 1), sampleRow(2, 1), sampleRow(3, 1), sampleRow(4, 1), sampleRow(5, 1)})
          .empty());
  std::ifstream in(database.file(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("tuning database: a flipped bit loses nothing in silence, and stops no writer", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  const std::string whole = sampleFile(database);
  std::mt19937_64 random(20261125);
  for (size_t bit = 0; bit < 8 * 112; bit += 7) // the header, and the schema's page
    checkFlip(database, whole, bit);
  for (int i = 0; i < 120; ++i)
    checkFlip(database, whole, random() % (8 * whole.size()));
}

TEST_CASE("tuning database: every flipped bit", "[.flips]") { // a quarter of an hour
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  const std::string whole = sampleFile(database);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit)
    checkFlip(database, whole, bit);
}

TEST_CASE("tuning database: what is no file is left alone", "[tuning]") {
  TemporaryFolder folder;
  CHECK_THAT(TuningDatabase("/dev/null").store(std::vector{sampleRow(1)}),
             StartsWith("cannot write /dev/null: it is no regular file"));
  CHECK_FALSE(fs::exists("/dev/null-journal"));
  CHECK((TuningDatabase("/dev/null").rows().problem.empty() &&
         TuningDatabase("/dev/null").rows().rows.empty()));
  CHECK_THAT(TuningDatabase(folder.file("")).rows().problem, Contains("it is no regular file"));
}

TEST_CASE("tuning database: choices are forgotten, of a kernel or all", "[tuning]") {
  TemporaryFolder folder;
  const TuningDatabase database(folder.file("tuning.sqlite"));
  CHECK(database.removeAll().rows == 0);
  CHECK_FALSE(fs::exists(database.file()));
  TunedRow other = sampleRow(3);
  other.key.kernel = "other";
  REQUIRE(store(database, {sampleRow(1), sampleRow(2), other}).empty());
  const std::string kernels[] = {kSampleKey.kernel, "nobody"};
  CHECK(database.remove(kernels).rows == 2);
  CHECK(database.rows().rows.size() == 1);
  CHECK(database.removeAll().rows == 1);
  CHECK(database.rows().rows.empty());
}
