// A disk that fills up.
#pragma once

#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

/// A file system of so many KiB that this process alone sees. Whether that is allowed here.
inline bool mountSmallDisk(const std::string &folder, int kibibytes) {
  const std::string users = "0 " + std::to_string(getuid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/uid_map") << users;
  return mount("none", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(kibibytes) + "k").c_str()) == 0;
}
