#include "runtime/files/OutputFolder.h"

#include "dialect/formats/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mxc {

/// The folder behind links, or where it would be made: absolute, without a slash at its end.
static fs::path placeOf(const std::string &path) {
  std::error_code missing;
  if (fs::path place = fs::canonical(path, missing); !missing) return place;
  fs::path place = fs::absolute(path, missing).lexically_normal();
  return place.has_filename() ? place : place.parent_path();
}

static bool isMountPoint(const std::string &path) {
  constexpr uint64_t kMountRoot = 0x2000; // STATX_ATTR_MOUNT_ROOT, which older headers lack
  struct statx facts;
  return statx(AT_FDCWD, path.c_str(), 0, 0, &facts) == 0 && (facts.stx_attributes & kMountRoot);
}

static bool areOne(const struct stat &a, const struct stat &b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

OutputFolder::OutputFolder(const std::string &path) : path_(path) {
  constexpr size_t kMostOfName = 200; // a name may have 255 bytes
  const fs::path place = placeOf(path);
  target_ = place;
  hidden_ = place.parent_path() / ("." + place.filename().string().substr(0, kMostOfName) + ".mxc-partial");
  checkTarget();
  hold();
  try {
    checkTarget(); // whoever held it before may have finished it
    for (const fs::directory_entry &rest : fs::directory_iterator(hidden_))
      fs::remove_all(rest);
  } catch (const fs::filesystem_error &error) {
    close(descriptor_);
    fail(error.code().message() + " (" + error.path1().string() + ")");
  } catch (...) {
    std::error_code ignored;
    fs::remove(hidden_, ignored);
    close(descriptor_);
    throw;
  }
}

void OutputFolder::checkTarget() const {
  struct stat target, current;
  if (lstat(target_.c_str(), &target) != 0) {
    if (errno == ENOENT) return;
    fail(std::strerror(errno));
  }
  if (S_ISLNK(target.st_mode)) fail("it is a link to nothing");
  std::error_code error;
  if (!S_ISDIR(target.st_mode) || !fs::is_empty(target_, error))
    fail(error ? error.message() : "expected an empty folder, or none");
  if (isMountPoint(target_))
    fail("something is mounted there, and a folder appears by a rename: name one in it");
  if (stat(".", &current) == 0 && areOne(target, current))
    fail("it is the current folder, and a folder appears by a rename: name one in it");
}

void OutputFolder::hold() {
  while (!tryHold()) {
  }
  isHeld_ = true;
}

/// False where another writer has taken the hidden folder away in between.
bool OutputFolder::tryHold() {
  const bool isMade = mkdir(hidden_.c_str(), 0777) == 0;
  if (!isMade && errno != EEXIST) fail(std::strerror(errno));
  descriptor_ = open(hidden_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ENOENT) return false;
  if (descriptor_ < 0) fail(hidden_ + " is in the way: " + std::strerror(errno));
  const auto refuse = [&](const std::string &why) {
    close(descriptor_);
    fail(why);
  };
  struct stat held, named;
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) refuse("another conversion writes it (it holds " + hidden_ + ")");
    if (!isMade) refuse("another conversion writes it or left " + hidden_ + ", and there are no locks here");
  }
  if (fstat(descriptor_, &held) != 0) refuse(std::strerror(errno));
  if (lstat(hidden_.c_str(), &named) != 0 || !areOne(held, named)) {
    close(descriptor_);
    return false;
  }
  if (held.st_uid != geteuid()) refuse(hidden_ + " is in the way, and is somebody else's");
  return true;
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (isHeld_) fs::remove_all(hidden_, ignored);
  close(descriptor_); // after it: who waits for the lock finds another folder, or none
}

void OutputFolder::commit() {
  struct stat target;
  if (lstat(target_.c_str(), &target) == 0) (void)!fchmod(descriptor_, target.st_mode & 07777);
  if (std::rename(hidden_.c_str(), target_.c_str()) != 0)
    fail(errno == ENOTEMPTY || errno == EEXIST ? "expected an empty folder, or none" : std::strerror(errno));
  isHeld_ = false;
}

void OutputFolder::fail(const std::string &why) const {
  throw Error(ErrorKind::InvalidInput, "cannot write " + path_ + ": " + why);
}

} // namespace mxc
