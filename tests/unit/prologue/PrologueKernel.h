// Kernels with a prologue, compiled in this process and run.
#pragma once

#include "compiler/reference/KernelReference.h"
#include "runtime/launch/Kernel.h"

#include <string>
#include <vector>

/// The targets that this program runs kernels for: one of a GPU's, all of the simulator's.
std::vector<std::string> testTargets();

/// "mx.quantize" of inputs in0, in1, ... (x0, x1, ... in the region) after a region that ends with the value
/// %r, to e4m3 with dense scales.
std::string quantizeBehind(const std::vector<std::string> &inputTypes, const std::string &body);

struct Quantized {
  std::vector<std::byte> q, s;
  mxc::HostTensors tensors() const { return {{"q", q}, {"s", s}}; }
};

/// A kernel of quantizeBehind on the target's device.
class PrologueKernel {
public:
  PrologueKernel(const std::string &source, const std::string &target, const std::string &tile = {});
  const mxc::KernelAbi &abi() const { return kernel_.abi(); }
  Quantized run(const mxc::HostTensors &inputs, int64_t rows, int64_t columns) const;

private:
  mxc::Device device_;
  mxc::Kernel kernel_;
};
