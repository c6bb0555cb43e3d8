#include "tests/unit/prologue/NarrowOperations.h"

#include <bit>
#include <cmath>
#include <limits>

double roundedTo(const FloatShape &shape, double value) {
  if (!std::isfinite(value) || value == 0 || shape.digits == 53) return value;
  int exponent = std::max(std::ilogb(value), shape.minExponent) - (shape.digits - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
  if (std::abs(rounded) < std::ldexp(2.0, shape.maxExponent)) return rounded;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

uint16_t narrowBits(const FloatShape &shape, double value) {
  if (std::isnan(value)) return 0x7FFF;
  int mantissaBits = shape.digits - 1;
  auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  auto infinity = static_cast<uint16_t>((shape.maxExponent - shape.minExponent + 2) << mantissaBits);
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  int exponent = std::max(std::ilogb(value), shape.minExponent);
  // A normal value's hidden bit adds 1 to the exponent's field.
  auto digits = static_cast<int>(std::ldexp(std::abs(value), mantissaBits - exponent));
  return static_cast<uint16_t>(sign | (((exponent - shape.minExponent) << mantissaBits) + digits));
}

namespace {

using Shape = const FloatShape &;

template <typename Operation> double inWide(double x, double y, Shape wide, Operation operation) {
  return wide.digits == 53 ? operation(x, y) : double(operation(float(x), float(y)));
}
double larger(double x, double y) { return x == y ? (std::signbit(x) ? y : x) : std::fmax(x, y); }
double smaller(double x, double y) { return x == y ? (std::signbit(x) ? x : y) : std::fmin(x, y); }
bool unordered(double x, double y) { return std::isnan(x) || std::isnan(y); }
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The upper 32 bits of an f64, all of an f32.
int32_t integerOf(double x, Shape wide) {
  return wide.digits == 53 ? static_cast<int32_t>(std::bit_cast<uint64_t>(x) >> 32)
                           : std::bit_cast<int32_t>(float(x));
}
int16_t shortOf(double x, Shape wide) { return static_cast<int16_t>(integerOf(x, wide) >> 16); }

constexpr NarrowOperation kOperations[] = {
    {"addf", "%v = arith.addf %x, %y : W\n",
     [](double x, double y, Shape w) { return inWide(x, y, w, [](auto a, auto b) { return a + b; }); }},
    {"subf", "%v = arith.subf %x, %y : W\n",
     [](double x, double y, Shape w) { return inWide(x, y, w, [](auto a, auto b) { return a - b; }); }},
    {"mulf", "%v = arith.mulf %x, %y : W\n",
     [](double x, double y, Shape w) { return inWide(x, y, w, [](auto a, auto b) { return a * b; }); }},
    {"divf", "%v = arith.divf %x, %y : W\n",
     [](double x, double y, Shape w) { return inWide(x, y, w, [](auto a, auto b) { return a / b; }); }},
    {"mulf by a constant", "%c = arith.constant 0.25 : W\n%v = arith.mulf %x, %c : W\n",
     [](double x, double, Shape w) {
       return inWide(x, x, w, [](auto a, auto) { return a * decltype(a)(0.25); });
     }},
    {"divf of a constant", "%c = arith.constant 1.0 : W\n%v = arith.divf %c, %y : W\n",
     [](double, double y, Shape w) { return inWide(y, y, w, [](auto a, auto) { return 1 / a; }); }},
    {"negf of a product", "%p = arith.mulf %x, %y : W\n%v = arith.negf %p : W\n",
     [](double x, double y, Shape w) { return inWide(x, y, w, [](auto a, auto b) { return -(a * b); }); }},
    {"fma", "%v = math.fma %x, %y, %x : W\n",
     [](double x, double y, Shape w) {
       return inWide(x, y, w, [](auto a, auto b) { return std::fma(a, b, a); });
     }},
    {"sqrt of a sum", "%p = arith.addf %x, %y : W\n%a = math.absf %p : W\n%v = math.sqrt %a : W\n",
     [](double x, double y, Shape w) {
       return inWide(x, y, w, [](auto a, auto b) { return std::sqrt(std::abs(a + b)); });
     }},
    {"maximumf", "%v = arith.maximumf %x, %y : W\n",
     [](double x, double y, Shape) { return unordered(x, y) ? kNan : larger(x, y); }},
    {"minimumf", "%v = arith.minimumf %x, %y : W\n",
     [](double x, double y, Shape) { return unordered(x, y) ? kNan : smaller(x, y); }},
    {"maxnumf", "%v = arith.maxnumf %x, %y : W\n", [](double x, double y, Shape) { return larger(x, y); }},
    {"minnumf", "%v = arith.minnumf %x, %y : W\n", [](double x, double y, Shape) { return smaller(x, y); }},
    {"select", "%c = arith.cmpf olt, %x, %y : W\n%v = arith.select %c, %x, %y : W\n",
     [](double x, double y, Shape) { return x < y ? x : y; }},
    {"copysign", "%v = math.copysign %x, %y : W\n",
     [](double x, double y, Shape) { return std::copysign(x, y); }},
    {"product of bf16 and f16",
     "%b = arith.truncf %x : W to bf16\n%h = arith.truncf %y : W to f16\n%c = arith.extf %b : bf16 to W\n"
     "%d = arith.extf %h : f16 to W\n%v = arith.mulf %c, %d : W\n",
     [](double x, double y, Shape w) {
       return inWide(roundedTo(kBf16, x), roundedTo(kF16, y), w, [](auto a, auto b) { return a * b; });
     }},
    {"sum of a truncated product",
     "%p = arith.mulf %x, %y : W\n%b = arith.truncf %p : W to bf16\n%d = arith.extf %b : bf16 to W\n"
     "%v = arith.addf %d, %x : W\n",
     [](double x, double y, Shape w) {
       double product = inWide(x, y, w, [](auto a, auto b) { return a * b; });
       return inWide(roundedTo(kBf16, product), x, w, [](auto a, auto b) { return a + b; });
     }},
    {"sitofp", "%v = arith.sitofp %xi : i32 to W\n",
     [](double x, double, Shape w) { return roundedTo(w, integerOf(x, w)); }},
    {"uitofp", "%v = arith.uitofp %yi : i32 to W\n",
     [](double, double y, Shape w) { return roundedTo(w, uint32_t(integerOf(y, w))); }},
    {"sitofp to bf16", "%n = arith.sitofp %xi : i32 to bf16\n%v = arith.extf %n : bf16 to W\n",
     [](double x, double, Shape w) { return roundedTo(kBf16, integerOf(x, w)); }},
    {"product of integers",
     "%f = arith.sitofp %xs : i16 to W\n%g = arith.sitofp %ys : i16 to W\n%v = arith.mulf %f, %g : W\n",
     [](double x, double y, Shape w) {
       return inWide(shortOf(x, w), shortOf(y, w), w, [](auto a, auto b) { return a * b; });
     }},
    {"difference of integers",
     "%f = arith.sitofp %xs : i16 to W\n%g = arith.uitofp %ys : i16 to W\n%v = arith.subf %f, %g : W\n",
     [](double x, double y, Shape w) {
       return inWide(shortOf(x, w), uint16_t(shortOf(y, w)), w, [](auto a, auto b) { return a - b; });
     }},
};

} // namespace

std::span<const NarrowOperation> narrowOperations() { return kOperations; }
