// How peers convert an element and take a maximum, restated without this project's formats.
#pragma once

#include "dialect/formats/ElementFormat.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mxc::test {

/// What a peer quantizes to: OCP 8-bit floating point 1.0, tables 1 and 2.
struct Element {
  ElementFormat format;
  int mantissaBits, bias, largestCode;
  float largest;
};
inline constexpr Element kE4m3 = {ElementFormat::E4M3, 3, 7, 0x7E, 448},
                         kE5m2 = {ElementFormat::E5M2, 2, 15, 0x7B, 57344};

inline std::vector<double> magnitudesOf(const Element &element) {
  std::vector<double> values;
  const int hidden = 1 << element.mantissaBits, least = 1 - element.bias - element.mantissaBits;
  for (int code = 0; code <= element.largestCode; ++code)
    values.push_back(code < hidden ? std::ldexp(code, least)
                                   : std::ldexp(hidden + code % hidden, least + code / hidden - 1));
  return values;
}

/// cvt.rn.satfinite: the nearest of the finite magnitudes, ties to the even code, NaN to 0x7F.
inline int convert(const Element &element, float x) {
  static const std::vector<double> all[] = {magnitudesOf(kE4m3), magnitudesOf(kE5m2)};
  const std::vector<double> &magnitudes = all[element.format == ElementFormat::E5M2];
  if (std::isnan(x)) return 0x7F;
  const double magnitude = std::abs(double(x));
  const auto above = std::lower_bound(magnitudes.begin(), magnitudes.end(), magnitude);
  int code = int(above - magnitudes.begin());
  if (above == magnitudes.end())
    code = element.largestCode;
  else if (code > 0) {
    const double up = *above - magnitude, down = magnitude - magnitudes[size_t(code - 1)];
    if (down < up || (down == up && code % 2 == 1)) --code;
  }
  return code | (std::signbit(x) ? 0x80 : 0);
}

/// max.f32 drops NaN, signalling or quiet (glibc's fmax keeps signalling ones).
inline float maxDroppingNan(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return std::max(a, b);
}

} // namespace mxc::test
