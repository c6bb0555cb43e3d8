// An image that the driver has loaded, for as long as the object lives.
#pragma once

#include "compiler/abi/ImageBounds.h"
#include "runtime/device/Device.h"

#include <cstddef>
#include <span>
#include <string>

namespace mxc {

class LoadedImage {
public:
  /// `name` stands in messages. Throws mxc::Error: InvalidInput if the driver finds the image at fault, else
  /// Device. A stream may be capturing meanwhile.
  LoadedImage(const Device &device, std::span<const std::byte> image, ImageFormat format,
              const std::string &name);
  ~LoadedImage();
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;

  CUmodule handle() const { return handle_; }

private:
  Device device_;
  CUmodule handle_ = nullptr;
};

} // namespace mxc
