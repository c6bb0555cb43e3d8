#include "runtime/files/FileBytes.h"

#include "runtime/environment/HostMemory.h"
#include "runtime/files/OpenedFile.h"
#include "runtime/files/ReadErrors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <unistd.h>

namespace mxc {

FileBytes readFile(const std::string &path, size_t maximumBytes) {
  const size_t asked = maximumBytes, budget = hostMemoryBudget();
  maximumBytes = std::min(maximumBytes, budget);
  const OpenedFile file(path);
  const struct stat &status = file.status();
  size_t expected = S_ISREG(status.st_mode) ? static_cast<size_t>(status.st_size) : 0;
  if (!S_ISREG(status.st_mode))
    maximumBytes = std::min(maximumBytes, budget / 4); // held twice while it grows
  std::string tooLarge = "expected at most " + std::to_string(maximumBytes) + " bytes" +
                         (maximumBytes < asked ? " (MXC_MEMORY)" : "") + ", found ";
  if (expected > maximumBytes) throw unreadable(path, tooLarge + std::to_string(expected));

  try {
    // One byte more than expected, so that the end of file is seen without growing. (A pipe's size is not
    // known.)
    size_t capacity = expected ? expected + 1 : 65536;
    FileBytes result{std::make_unique_for_overwrite<std::byte[]>(capacity), 0};
    for (;;) {
      ssize_t got = read(file.descriptor(), result.data.get() + result.size, capacity - result.size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw unreadable(path, std::strerror(errno));
      if (got == 0) return result;
      result.size += static_cast<size_t>(got);
      if (result.size > maximumBytes) throw unreadable(path, tooLarge + "more");
      if (result.size < capacity) continue;
      auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity * 2);
      std::memcpy(larger.get(), result.data.get(), result.size);
      result.data = std::move(larger);
      capacity *= 2;
    }
  } catch (const std::bad_alloc &) {
    throw unreadable(path, "its " + std::to_string(expected) + " bytes do not fit into memory");
  }
}

} // namespace mxc
