#include "runtime/measure/Timing.h"

#include <algorithm>
#include <cmath>

namespace mxc::measure {

/// The value below which a `part` of the sorted values lies, interpolated between neighbours.
static double quantile(const std::vector<double> &sorted, double part) {
  if (sorted.empty()) return 0;
  const double place = part * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(place), above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

static std::vector<double> sorted(std::vector<double> values) {
  std::ranges::sort(values);
  return values;
}

double Timing::median() const { return quantile(sorted(micros), 0.5); }
double Timing::best() const { return quantile(sorted(micros), 0); }

double Timing::spread() const {
  const std::vector<double> values = sorted(micros);
  const double middle = quantile(values, 0.5);
  return middle > 0 ? (quantile(values, 0.75) - quantile(values, 0.25)) / middle : 0;
}

} // namespace mxc::measure
