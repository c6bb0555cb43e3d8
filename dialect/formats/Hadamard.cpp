#include "dialect/formats/Hadamard.h"

#include "dialect/formats/Reference.h"

#include <algorithm>
#include <array>

namespace mxc {

static std::array<float, kHadamardElements> transformed(std::span<const float> values) {
  std::array<float, kHadamardElements> t = {};
  std::copy(values.begin(), values.end(), t.begin());
  for (size_t i = 0; i < t.size(); ++i)
    t[i] *= kHadamardSigns >> i & 1 ? -kHadamardFactor : kHadamardFactor;
  for (size_t distance = 1; distance < t.size(); distance *= 2)
    for (size_t i = 0; i < t.size(); ++i)
      if (!(i & distance)) {
        const float a = t[i], b = t[i + distance];
        t[i] = a + b, t[i + distance] = a - b;
      }
  for (float &value : t) {
    uint16_t rounded;
    storeFloat(FloatType::BF16, &rounded, 0, value);
    value = loadFloat(FloatType::BF16, &rounded, 0);
  }
  return t;
}

void hadamardRows(std::span<float> values, int64_t columns) {
  if (columns == 0) return;
  for (size_t row = 0; row < values.size(); row += size_t(columns))
    for (size_t column = 0; column < size_t(columns); column += kHadamardElements) {
      const std::span<float> run =
          values.subspan(row + column, std::min(size_t(columns) - column, size_t(kHadamardElements)));
      const auto results = transformed(run);
      std::copy_n(results.begin(), run.size(), run.begin());
    }
}

} // namespace mxc
