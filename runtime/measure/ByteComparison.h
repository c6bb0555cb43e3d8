// How many bytes of two arrays on a device differ, counted there: outputs of gigabytes stay where they are.
#pragma once

#include "runtime/device/Device.h"

#include <cstdint>

namespace mxc::measure {

class ByteComparison {
public:
  /// The driver compiles a kernel of PTX for it. Throws mxc::Error (Device).
  explicit ByteComparison(const Device &device);
  ~ByteComparison();
  ByteComparison(const ByteComparison &) = delete;
  ByteComparison &operator=(const ByteComparison &) = delete;

  /// Behind all work of the default stream. Throws mxc::Error (Device).
  uint64_t differences(uint64_t a, uint64_t b, uint64_t bytes) const;

  static const char *ptx(); // what the driver compiles

private:
  Device device_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr count_ = 0;
};

} // namespace mxc::measure
