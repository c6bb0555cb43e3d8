// The kernels of streaming.cu on a device: ceilings, random data, comparison, warm-up.
#pragma once

#include "runtime/Stream.h"
#include "tools/dev/bandwidth/Program.h"

#include <string_view>

namespace mxc::bandwidth {

class Yardstick {
public:
  /// Has the driver compile the kernels. Throws mxc::Error (Device).
  explicit Yardstick(const Device &device);
  ~Yardstick();
  Yardstick(const Yardstick &) = delete;
  Yardstick &operator=(const Yardstick &) = delete;

  /// The ceiling kernels of `traffic` ("r2w1", "r4w1", "r2w2", "r1w2") for rows x columns elements: every
  /// shape that fits.
  std::vector<Program> ceilings(const std::string &traffic, int64_t rows, int64_t columns) const;

  /// Heavy-tailed values for float types, random bytes (scales: 2^-12..2^11) for others.
  void fill(const Input &input, CUdeviceptr address, uint64_t seed, CUstream stream) const;

  /// How many of the bytes differ. Waits for the stream.
  uint64_t differences(CUdeviceptr a, CUdeviceptr b, int64_t bytes, const Stream &stream) const;

  /// Matrix work for this long; returns when it is done.
  void warm(double seconds, const Stream &stream) const;

private:
  void launch(const std::string &kernel, uint32_t gridX, uint32_t gridY, void **parameters, bool pdl,
              CUstream stream) const;

  Device device_;
  CUmodule module_ = nullptr;
  CUdeviceptr scratch_ = 0; // a counter
};

/// The traffic of a kernel that reads and writes so many bytes an element; the nearest one that there is.
std::string trafficNamed(double bytesRead, double bytesWritten);

} // namespace mxc::bandwidth
