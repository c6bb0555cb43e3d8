/* Lets the Nth call of a kind fail, for LD_PRELOAD: FAIL_CALL is thread, mmap, write, fsync or rename, FAIL_N counts from 1. FAIL_REPORT
 * is a file that is made when that call comes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long count;

static int fails(const char *call) {
  const char *chosen = getenv("FAIL_CALL"), *number = getenv("FAIL_N"), *report = getenv("FAIL_REPORT");
  if (!chosen || !number || strcmp(chosen, call) || ++count != atol(number)) return 0;
  if (report) { /* not by functions that may fail here */
    long file = syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT, 0600);
    if (file >= 0) syscall(SYS_close, file);
  }
  return 1;
}

#define REAL(name)                                                                                           \
  static __typeof__(name) *real;                                                                             \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL(call, error, result)                                                                            \
  if (fails(call)) return errno = (error), (result)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
  REAL(pthread_create);
  return fails("thread") ? EAGAIN : real(thread, attributes, work, argument);
}
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  REAL(mmap);
  FAIL("mmap", ENOMEM, MAP_FAILED);
  return real(at, bytes, protection, flags, file, offset);
}
ssize_t write(int file, const void *bytes, size_t count) {
  REAL(write);
  if (file != STDERR_FILENO) FAIL("write", ENOSPC, -1);
  return real(file, bytes, count);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  REAL(pwrite64);
  FAIL("write", ENOSPC, -1);
  return real(file, bytes, count, offset);
}
int fsync(int file) {
  REAL(fsync);
  FAIL("fsync", EIO, -1);
  return real(file);
}
int fdatasync(int file) {
  REAL(fdatasync);
  FAIL("fsync", EIO, -1);
  return real(file);
}
int rename(const char *from, const char *to) {
  REAL(rename);
  FAIL("rename", EACCES, -1);
  return real(from, to);
}
