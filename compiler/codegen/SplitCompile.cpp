#include "compiler/codegen/SplitCompile.h"
#include "compiler/HostSignals.h"

#include <climits>
#include <latch>
#include <pthread.h>
#include <thread>
#include <vector>

namespace mxc {

static void *waitFor(void *latch) {
  static_cast<std::latch *>(latch)->wait();
  return nullptr;
}

bool canSplitCompile() {
  const size_t wanted = std::thread::hardware_concurrency() + 1; // and a process, where it is a program
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

} // namespace mxc
