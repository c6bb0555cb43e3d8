// File systems that one process alone sees. Each function says whether that is allowed here.
#pragma once

#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

inline bool leaveMounts() {
  const std::string users = "0 " + std::to_string(getuid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/uid_map") << users;
  return true;
}

/// A disk that fills up.
inline bool mountSmallDisk(const std::string &folder, int kibibytes) {
  return leaveMounts() &&
         mount("none", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(kibibytes) + "k").c_str()) == 0;
}

inline bool hideProc() { return leaveMounts() && mount("none", "/proc", "tmpfs", 0, nullptr) == 0; }
