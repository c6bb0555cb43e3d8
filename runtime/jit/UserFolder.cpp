#include "runtime/jit/UserFolder.h"

#include "runtime/environment/Environment.h"

#include <sys/stat.h>

namespace mxc {

std::optional<std::string> userFolder() {
  std::optional<std::string> base = environment(EnvironmentVariable::CacheHome);
  // A relative folder must be ignored: XDG base directory specification.
  if (!base || !base->starts_with('/')) {
    base = environment(EnvironmentVariable::Home);
    if (base) *base += "/.cache";
  }
  if (!base || !base->starts_with('/')) return std::nullopt;
  return *base + "/mxc";
}

void makeFolder(const std::string &path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    mkdir(path.substr(0, end).c_str(), 0700);
    if (end == path.npos) return;
  }
}

} // namespace mxc
