// Kernels that multiply what lies in shared memory, over and over, and load nothing: what the tensor cores of
// this very device do, by the instruction that its products are made of.
#pragma once

#include "runtime/device/Device.h"

#include <optional>
#include <string>

namespace mxc::measure {

struct TensorKernel {
  /// PTX with its ABI. Its kernel `multiply` takes `out`, f32 [C, 256]: C is the number of CTAs, of which a
  /// multiprocessor has room for one.
  std::string image;
  std::string instruction; // "wgmma m64n256k16 bf16"
  double operationsOfCta;  // twice its multiply-adds

  /// A round multiplies 512 bytes along K. Operands are random codes as fillInput makes them, on sm_90a with
  /// its scales: other numbers would take other power. Nothing for a chip on which mxc has no products.
  static std::optional<TensorKernel> of(ComputeCapability capability, int rounds);
};

} // namespace mxc::measure
