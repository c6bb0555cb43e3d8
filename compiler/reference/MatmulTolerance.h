// What a product computed by tensor cores may differ by from the exact one.
#pragma once

#include "compiler/reference/OutputTolerance.h"
#include "compiler/reference/PrologueEvaluator.h"
#include "dialect/formats/Reference.h"

#include <vector>

namespace mxc {

/// Values and how far each may be off: 2^-12 * sum |a b| of its terms, carried through an epilogue by what
/// the epilogue makes of the interval's ends, and one step of the output's type.
class MatmulBound {
public:
  MatmulBound(std::vector<double> product, std::vector<double> magnitude);

  size_t size() const { return values_.size(); }
  float value(size_t element) const { return float(values_[element]); }

  /// The region on every value and its further inputs, each of size() elements.
  void applyEpilogue(const Prologue &region, const std::vector<std::vector<float>> &inputs);
  void add(const std::vector<float> &other);

  /// The rule of the output `name` of `type`.
  ToleranceRule rule(std::string name, FloatType type) &&;

private:
  std::vector<double> values_, bounds_;
};

} // namespace mxc
