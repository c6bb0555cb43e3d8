// A product's PTX on the simulator, behind the kernel that quantizes its operand: what comes of it.
#pragma once

#include "runtime/simulator/Options.h"

#include <cstdint>
#include <string>
#include <vector>

struct ProductShape {
  int64_t m, n, k;
};

/// A product kernel's PTX and its operands. `a` is quantized by a kernel in front, behind which the product
/// is launched as its dependent: it may begin before that one ends.
class ProductRun {
public:
  /// `variant`: of the ABI, to be launched whatever its condition says.
  ProductRun(std::string target, ProductShape shape, size_t variant);

  const std::string &target() const { return target_; }

  struct Outcome {
    std::string fault; // the first line of the report; "": none
    std::vector<std::byte> result;
  };
  /// With strict checks, two multiprocessors and one thread of the host.
  Outcome run(const std::string &ptx, mxc::sim::Schedule schedule) const;

private:
  std::string target_, quantizer_;
  ProductShape shape_;
  size_t variant_;
  std::vector<std::byte> x_, b_, scalesB_;
};
