// Kernels that multiply what lies in shared memory, over and over, and load nothing: they show what this
// device's tensor cores do with the instruction that its products use.
#pragma once

#include "runtime/device/Device.h"

#include <optional>
#include <string>

namespace mxc::measure {

struct TensorKernel {
  /// PTX with its ABI. Its kernel `multiply` takes `out`, f32 [C, 256], where C is the number of CTAs. A
  /// multiprocessor has room for one CTA.
  std::string image;
  std::string instruction; // "wgmma m64n256k16 bf16"
  double operationsOfCta;  // twice its multiply-adds

  /// Each round multiplies 512 bytes along K. Operands are random codes as fillInput makes them, with its
  /// scales on sm_90a, because other numbers would take other power. Returns nothing for a chip on which mxc
  /// has no products.
  static std::optional<TensorKernel> of(ComputeCapability capability, int rounds);
};

} // namespace mxc::measure
