#include "runtime/environment/HostMemory.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/Environment.h"

#include <charconv>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace mxc {

uint64_t hostMemoryBudget() {
  if (std::optional<std::string> text = environment(EnvironmentVariable::Memory)) {
    uint64_t bytes = 0;
    const char *end = text->data() + text->size();
    auto [parsed, error] = std::from_chars(text->data(), end, bytes);
    if (error == std::errc() && parsed == end) return bytes;
    throw Error(ErrorKind::Usage, "MXC_MEMORY '" + *text + "': expected a number of bytes");
  }
  long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && pageBytes > 0 ? uint64_t(pages) * uint64_t(pageBytes) / 2 : uint64_t(4) << 30;
}

uint64_t residentBytes() {
  unsigned long long size = 0, resident = 0; // pages: proc(5), statm
  std::FILE *file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  bool isRead = std::fscanf(file, "%llu %llu", &size, &resident) == 2;
  std::fclose(file);
  return isRead ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace mxc
