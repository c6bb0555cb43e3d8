// A process in which a system call fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/// From here on, `call` (SYS_flock) fails with errno = `error` where its argument of that index is at least
/// `least` (of which the lower 32 bits are compared). Whether that is allowed here.
inline bool failSystemCall(int call, int error, uint32_t argument = 0, uint32_t least = 0) {
  const auto argumentAt = static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
  sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 3),
                         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argumentAt),
                         BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {std::size(steps), steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
