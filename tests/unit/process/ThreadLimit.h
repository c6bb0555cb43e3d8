// A process that may have no more threads.
#pragma once

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/// Threads and processes, this one among them, that the process may have from here on. What else its user
/// runs counts too, unless it is root, whom only another user's limit binds.
inline bool limitThreads(rlim_t most) {
  const rlimit limit = {most, most};
  const uid_t nobodyElses = 1'000'000 + static_cast<uid_t>(getpid());
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) return false;
  if (geteuid() == 0 && setresuid(nobodyElses, nobodyElses, nobodyElses) != 0) return false;
  return prctl(PR_SET_DUMPABLE, 1) == 0; // an assembler reads this process's files
}
