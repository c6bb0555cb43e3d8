// Approximate functions of f32 and f64 (PTX ISA 9.7.3: .approx, .full). The chip's tables are not published:
// here they are computed in double and rounded, so that what the chip gives exactly (powers of two, whole
// exponents, squares) is exact too.
#include "runtime/simulator/arithmetic/FloatRules.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Arithmetic.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cmath>
#include <numbers>

namespace mxc::sim {

namespace {

using ptx::Type;

struct Reciprocal {
  double operator()(float a) const { return 1.0 / double(a); }
};
struct SquareRoot {
  double operator()(float a) const { return std::sqrt(double(a)); }
};
struct ReciprocalRoot {
  double operator()(float a) const { return 1.0 / std::sqrt(double(a)); }
};
struct Exponential {
  double operator()(float a) const { return std::exp2(double(a)); }
};
struct Logarithm {
  double operator()(float a) const { return std::log2(double(a)); }
};
/// The argument in turns, as on the chip: multiplied by 1 / (2 pi) in f32, toward zero, whole turns dropped.
/// In [0, 1).
inline double turns(float a) {
  double product = std::fabs(double(a)) * 0.15915493667125702; // 1 / (2 pi) as an f32
  float rounded = float(product);
  if (double(rounded) > product) rounded = std::nextafter(rounded, 0.0f);
  return double(rounded) - std::trunc(double(rounded));
}
/// sin(2 pi t), exact at multiples of a quarter.
inline double sineOfTurns(double t) {
  if (t > 0.5) return -sineOfTurns(1 - t);
  if (t > 0.25) return sineOfTurns(0.5 - t);
  return std::sin(t * (2 * std::numbers::pi));
}
struct Sine {
  double operator()(float a) const { return std::copysign(1.0, double(a)) * sineOfTurns(turns(a)); }
};
struct Cosine {
  double operator()(float a) const {
    double t = turns(a) + 0.25;
    return sineOfTurns(t < 1 ? t : t - 1);
  }
};
struct HyperbolicTangent {
  double operator()(float a) const { return std::tanh(double(a)); }
};

template <class F, bool isFlushed> Outcome approximate(Warp &warp, const Instruction &i) {
  const float *a = lanes<float>(warp, i.rows[1]);
  forLanes<float>(warp, i.rows[0],
                  [=](int lane) { return result<isFlushed, false>(float(F{}(source<isFlushed>(a[lane])))); });
  return Outcome::Next;
}

/// div.full: of the whole range. div.approx: a * (1/b), which is 0 (or NaN) where 1/b is below the normal
/// numbers.
template <bool isApproximate, bool isFlushed> struct Quotient {
  float operator()(float a, float b) const {
    a = source<isFlushed>(a), b = source<isFlushed>(b);
    double inverse = 1.0 / double(b);
    if (isApproximate && std::fabs(inverse) < 0x1p-126) inverse = std::copysign(0.0, inverse);
    double quotient = isApproximate && inverse == 0 ? a * inverse : double(a) / double(b);
    return result<isFlushed, false>(float(quotient));
  }
};

/// .ftz.f64: only the upper 32 bits count and are given (9.7.3.13, 9.7.3.17).
template <bool isRoot> struct UpperHalf {
  static double flushed(double value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : value;
  }
  double operator()(double a) const {
    a = flushed(std::bit_cast<double>(std::bit_cast<uint64_t>(a) >> 32 << 32));
    double value = flushed(1.0 / (isRoot ? std::sqrt(a) : a));
    return std::bit_cast<double>(value != value ? uint64_t(0x7fffffff) << 32
                                                : std::bit_cast<uint64_t>(value) >> 32 << 32);
  }
};
struct DoubleReciprocalRoot {
  double operator()(double a) const { return a != a ? nanOf(a, a, a) : 1.0 / std::sqrt(a); }
};

struct Approximation {
  std::string_view opcode;
  Handler plain, flushed;
};
constexpr Approximation kApproximations[] = {
    {"rcp", approximate<Reciprocal, false>, approximate<Reciprocal, true>},
    {"sqrt", approximate<SquareRoot, false>, approximate<SquareRoot, true>},
    {"rsqrt", approximate<ReciprocalRoot, false>, approximate<ReciprocalRoot, true>},
    {"ex2", approximate<Exponential, false>, approximate<Exponential, true>},
    {"lg2", approximate<Logarithm, false>, approximate<Logarithm, true>},
    {"sin", approximate<Sine, false>, approximate<Sine, true>},
    {"cos", approximate<Cosine, false>, approximate<Cosine, true>},
    {"tanh", approximate<HyperbolicTangent, false>, nullptr},
};

void decodeDouble(Decoder &d, Instruction &out, bool isFlushed) {
  if (d.source().opcode == "rcp" && isFlushed)
    out.handler = unary<UpperHalf<false>, double, double>;
  else if (d.source().opcode == "rsqrt")
    out.handler =
        isFlushed ? unary<UpperHalf<true>, double, double> : unary<DoubleReciprocalRoot, double, double>;
  else
    d.fail("not of f64");
  takeOperands(d, out, kTypeF64, 1);
}

} // namespace

void decodeApproximate(Decoder &d, Instruction &out) {
  bool isFull = d.take("full");
  if (!isFull && !d.take("approx")) d.fail("expected .approx");
  bool isFlushed = d.take("ftz");
  Type type = d.takeType();
  if (type == kTypeF64) return decodeDouble(d, out, isFlushed);
  if (d.source().opcode == "div") {
    out.handler = isFull ? (isFlushed ? binary<Quotient<false, true>, float, float>
                                      : binary<Quotient<false, false>, float, float>)
                         : (isFlushed ? binary<Quotient<true, true>, float, float>
                                      : binary<Quotient<true, false>, float, float>);
    return takeOperands(d, out, type, 2);
  }
  for (const Approximation &row : kApproximations)
    if (row.opcode == d.source().opcode && !isFull) out.handler = isFlushed ? row.flushed : row.plain;
  if (!out.handler) d.fail("there is no such approximation");
  takeOperands(d, out, type, 1);
}

extern const Table kApproximateInstructions;
const Table kApproximateInstructions = {
    {"rsqrt", decodeApproximate, Counted::Float, Unwritten::Lanewise, Order::None},
    {"lg2", decodeApproximate, Counted::Float, Unwritten::Lanewise, Order::None},
    {"sin", decodeApproximate, Counted::Float, Unwritten::Lanewise, Order::None},
    {"cos", decodeApproximate, Counted::Float, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
