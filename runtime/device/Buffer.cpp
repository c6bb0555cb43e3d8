#include "runtime/device/Buffer.h"

namespace mxc {

static std::string bytesText(const char *verb, size_t bytes) {
  return std::string(verb) + " " + std::to_string(bytes) + " bytes";
}

Buffer::Buffer(const Device &device, size_t bytes) : device_(device), bytes_(bytes) {
  if (bytes == 0) return;
  ContextScope scope(device_);
  CUdeviceptr address = 0;
  CUresult result = device_.driver().cuMemAlloc_v2(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && device_.pool() &&
      device_.driver().cuMemPoolTrimTo(device_.pool(), 0) == CUDA_SUCCESS)
    result = device_.driver().cuMemAlloc_v2(&address, bytes);
  if (result != CUDA_SUCCESS) device_.check(result, bytesText("allocate", bytes));
  address_ = address;
}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  if (this == &other) return *this;
  reset();
  device_ = other.device_;
  address_ = std::exchange(other.address_, 0);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Buffer::reset() noexcept {
  bytes_ = 0;
  if (!address_) return;
  ContextScope scope(device_);
  device_.driver().cuMemFree_v2(std::exchange(address_, 0));
}

void Buffer::checkRange(const char *what, size_t bytes, size_t offset) const {
  if (offset <= bytes_ && bytes <= bytes_ - offset) return;
  throw Error(ErrorKind::InvalidInput, std::string("cannot ") + what +
                                           ": expected a range within the buffer's " +
                                           std::to_string(bytes_) + " bytes, found " + std::to_string(bytes) +
                                           " bytes at offset " + std::to_string(offset));
}

// cuMemcpyHtoD of pageable memory returns when that is read, its last bytes still under way to the device;
// cuMemsetD8 and cuMemcpyDtoD return before the device is done. Waiting for the default stream makes them
// complete, for streams too that do not wait for it.
void Buffer::upload(std::span<const std::byte> source, size_t offset) {
  checkRange("upload", source.size(), offset);
  if (source.empty()) return;
  ContextScope scope(device_);
  CUresult result = device_.driver().cuMemcpyHtoD_v2(address_ + offset, source.data(), source.size());
  if (result == CUDA_SUCCESS) result = device_.driver().cuStreamSynchronize(nullptr);
  if (result != CUDA_SUCCESS) device_.check(result, bytesText("upload", source.size()));
}

void Buffer::download(std::span<std::byte> destination, size_t offset) const {
  checkRange("download", destination.size(), offset);
  if (destination.empty()) return;
  ContextScope scope(device_);
  CUresult result =
      device_.driver().cuMemcpyDtoH_v2(destination.data(), address_ + offset, destination.size());
  if (result != CUDA_SUCCESS) device_.check(result, bytesText("download", destination.size()));
}

void Buffer::fill(uint8_t value) {
  if (!bytes_) return;
  ContextScope scope(device_);
  CUresult result = device_.driver().cuMemsetD8_v2(address_, value, bytes_);
  if (result == CUDA_SUCCESS) result = device_.driver().cuStreamSynchronize(nullptr);
  if (result != CUDA_SUCCESS) device_.check(result, bytesText("fill", bytes_));
}

TensorView Buffer::view(const std::string &type, const std::vector<int64_t> &shape,
                        const std::vector<int64_t> &strides, size_t offset) const {
  TensorView view{address_ + offset, type, shape, strides};
  checkRange("view a tensor", static_cast<size_t>(extentBytes(view)), offset);
  return view;
}

} // namespace mxc
