// Counts on the device how many bytes of two arrays differ, so that gigabytes of outputs stay there.
#pragma once

#include "runtime/device/Device.h"

#include <cstdint>

namespace mxc::measure {

class ByteComparison {
public:
  /// Has the driver compile a kernel of PTX. Throws mxc::Error (Device).
  explicit ByteComparison(const Device &device);
  ~ByteComparison();
  ByteComparison(const ByteComparison &) = delete;
  ByteComparison &operator=(const ByteComparison &) = delete;

  /// Counts after all work of the default stream. Throws mxc::Error (Device).
  uint64_t differences(uint64_t a, uint64_t b, uint64_t bytes) const;

  static const char *ptx(); // what the driver compiles

private:
  Device device_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr count_ = 0;
};

} // namespace mxc::measure
