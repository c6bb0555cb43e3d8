/* Preloaded: says for how many of LLVM's and MLIR's static objects the end comes while mxc's threads of low priority, which
   use them, are still there, and for how many not. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef void (*destructor)(void *);
struct object {
  destructor end;
  void *argument;
};
static int watched, early;

static int compilingThreads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks && (task = readdir(tasks));)
    count += task->d_name[0] != '.' && getpriority(PRIO_PROCESS, (id_t)atoi(task->d_name)) >= 10;
  if (tasks) closedir(tasks);
  return count;
}

static void end(void *argument) {
  struct object *object = argument;
  if (!watched++) fprintf(stderr, "exit\n");
  if (compilingThreads() && !early++) fprintf(stderr, "a static object of LLVM ends while threads compile\n");
  object->end(object->argument);
}

int __cxa_atexit(destructor function, void *argument, void *library) {
  static int (*atexit)(destructor, void *, void *);
  if (!atexit) atexit = (int (*)(destructor, void *, void *))dlsym(RTLD_NEXT, "__cxa_atexit");
  Dl_info place;
  const int isTheirs = dladdr(__builtin_return_address(0), &place) && place.dli_fname &&
                       (strstr(place.dli_fname, "libLLVM") || strstr(place.dli_fname, "libMLIR"));
  struct object *object = isTheirs ? malloc(sizeof *object) : NULL;
  if (!object) return atexit(function, argument, library);
  object->end = function, object->argument = argument;
  return atexit(end, object, library);
}

__attribute__((destructor)) static void report(void) {
  fprintf(stderr, "%s static objects of LLVM, %d of them early\n", watched > 5 ? "several" : "no", early);
}
