#include "compiler/reference/MatmulTolerance.h"
#include "compiler/reference/KernelReference.h"

#include <algorithm>
#include <cmath>

namespace mxc {

MatmulBound::MatmulBound(std::vector<double> product, std::vector<double> magnitude)
    : values_(std::move(product)), bounds_(std::move(magnitude)) {
  for (double &bound : bounds_)
    bound *= 0x1p-12;
}

void MatmulBound::applyEpilogue(const Prologue &region, const std::vector<std::vector<float>> &inputs) {
  auto at = [&](double side) {
    std::vector<float> product(size()), result(size());
    for (size_t i = 0; i < size(); ++i)
      product[i] = float(values_[i] + side * bounds_[i]);
    std::vector<std::span<const float>> views = {product};
    views.insert(views.end(), inputs.begin(), inputs.end());
    region.evaluate(views, result);
    return result;
  };
  std::vector<float> middle = at(0), low = at(-1), high = at(1);
  for (size_t i = 0; i < size(); ++i) {
    double reach = std::max(std::fabs(double(low[i]) - middle[i]), std::fabs(double(high[i]) - middle[i]));
    values_[i] = middle[i];
    bounds_[i] = 2 * reach + (region.isExact() ? 0x1p-22 : 0x1p-12) * std::fabs(middle[i]);
  }
}

void MatmulBound::add(const std::vector<float> &other) {
  for (size_t i = 0; i < size(); ++i) {
    bounds_[i] += 0x1p-23 * (std::fabs(values_[i]) + std::fabs(other[i]));
    values_[i] += other[i];
  }
}

namespace {

double stepOf(FloatType type, double value) { // between neighbours at `value`
  int bits = type == FloatType::BF16  ? 7
             : type == FloatType::F16 ? 10
                                      : 23,
      least = type == FloatType::F16 ? -14 : -126;
  int exponent = value == 0 || !std::isfinite(value) ? least : std::max(least, std::ilogb(value));
  return std::ldexp(1.0, exponent - bits);
}

double largestOf(FloatType type) {
  return type == FloatType::BF16 ? 0x1.FEp127 : type == FloatType::F16 ? 65504 : 0x1.FFFFFEp127;
}

class MatmulTolerance : public OutputTolerance {
public:
  MatmulTolerance(std::string name, FloatType type, const std::vector<double> &values,
                  const std::vector<double> &bounds, std::span<const std::byte> found)
      : name_(std::move(name)), type_(type), values_(values), bounds_(bounds), found_(found) {}

  bool allows(const std::string &name, int64_t element) const override {
    if (name != name_) return false;
    double expected = values_[size_t(element)], bound = bounds_[size_t(element)];
    double found = loadFloat(type_, found_.data(), element);
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
    double reach = bound + stepOf(type_, std::fabs(expected) + bound);
    if (std::isinf(found))
      return found > 0 ? expected + reach > largestOf(type_) : expected - reach < -largestOf(type_);
    if (std::isinf(expected)) return false;
    return std::fabs(found - std::clamp(expected, -largestOf(type_), largestOf(type_))) <= reach;
  }

private:
  std::string name_;
  FloatType type_;
  const std::vector<double> &values_, &bounds_;
  std::span<const std::byte> found_;
};

} // namespace

ToleranceRule MatmulBound::rule(std::string name, FloatType type) && {
  auto bound = std::make_shared<MatmulBound>(std::move(*this));
  auto make = [bound, name, type](const KernelReference &,
                                  const HostTensors &found) -> std::unique_ptr<OutputTolerance> {
    return std::make_unique<MatmulTolerance>(name, type, bound->values_, bound->bounds_,
                                             found.find(name)->second);
  };
  return {"the bound of a block-scaled product", make};
}

} // namespace mxc
