#include "runtime/device/DriverProvider.h"

#include <map>
#include <mutex>

namespace mxc {

namespace {

struct Providers {
  std::mutex mutex;
  std::map<std::string, DriverProvider, std::less<>> byKind;
};

Providers &providers() { // made at the first use, which may come before main, and never destroyed
  static auto *providers = new Providers;
  return *providers;
}

} // namespace

void registerDriverProvider(std::string_view kind, DriverProvider provider) {
  std::lock_guard lock(providers().mutex);
  providers().byKind.insert_or_assign(std::string(kind), provider);
}

const Driver &providedDriver(std::string_view kind, const std::string &which) {
  std::unique_lock lock(providers().mutex);
  auto found = providers().byKind.find(kind);
  if (found == providers().byKind.end()) {
    std::string name(kind);
    throw Error(ErrorKind::Device, "cannot open " + name + ":" + which + ": this program has no " + name +
                                       " in it; link it with mxc_runtime_" + name);
  }
  DriverProvider provider = found->second;
  lock.unlock();
  return provider(which);
}

} // namespace mxc
