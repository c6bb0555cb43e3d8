#include "runtime/files/MappedFile.h"

#include "runtime/files/ReadErrors.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace mxc {

MappedFile::MappedFile(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw unreadable(path, std::strerror(errno));
  struct stat status;
  const bool isKnown = fstat(file, &status) == 0;
  void *address = nullptr;
  if (isKnown && S_ISREG(status.st_mode) && status.st_size > 0)
    address = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_SHARED, file, 0);
  const int error = errno;
  close(file); // the mapping stays
  if (!isKnown || address == MAP_FAILED) throw unreadable(path, std::strerror(error));
  if (S_ISDIR(status.st_mode)) throw unreadable(path, "it is a folder");
  if (!S_ISREG(status.st_mode)) throw unreadable(path, "expected a regular file, found a device or a pipe");
  if (address) bytes_ = {static_cast<const std::byte *>(address), size_t(status.st_size)};
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
