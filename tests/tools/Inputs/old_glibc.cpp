// Every function that OldGlibc.cpp has in place of glibc's, called; constructors, threads and exceptions.
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

static int failures = 0;
#define CHECK(condition)                                                                                     \
  if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++failures

static int constructed = 0;
static struct Constructed {
  Constructed() { ++constructed; }
} once;

static void statuses(const char *path) {
  struct stat a = {}, b = {}, c = {}, d = {};
  struct stat64 e = {}, f = {}, g = {}, h = {};
  const int file = open(path, O_RDONLY);
  CHECK(stat(path, &a) == 0 && lstat(path, &b) == 0 && fstat(file, &c) == 0 &&
        fstatat(AT_FDCWD, path, &d, 0) == 0);
  CHECK(stat64(path, &e) == 0 && lstat64(path, &f) == 0 && fstat64(file, &g) == 0 &&
        fstatat64(AT_FDCWD, path, &h, 0) == 0);
  CHECK(a.st_size > 1000 && S_ISREG(a.st_mode) && a.st_ino == b.st_ino && b.st_ino == c.st_ino &&
        c.st_size == d.st_size);
  CHECK(e.st_size == a.st_size && f.st_ino == a.st_ino && g.st_mtime == a.st_mtime && h.st_mode == a.st_mode);
  CHECK(stat("/nonexistent", &a) == -1 && errno == ENOENT);
  close(file);
}

static void waits() {
  using namespace std::chrono;
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  const auto start = steady_clock::now();
  CHECK(condition.wait_until(lock, start + milliseconds(1030)) == std::cv_status::timeout);
  const auto waited = steady_clock::now() - start;
  CHECK(waited >= milliseconds(1030) && waited < seconds(20));
  CHECK(condition.wait_until(lock, start) == std::cv_status::timeout);
  bool isReady = false;
  std::thread other([&] {
    std::lock_guard held(mutex);
    isReady = true;
    condition.notify_one();
  });
  CHECK(condition.wait_until(lock, start + hours(1), [&] { return isReady; }));
  other.join();
}

static void exceptions() {
  int caught = 0;
  std::thread([&] {
    try {
      throw 7;
    } catch (int value) {
      caught = value;
    }
  }).join();
  CHECK(caught == 7);
}

int main(int, char **words) {
  CHECK(constructed == 1);
  statuses(words[0]);
  waits();
  exceptions();
  CHECK(gettid() == getpid());
  CHECK(arc4random() != arc4random() || arc4random() != arc4random());
  CHECK(mallinfo2().uordblks > 0);
  CHECK(std::exp(1.0) == 2.718281828459045 && std::pow(2.0, 0.5) == 1.4142135623730951 &&
        std::log2(8.0) == 3);
  CHECK(dlopen("libm.so.6", RTLD_NOW) && dlsym(RTLD_DEFAULT, "malloc"));
  std::puts(failures ? "failed" : "OK");
  return failures != 0;
}
