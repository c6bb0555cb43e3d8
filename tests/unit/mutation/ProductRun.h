// A product's PTX on the simulator, after the kernel that quantizes its operand: what comes of it.
#pragma once

#include "runtime/simulator/Options.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// c[m][n], of groups of rows (grouped_matmul.mlir) or of k (grouped_wgrad.mlir) whose ends are given, on a
/// device with so many multiprocessors; of MXFP8, or of MXFP4 (matmul_mxfp4.mlir).
struct ProductShape {
  int64_t m, n, k;
  std::vector<int32_t> rowEnds = {}, kEnds = {};
  unsigned multiprocessors = 2;
  bool isFourBits = false;

  int64_t groups() const { return int64_t(rowEnds.size() + kEnds.size()); }
};

/// A product kernel's PTX and its operands. `a` is quantized by a kernel before it, and the product is
/// launched as that one's dependent: it may begin before that one ends.
class ProductRun {
public:
  /// `variant`: of the ABI, to be launched whatever its condition says.
  ProductRun(std::string target, ProductShape shape, size_t variant);

  const std::string &target() const { return target_; }

  struct Outcome {
    std::string fault; // the first line of the report; "": none
    std::vector<std::byte> result;
  };
  /// With strict checks and one thread of the host.
  Outcome run(const std::string &ptx, mxc::sim::Schedule schedule) const;

private:
  int64_t bytesOf(int64_t elements) const { return shape_.isFourBits ? elements / 2 : elements; }

  std::string target_, quantizer_;
  ProductShape shape_;
  size_t variant_;
  std::vector<std::byte> x_, b_, scalesB_;
};
