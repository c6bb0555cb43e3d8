#include "runtime/jit/CacheFolder.h"

#include "runtime/files/FileWriter.h"
#include "runtime/jit/UserFolder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <span>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mxc {

using Clock = std::chrono::system_clock;

static constexpr std::string_view kTemporary = ".new-";

namespace {

struct Descriptor {
  int number;
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
};

} // namespace

static bool isEntryName(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

template <typename Visit> static void forEachName(const std::string &folder, Visit visit) {
  std::unique_ptr<DIR, int (*)(DIR *)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return;
  while (const dirent *entry = readdir(entries.get()))
    visit(dirfd(entries.get()), entry->d_name);
}

std::optional<std::string> CacheFolder::read(const std::string &name, Use use) const {
  constexpr off_t kMaximumBytes = off_t(1) << 30;
  // Without O_NONBLOCK this would wait for a pipe in an entry's place; a link's target is somebody else's.
  Descriptor file(open(pathOf(name).c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > kMaximumBytes)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::read(file.number, &bytes[done], bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break; // shorter than it was: its reader finds the damage
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  if (use == Use::Counts) futimens(file.number, nullptr);
  return bytes;
}

// Makes a new file of this writer and locks it, which tells sweep that the writer lives. Where the file
// system has no locks it goes without, and sweep removes nothing.
static int openAside(const std::string &folder, std::string &path) {
  for (;;) {
    path = folder + "/" + std::string(kTemporary) + "XXXXXX";
    const int file = mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) return file;
    while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_nlink > 0) return file;
    close(file); // swept away between its making and its lock
  }
}

std::optional<std::string> CacheFolder::write(const std::string &name, std::string_view bytes) const {
  std::string aside;
  Descriptor file(openAside(path_, aside));
  if (file.number < 0 && errno == ENOENT) {
    makeFolder(path_);
    file.number = openAside(path_, aside);
  }
  auto problem = [&](int code) { return "cannot write " + pathOf(name) + ": " + std::strerror(code); };
  if (file.number < 0) return problem(errno);
  int error = writeAll(file.number, std::as_bytes(std::span(bytes)));
  if (!error && fsync(file.number) != 0) error = errno;
  if (!error && std::rename(aside.c_str(), pathOf(name).c_str()) != 0) error = errno;
  if (!error) return std::nullopt;
  unlink(aside.c_str());
  return problem(error);
}

void CacheFolder::remove(const std::string &name) const { unlink(pathOf(name).c_str()); }

std::vector<CachedFile> CacheFolder::files() const {
  std::vector<CachedFile> files;
  forEachName(path_, [&](int folder, const char *name) {
    struct stat status;
    if (!isEntryName(name) || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      return;
    const auto used =
        std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
    files.push_back({name, static_cast<uint64_t>(status.st_size),
                     Clock::time_point(std::chrono::duration_cast<Clock::duration>(used))});
  });
  return files;
}

std::vector<std::string> CacheFolder::names() const {
  std::vector<std::string> names;
  forEachName(path_, [&](int, const char *name) {
    if (isEntryName(name)) names.emplace_back(name);
  });
  return names;
}

void CacheFolder::sweep() const {
  forEachName(path_, [&](int folder, const char *name) {
    if (!std::string_view(name).starts_with(kTemporary)) return;
    Descriptor file(openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (file.number >= 0 && flock(file.number, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
  });
}

void CacheFolder::trim(uint64_t limit) const {
  constexpr uint64_t kTrimming = uint64_t(1) << 62; // no key's position
  Lock lock(*this, kTrimming, std::chrono::milliseconds(0));
  if (!lock.isHeld()) return;
  sweep();
  std::vector<CachedFile> files = this->files();
  uint64_t total = 0;
  for (const CachedFile &file : files)
    total += file.bytes;
  if (total <= limit) return;
  const Clock::time_point now = Clock::now();
  std::ranges::sort(files, {},
                    [&](const CachedFile &file) { return std::pair(file.used <= now, file.used); });
  for (const CachedFile &file : files) {
    if (total <= limit - limit / 8) return;
    remove(file.name);
    total -= file.bytes;
  }
}

static bool setLock(int descriptor, short type, uint64_t position) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(position);
  lock.l_len = 1;
  // A lock of the open file, not of the process: threads exclude each other too.
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

CacheFolder::Lock::Lock(const CacheFolder &folder, uint64_t position, std::chrono::milliseconds patience)
    : position_(position) {
  const std::string path = folder.pathOf(".lock");
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  descriptor_ = open(path.c_str(), kFlags, 0600);
  if (descriptor_ < 0 && errno == ENOENT) {
    makeFolder(folder.path());
    descriptor_ = open(path.c_str(), kFlags, 0600);
  }
  if (descriptor_ < 0) return;
  // It asks again and again, since a wait in the kernel never ends if the holder is stopped.
  const auto end = std::chrono::steady_clock::now() + patience;
  for (useconds_t pause = 100; !(isHeld_ = setLock(descriptor_, F_WRLCK, position_));
       pause = std::min(2 * pause, 5000u)) {
    if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || std::chrono::steady_clock::now() >= end)
      return;
    usleep(pause);
  }
}

CacheFolder::Lock::~Lock() {
  if (descriptor_ < 0) return;
  if (isHeld_)
    setLock(descriptor_, F_UNLCK, position_); // also where a fork of this process holds the file open
  close(descriptor_);
}

} // namespace mxc
