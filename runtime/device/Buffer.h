// Device memory that frees itself.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/device/TensorView.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mxc {

/// `bytes` of device memory, unwritten. Zero bytes allocate nothing and have the null address; every
/// operation on no bytes is valid and does nothing. A range that leaves the buffer throws mxc::Error
/// (InvalidInput); a failure of the driver throws mxc::Error (Device).
class Buffer {
public:
  Buffer(const Device &device, size_t bytes);
  ~Buffer() { reset(); }
  Buffer(Buffer &&other) noexcept
      : device_(std::move(other.device_)), address_(std::exchange(other.address_, 0)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept;

  uint64_t address() const { return address_; }
  size_t bytes() const { return bytes_; }
  const Device &device() const { return device_; }

  /// These copy from the host, to the host, and fill, and are complete on return. Offsets are in bytes. They
  /// follow what is on the default stream and wait for no other stream: work on an mxc::Stream, which is
  /// non-blocking, must be done before its results are downloaded or its inputs overwritten
  /// (Stream::synchronize, Device::synchronize).
  void upload(std::span<const std::byte> source, size_t offset = 0);
  void download(std::span<std::byte> destination, size_t offset = 0) const;
  void fill(uint8_t value); // the whole buffer

  /// Returns a tensor that starts `offset` bytes into this buffer and must lie within it. Strides are in
  /// elements.
  TensorView view(const std::string &type, const std::vector<int64_t> &shape,
                  const std::vector<int64_t> &strides = {}, size_t offset = 0) const;

private:
  void checkRange(const char *what, size_t bytes, size_t offset) const;
  void reset() noexcept;

  Device device_;
  uint64_t address_ = 0;
  size_t bytes_ = 0;
};

} // namespace mxc
