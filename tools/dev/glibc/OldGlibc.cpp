// What glibc gained after 2.28 and our libraries, LLVM's and the C++ library's among them, call: here by
// means of what 2.28 has. Linked into programs and libraries that are to run there
// (tools/dev/glibc/interface), and hidden in them.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)
extern "C" {

// 2.33 made functions of these; before, <sys/stat.h> called others with the version of the struct (x86_64:
// 1).
#pragma GCC visibility push(default)
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int file, struct stat *status);
int __fxstatat(int version, int folder, const char *path, struct stat *status, int flags);
#pragma GCC visibility pop

static constexpr int kStatVersion = 1;

int stat(const char *path, struct stat *status) noexcept { return __xstat(kStatVersion, path, status); }
int lstat(const char *path, struct stat *status) noexcept { return __lxstat(kStatVersion, path, status); }
int fstat(int file, struct stat *status) noexcept { return __fxstat(kStatVersion, file, status); }
int fstatat(int folder, const char *path, struct stat *status, int flags) noexcept {
  return __fxstatat(kStatVersion, folder, path, status, flags);
}
static_assert(sizeof(struct stat) == sizeof(struct stat64));
int stat64(const char *path, struct stat64 *status) noexcept {
  return stat(path, reinterpret_cast<struct stat *>(status));
}
int lstat64(const char *path, struct stat64 *status) noexcept {
  return lstat(path, reinterpret_cast<struct stat *>(status));
}
int fstat64(int file, struct stat64 *status) noexcept {
  return fstat(file, reinterpret_cast<struct stat *>(status));
}
int fstatat64(int folder, const char *path, struct stat64 *status, int flags) noexcept {
  return fstatat(folder, path, reinterpret_cast<struct stat *>(status), flags);
}

/// 2.30.
pid_t gettid() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// 2.30, of std::condition_variable. A clock that is set meanwhile moves the end of the wait.
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *end) {
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, end);
  timespec now, wall;
  if (clock_gettime(clock, &now) || clock_gettime(CLOCK_REALTIME, &wall)) return EINVAL;
  constexpr long kSecond = 1'000'000'000;
  timespec there = {wall.tv_sec + (end->tv_sec - now.tv_sec), wall.tv_nsec + (end->tv_nsec - now.tv_nsec)};
  while (there.tv_nsec < 0)
    there.tv_nsec += kSecond, --there.tv_sec;
  while (there.tv_nsec >= kSecond)
    there.tv_nsec -= kSecond, ++there.tv_sec;
  if (there.tv_sec < 0) there = {0, 0};
  return pthread_cond_timedwait(condition, mutex, &there);
}

/// 2.32, a hint of the C++ library's: "no other thread has ever run".
char __libc_single_threaded = 0;

/// 2.33. The older one counts in 32 bits; it is for statistics.
struct mallinfo2 mallinfo2() noexcept {
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
      const struct mallinfo known = mallinfo();
  _Pragma("GCC diagnostic pop")
      const auto wide = [](int bytes) { return static_cast<size_t>(static_cast<unsigned>(bytes)); };
  return {wide(known.arena),    wide(known.ordblks), wide(known.smblks),  wide(known.hblks),
          wide(known.hblkhd),   wide(known.usmblks), wide(known.fsmblks), wide(known.uordblks),
          wide(known.fordblks), wide(known.keepcost)};
}

/// 2.36, of std::random_device.
uint32_t arc4random() noexcept {
  uint32_t number = 0;
  for (size_t got = 0; got < sizeof number;) {
    const ssize_t more = getrandom(reinterpret_cast<char *>(&number) + got, sizeof number - got, 0);
    if (more > 0)
      got += static_cast<size_t>(more);
    else if (errno != EINTR)
      __builtin_trap(); // the kernel has it since 3.17
  }
  return number;
}

struct SoughtObject {
  uintptr_t address;
  dl_find_object *found;
};

static int compareObject(dl_phdr_info *info, size_t, void *data) {
  const auto *sought = static_cast<SoughtObject *>(data);
  const ElfW(Phdr) *frames = nullptr;
  bool isHere = false;
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type == PT_GNU_EH_FRAME) frames = &header;
    if (header.p_type != PT_LOAD) continue;
    const uintptr_t first = info->dlpi_addr + header.p_vaddr, last = first + header.p_memsz;
    isHere |= sought->address >= first && sought->address < last;
    start = start < first ? start : first, end = end > last ? end : last;
  }
  if (!isHere) return 0;
  if (!frames) return -1;
  *sought->found = {};
  sought->found->dlfo_map_start = reinterpret_cast<void *>(start);
  sought->found->dlfo_map_end = reinterpret_cast<void *>(end);
  sought->found->dlfo_eh_frame = reinterpret_cast<void *>(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

/// 2.35, of libgcc's unwinder: where the tables of the object that holds an address are.
int _dl_find_object(void *address, dl_find_object *found) noexcept {
  SoughtObject sought = {reinterpret_cast<uintptr_t>(address), found};
  return dl_iterate_phdr(compareObject, &sought) == 1 ? 0 : -1;
}

} // extern "C"
#pragma GCC visibility pop
