#include "compiler/reference/MatmulTolerance.h"
#include "compiler/reference/KernelReference.h"
#include "compiler/reference/SumDistance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mxc {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

MatmulBound::MatmulBound(std::vector<double> product, const std::vector<double> &magnitude, int64_t k)
    : values_(std::move(product)) {
  const double relative = relativeSumDistance(k), least = leastSumDistance(k);
  for (size_t i = 0; i < size(); ++i)
    bounds_.push_back(std::isnan(values_[i])   ? 0
                      : magnitude[i] < 0x1p127 ? relative * magnitude[i] + least
                                               : kInfinity);
}

MatmulBound::MatmulBound(std::vector<double> exact) : values_(std::move(exact)), bounds_(values_.size()) {}

static double distance(float a, float b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isfinite(a) && std::isfinite(b) ? std::fabs(double(a) - b) : kInfinity;
}

MatmulBound MatmulBound::after(std::span<const MatmulBound> products, const Prologue &region,
                               const std::vector<std::vector<float>> &inputs, size_t result) {
  const size_t size = products.front().size();
  // Each product in the middle of its interval, or at an end of it, bit by bit of `ends`.
  auto at = [&](std::optional<unsigned> ends, Approximation approximation = Approximation::Nearest) {
    std::vector<std::vector<float>> sums;
    for (const MatmulBound &product : products) {
      const double side = !ends ? 0 : *ends >> sums.size() & 1 ? 1 : -1;
      std::vector<float> &sum = sums.emplace_back(size);
      for (size_t i = 0; i < size; ++i)
        sum[i] = float(side == 0 ? product.values_[i] : product.values_[i] + side * product.bounds_[i]);
    }
    std::vector<std::span<const float>> views(sums.begin(), sums.end());
    views.insert(views.end(), inputs.begin(), inputs.end());
    std::vector<float> results(size);
    region.evaluate(views, results, approximation, result);
    return results;
  };
  const std::vector<float> middle = at({});
  std::vector<std::vector<float>> others; // that the chip may have in place of the middle
  for (unsigned ends = 0; ends < 1u << products.size(); ++ends)
    others.push_back(at(ends));
  if (region.approximates())
    others.push_back(at({}, Approximation::Flushed)), others.push_back(at({}, Approximation::Larger));
  MatmulBound after;
  for (size_t i = 0; i < size; ++i) {
    double reach = 0;
    for (const std::vector<float> &other : others)
      reach = std::max(reach, distance(other[i], middle[i]));
    for (const MatmulBound &product : products)
      if (std::isinf(product.bounds_[i])) reach = kInfinity; // whatever the region makes of it
    double own = std::isfinite(middle[i]) ? (region.isExact() ? 0x1p-22 : 0x1p-12) * std::fabs(middle[i]) : 0;
    after.values_.push_back(middle[i]);
    after.bounds_.push_back(2 * reach + own);
  }
  return after;
}

void MatmulBound::multiply(float factor) {
  for (size_t i = 0; i < size(); ++i) {
    const bool isExact = bounds_[i] == 0;
    values_[i] *= double(factor);
    if (isExact) { // and so is the kernel's product, which it rounds before it adds
      values_[i] = double(float(values_[i]));
      continue;
    }
    if (std::isnan(values_[i]))
      bounds_[i] = std::isinf(bounds_[i]) ? kInfinity : 0;
    else if (!std::isinf(bounds_[i]))
      bounds_[i] = bounds_[i] * std::fabs(factor) + 0x1p-24 * std::fabs(values_[i]) + 0x1p-150;
  }
}

void MatmulBound::add(const std::vector<float> &other) {
  for (size_t i = 0; i < size(); ++i) {
    values_[i] += other[i];
    if (std::isfinite(values_[i])) bounds_[i] += 0x1p-23 * (std::fabs(values_[i]) + 2 * std::fabs(other[i]));
  }
}

static double largestOf(FloatType type) {
  return type == FloatType::BF16 ? 0x1.FEp127 : type == FloatType::F16 ? 65504 : 0x1.FFFFFEp127;
}

bool MatmulBound::allows(size_t element, FloatType type, double found) const {
  const double expected = values_[element], bound = bounds_[element], largest = largestOf(type);
  if (std::isinf(bound)) return true;
  if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
  const double reach = bound + stepOf(type, std::fabs(expected) + bound);
  if (std::isinf(found)) return found > 0 ? expected + reach > largest : expected - reach < -largest;
  if (std::isinf(expected)) return false;
  // All sums that the bound allows are rounded to Inf: no finite value is right.
  if (std::fabs(expected) - bound >= largest + stepOf(type, largest) / 2) return false;
  return std::fabs(found - expected) <= reach;
}

namespace {

class MatmulTolerance : public OutputTolerance {
public:
  MatmulTolerance(std::shared_ptr<const std::vector<MatmulOutput>> outputs, const KernelReference &reference,
                  const HostTensors &found)
      : outputs_(std::move(outputs)), reference_(reference), found_(found) {}

  bool allows(const std::string &name, int64_t element) const override {
    for (const MatmulOutput &output : *outputs_)
      if (output.name == name)
        return !isUntouched(output, element) &&
               output.bound.allows(size_t(element), output.type,
                                   loadFloat(output.type, found_.find(name)->second.data(), element));
    return false;
  }

private:
  bool isUntouched(const MatmulOutput &output, int64_t element) const {
    std::span<const uint8_t> untouched = reference_.untouchedOf(output.name);
    return !untouched.empty() && untouched[size_t(element * byteSize(output.type))];
  }

  std::shared_ptr<const std::vector<MatmulOutput>> outputs_;
  const KernelReference &reference_;
  const HostTensors &found_;
};

} // namespace

ToleranceRule matmulTolerance(std::vector<MatmulOutput> outputs) {
  auto shared = std::make_shared<const std::vector<MatmulOutput>>(std::move(outputs));
  auto make = [shared](const KernelReference &reference,
                       const HostTensors &found) -> std::unique_ptr<OutputTolerance> {
    return std::make_unique<MatmulTolerance>(shared, reference, found);
  };
  return {"the bound of a block-scaled product", make};
}

} // namespace mxc
