#include "runtime/launch/LoadedImage.h"

#include "dialect/formats/Error.h"
#include "runtime/device/RelaxedCapture.h"

#include <bit>

namespace mxc {

static bool isImagesFault(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_INVALID_PTX ||
         result == CUDA_ERROR_INVALID_SOURCE || result == CUDA_ERROR_NO_BINARY_FOR_GPU;
}

LoadedImage::LoadedImage(const Device &device, std::span<const std::byte> image, ImageFormat format,
                         const std::string &name)
    : device_(device) {
  std::string text; // the driver takes PTX as a C string
  if (format == ImageFormat::Ptx) text.assign(reinterpret_cast<const char *>(image.data()), image.size());
  ContextScope scope(device);
  RelaxedCapture relaxed(device.driver());
  char log[8192] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, std::bit_cast<void *>(sizeof log - 1)};
  CUresult result = device.driver().cuModuleLoadDataEx(
      &handle_, text.empty() ? image.data() : static_cast<const void *>(text.c_str()), 2, options, values);
  if (result == CUDA_SUCCESS) return;
  std::string message = device.driver().failure(result, "load " + name, device.name()).what();
  throw Error(isImagesFault(result) ? ErrorKind::InvalidInput : ErrorKind::Device,
              log[0] ? message + "\n" + log : message);
}

LoadedImage::~LoadedImage() {
  ContextScope scope(device_);
  device_.driver().cuModuleUnload(handle_);
}

} // namespace mxc
