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

/// The bytes of an input by its argument's name.
using InputBytes = std::function<std::vector<std::byte>(const std::string &argument)>;

/// What docs/semantics.md (P2) bounds a product's elements by, with the product of the rows' norms instead of
/// the sum of the terms' magnitudes, which it is never below: the cost of reading the operands, not of
/// multiplying them.
class ProductBound {
public:
  /// Nothing for a kernel whose outputs have to agree byte for byte: no product, a sequential reduction, a
  /// region behind the product, c added to, or elements of less than a byte.
  static std::optional<ProductBound> of(const KernelAbi &kernel, const Dimensions &dimensions,
                                        const InputBytes &input);

  /// How many elements of an output lie further apart than both being right allows. NaN and infinities agree
  /// with their like alone.
  uint64_t violations(const AbiArgument &output, std::span<const std::byte> a,
                      std::span<const std::byte> b) const;

private:
  std::vector<double> rowsOfA_, rowsOfB_; // norms: of every batch, one after the other
  int64_t batches_ = 1, m_ = 0, n_ = 0, k_ = 0;
};

} // namespace mxc::tune
