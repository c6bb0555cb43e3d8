// The cache as one process sees it: what is found, what goes, what clocks and damage do.
#include "runtime/environment/Environment.h"
#include "tests/unit/jit/CacheSample.h"
#include "tests/unit/process/ChildProcess.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>

using namespace mxc;
namespace fs = std::filesystem;

static std::string pathOf(const KernelCache &cache, int number) {
  return cache.folder() + "/" + hexadecimal(sampleKey(number));
}

/// As if it had been used last then.
static void setUsed(const KernelCache &cache, int number, time_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(utimensat(AT_FDCWD, pathOf(cache, number).c_str(), times, 0) == 0);
}

TEST_CASE("kernel cache: a kernel is built once and found afterwards", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("a/b"));
  KernelCache::Result first = obtainSample(cache, 1), second = obtainSample(cache, 1);
  CHECK_FALSE(first.wasFound);
  CHECK(first.problem == "");
  CHECK(second.wasFound);
  CHECK((second.entry.image == sampleEntry(1).image));
  CHECK(second.entry.warnings == "warning: none");
  CHECK_FALSE(obtainSample(cache, 2).wasFound);
}

TEST_CASE("kernel cache: its folder and files are its owner's alone", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache/mxc"));
  obtainSample(cache, 1);
  struct stat status;
  for (const std::string &path : {folder.file("cache"), cache.folder(), pathOf(cache, 1)}) {
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 077) == 0);
  }
}

TEST_CASE("kernel cache: what a build throws passes through, and nothing is kept", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  auto failing = []() -> CacheEntry { throw Error(ErrorKind::InvalidInput, "bad kernel"); };
  CHECK(invalidInput([&] { cache.obtain(sampleKey(1), failing); }) == "bad kernel");
  CHECK_FALSE(obtainSample(cache, 1).wasFound);
}

TEST_CASE("kernel cache: damaged and truncated entries are built anew", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  obtainSample(cache, 1);
  const std::string path = pathOf(cache, 1);
  const uintmax_t size = fs::file_size(path);
  SECTION("truncated") { fs::resize_file(path, size / 2); }
  SECTION("empty, as after a power cut without a flush") { fs::resize_file(path, 0); }
  SECTION("a byte changed") {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.put('\x5a').put('\x5b');
  }
  SECTION("another kernel's") {
    obtainSample(cache, 2);
    fs::copy_file(pathOf(cache, 2), path, fs::copy_options::overwrite_existing);
  }
  KernelCache::Result again = obtainSample(cache, 1);
  CHECK_FALSE(again.wasFound);
  CHECK((again.entry.image == sampleEntry(1).image));
  CHECK(obtainSample(cache, 1).wasFound);
}

TEST_CASE("kernel cache: a folder in an entry's place is no entry, and does no harm", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  fs::create_directories(pathOf(cache, 1));
  KernelCache::Result result = obtainSample(cache, 1);
  CHECK((result.entry.image == sampleEntry(1).image));
  CHECK_THAT(result.problem, Catch::Contains("cannot write ") && Catch::Contains("Is a directory"));
}

TEST_CASE("kernel cache: a pipe in an entry's place is not waited for", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  fs::create_directories(cache.folder());
  REQUIRE(mkfifo(pathOf(cache, 1).c_str(), 0600) == 0);
  ChildProcess reader([&] {
    alarm(20);
    return obtainSample(cache, 1).entry.image == sampleEntry(1).image ? 0 : 1;
  });
  CHECK(reader.wait() == 0);
  CHECK(hasSample(cache, 1)); // which replaced it
}

TEST_CASE("kernel cache: a file in the folder's place leaves it without a cache", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.write("file", "") + "/mxc");
  KernelCache::Result result = obtainSample(cache, 1);
  CHECK((result.entry.image == sampleEntry(1).image));
  CHECK_THAT(result.problem, Catch::Contains("Not a directory"));
  CHECK(cache.kernels().empty());
}

TEST_CASE("kernel cache: the least recently used kernels go when it is full", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"), 100'000); // nine entries
  for (int number = 0; number < 9; ++number)
    obtainSample(cache, number);
  for (int number = 0; number < 9; ++number)
    setUsed(cache, number, 1'700'000'000 + number);
  CHECK(obtainSample(cache, 0).wasFound); // now
  obtainSample(cache, 9);
  CHECK(hasSample(cache, 9));
  CHECK(hasSample(cache, 0));
  CHECK_FALSE(hasSample(cache, 1));
  CHECK_FALSE(hasSample(cache, 2));
  CHECK(hasSample(cache, 8));
  CHECK(cache.kernels().size() == 8); // an eighth is free
  CHECK(cache.kernels().back().key == hexadecimal(sampleKey(3)));
}

TEST_CASE("kernel cache: many kernels never take more than the limit and its slack", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"), 100'000);
  for (int number = 0; number < 50; ++number) {
    obtainSample(cache, number);
    uint64_t bytes = 0;
    for (const CachedKernel &kernel : cache.kernels())
      bytes += kernel.bytes;
    REQUIRE(bytes <= cache.limit());
  }
}

TEST_CASE("kernel cache: a kernel beyond the limit is not kept", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"), 1000);
  CHECK_THAT(obtainSample(cache, 1).problem, Catch::Contains("in a cache of 1000"));
  CHECK(cache.kernels().empty());
}

TEST_CASE("kernel cache: a clock that jumps", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"), 100'000);
  constexpr time_t kYear2100 = 4'102'444'800;
  for (int number = 0; number < 9; ++number)
    obtainSample(cache, number);
  setUsed(cache, 3, kYear2100); // used while the clock was ahead
  setUsed(cache, 4, kYear2100 + 1);
  setUsed(cache, 5, 0); // and while it was at its beginning
  SECTION("entries of the future are found, and dated by the clock of now") {
    CHECK(obtainSample(cache, 3).wasFound);
    obtainSample(cache, 9);
    CHECK(hasSample(cache, 3));
    CHECK_FALSE(hasSample(cache, 4));
  }
  SECTION("entries of the future do not stay for ever: they go first") {
    obtainSample(cache, 9);
    CHECK_FALSE(hasSample(cache, 3));
    CHECK_FALSE(hasSample(cache, 4));
    CHECK(hasSample(cache, 5));
    CHECK(hasSample(cache, 0));
  }
}

TEST_CASE("kernel cache: clear removes everything, also what dead writers left", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  obtainSample(cache, 1);
  std::ofstream(cache.folder() + "/.new-abcdef") << "half of an en";
  cache.clear();
  CHECK(cache.kernels().empty());
  CHECK_FALSE(fs::exists(cache.folder() + "/.new-abcdef"));
}

namespace {

/// A variable as it was before, when this goes.
class SetVariable {
public:
  SetVariable(const char *name, const std::string &value) : name_(name) {
    if (const char *before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~SetVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

private:
  const char *name_;
  std::optional<std::string> before_;
};

} // namespace

TEST_CASE("kernel cache: where the user's is", "[cache]") {
  SetVariable home("HOME", "/home/somebody"), size("MXC_CACHE_SIZE", ""),
      base("XDG_CACHE_HOME", "/var/caches");
  CHECK(KernelCache::ofUser()->folder() == "/var/caches/mxc/kernels-1");
  CHECK(KernelCache::ofUser()->limit() == uint64_t(1) << 30);
  SetVariable relative("XDG_CACHE_HOME", "caches"); // to be ignored
  CHECK(KernelCache::ofUser()->folder() == "/home/somebody/.cache/mxc/kernels-1");
  SetVariable nowhere("HOME", "");
  CHECK_FALSE(KernelCache::ofUser());
}

TEST_CASE("kernel cache: MXC_CACHE_SIZE", "[cache]") {
  SetVariable base("XDG_CACHE_HOME", "/var/caches"), size("MXC_CACHE_SIZE", "5000");
  CHECK(KernelCache::ofUser()->limit() == 5000);
  SetVariable none("MXC_CACHE_SIZE", "0");
  CHECK_FALSE(KernelCache::ofUser());
  SetVariable text("MXC_CACHE_SIZE", "1G");
  CHECK(failure(ErrorKind::Usage, [] { KernelCache::ofUser(); }) ==
        "MXC_CACHE_SIZE '1G': expected a number of bytes");
}
