// How far two right sums of the same product may lie apart.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "dialect/formats/Reference.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mxc::tune {

/// Returns the bytes of an input by its argument's name.
using InputBytes = std::function<std::vector<std::byte>(const std::string &argument)>;

/// The bound of docs/semantics/product.md (P2) on a product's elements, with the product of the rows' norms
/// for the sum of the terms' magnitudes, which it is never below. It costs a reading of the operands, not
/// their product.
class ProductBound {
public:
  /// Returns nothing for a kernel whose outputs must agree byte for byte: no product, a sequential reduction,
  /// a region after the product, a c that is added to, or elements of less than a byte.
  static std::optional<ProductBound> of(const KernelAbi &kernel, const Dimensions &dimensions,
                                        const InputBytes &input);

  /// Returns how many elements of an output lie further apart than they could if both were right. NaN and
  /// infinities agree only with their like.
  uint64_t violations(const AbiArgument &output, std::span<const std::byte> a,
                      std::span<const std::byte> b) const;

private:
  std::vector<double> rowsOfA_, rowsOfB_; // the norms, one batch after the other
  int64_t batches_ = 1, m_ = 0, n_ = 0, k_ = 0;
};

} // namespace mxc::tune
