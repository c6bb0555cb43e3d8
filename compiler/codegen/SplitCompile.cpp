#include "compiler/codegen/SplitCompile.h"
#include "compiler/guard/HostSignals.h"

#include <algorithm>
#include <climits>
#include <latch>
#include <pthread.h>
#include <string_view>
#include <vector>

namespace mxc {

static void *waitFor(void *latch) {
  static_cast<std::latch *>(latch)->wait();
  return nullptr;
}

static bool canHaveThreads(size_t wanted) {
  HostSignals signals;
  std::latch latch(1);
  std::vector<pthread_t> threads;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return false;
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  for (pthread_t thread;
       threads.size() < wanted && pthread_create(&thread, &attributes, waitFor, &latch) == 0;)
    threads.push_back(thread);
  pthread_attr_destroy(&attributes);
  latch.count_down();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return threads.size() == wanted;
}

static size_t countEntries(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry ";
  size_t count = 0;
  for (size_t at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at + kEntry.size()))
    ++count;
  return count;
}

std::string splitCompileOption(const std::string &ptx) {
  constexpr size_t kMostThreads = 16;
  const size_t threads = std::min(countEntries(ptx), kMostThreads);
  if (threads < 2 || !canHaveThreads(threads + 1)) return ""; // and a process, where it is a program
  return "--split-compile=" + std::to_string(threads);
}

} // namespace mxc
