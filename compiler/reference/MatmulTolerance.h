// What a product computed by tensor cores may differ by from the exact one.
#pragma once

#include "compiler/reference/OutputTolerance.h"
#include "compiler/reference/PrologueEvaluator.h"
#include "dialect/formats/Reference.h"

#include <span>
#include <vector>

namespace mxc {

/// Values and how far each may be off (docs/semantics/product.md, P2), carried through an epilogue by what
/// the epilogue makes of the interval's ends.
class MatmulBound {
public:
  /// The product, and the sum of the magnitudes of its finite terms, `k` of them each.
  MatmulBound(std::vector<double> product, const std::vector<double> &magnitude, int64_t k);

  /// Sums that are a kernel's.
  explicit MatmulBound(std::vector<double> exact);

  size_t size() const { return values_.size(); }
  float value(size_t element) const { return float(values_[element]); }
  double bound(size_t element) const { return bounds_[element]; } // infinite: it may be anything

  /// One of the region's results on every value of the products, one of each part, and on its further inputs,
  /// all of as many elements.
  static MatmulBound after(std::span<const MatmulBound> products, const Prologue &region,
                           const std::vector<std::vector<float>> &inputs, size_t result);
  void add(const std::vector<float> &other);
  /// By a factor, with one rounding to f32.
  void multiply(float factor);

  /// Whether an element of `type` that was found is within the bound and one step of the type.
  bool allows(size_t element, FloatType type, double found) const;

private:
  MatmulBound() = default;
  std::vector<double> values_, bounds_; // infinite: a sum on the way may have been
};

struct MatmulOutput {
  std::string name;
  FloatType type;
  MatmulBound bound;
};

ToleranceRule matmulTolerance(std::vector<MatmulOutput> outputs);

} // namespace mxc
