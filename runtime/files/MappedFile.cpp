#include "runtime/files/MappedFile.h"

#include "runtime/files/OpenedFile.h"
#include "runtime/files/ReadErrors.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace mxc {

MappedFile::MappedFile(const std::string &path) {
  const OpenedFile file(path); // the mapping outlives it
  if (!S_ISREG(file.status().st_mode))
    throw unreadable(path, "expected a regular file, found a device or a pipe");
  const size_t size = size_t(file.status().st_size);
  if (size == 0) return;
  void *address = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (address == MAP_FAILED) throw unreadable(path, std::strerror(errno));
  bytes_ = {static_cast<const std::byte *>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte *>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile &&other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto address = [](const std::byte *at) { return reinterpret_cast<uintptr_t>(at); };
  const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  const uintptr_t first = std::max(address(part.data()), address(bytes_.data())),
                  last = std::min(address(part.data() + part.size()), address(bytes_.data() + bytes_.size()));
  const uintptr_t begin = (first + page - 1) / page * page, end = last / page * page;
  if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

} // namespace mxc
