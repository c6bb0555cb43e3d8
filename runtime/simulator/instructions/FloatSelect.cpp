// abs, neg, min and max of f32 and f64 (PTX ISA 9.7.3.7 to 9.7.3.12).
#include "runtime/simulator/arithmetic/FloatRules.h"
#include "runtime/simulator/instructions/Arithmetic.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cmath>
#include <type_traits>

namespace mxc::sim {

namespace {

using ptx::Type;

template <class T> using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <class T> constexpr BitsOf<T> kSign = BitsOf<T>(1) << (8 * sizeof(T) - 1);

template <bool isNegation, bool isFlushed> struct Sign {
  template <class T> T operator()(T a) const {
    BitsOf<T> bits = std::bit_cast<BitsOf<T>>(source<isFlushed>(a));
    T value = std::bit_cast<T>(isNegation ? bits ^ kSign<T> : bits & ~kSign<T>);
    if constexpr (sizeof(T) == 8) return value != value ? nanOf(a, a, a) : value;
    return withCanonicalNan(value);
  }
};

/// The lesser or greater; -0 is less than +0. A NaN yields to a number, unless NaN wins.
template <bool isMax, bool nanWins, class T> T extreme(T a, T b) {
  using Bits = BitsOf<T>;
  Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
  bool isFirst = isMax ? a > b : a < b;
  Bits picked = isFirst ? x : y;
  picked = a == b ? (isMax ? x & y : x | y) : picked; // equal: only the signs of zeros can differ
  if constexpr (nanWins) {
    picked = a != a ? x : picked;
    picked = b != b ? y : picked;
  } else {
    picked = b != b ? x : picked;
  }
  return std::bit_cast<T>(picked);
}

template <class T, bool isMax, bool nanWins, bool isFlushed> struct Extreme {
  T operator()(T a, T b) const {
    T value = extreme<isMax, nanWins>(source<isFlushed>(a), source<isFlushed>(b));
    if constexpr (sizeof(T) == 8) return value != value ? nanOf(a, b, b) : value;
    return withCanonicalNan(value);
  }
};
/// .xorsign.abs: of the magnitudes, with the product's sign.
template <class T, bool isMax, bool nanWins, bool isFlushed> struct ExtremeXorSign {
  T operator()(T a, T b) const {
    using Bits = BitsOf<T>;
    Bits sign = (std::bit_cast<Bits>(a) ^ std::bit_cast<Bits>(b)) & kSign<T>;
    T value = Extreme<T, isMax, nanWins, isFlushed>{}(std::fabs(a), std::fabs(b));
    Bits bits = std::bit_cast<Bits>(value);
    return std::bit_cast<T>(value == value ? bits | sign : bits);
  }
};
template <class T, bool isMax, bool nanWins, bool isFlushed> struct Extreme3 {
  T operator()(T a, T b, T c) const {
    T first = extreme<isMax, nanWins>(source<isFlushed>(a), source<isFlushed>(b));
    return withCanonicalNan(extreme<isMax, nanWins>(first, source<isFlushed>(c)));
  }
};
template <class T, bool isMax, bool nanWins, bool isFlushed> struct Extreme3Abs {
  T operator()(T a, T b, T c) const {
    return Extreme3<T, isMax, nanWins, isFlushed>{}(std::fabs(a), std::fabs(b), std::fabs(c));
  }
};

enum class Form { Two, XorSign, Three, ThreeAbs };

template <bool isMax, bool nanWins, bool isFlushed> Handler handlerOf(Form form) {
  switch (form) {
  case Form::Two:
    return binary<Extreme<float, isMax, nanWins, isFlushed>, float, float>;
  case Form::XorSign:
    return binary<ExtremeXorSign<float, isMax, nanWins, isFlushed>, float, float>;
  case Form::Three:
    return ternary<Extreme3<float, isMax, nanWins, isFlushed>, float, float>;
  case Form::ThreeAbs:
    return ternary<Extreme3Abs<float, isMax, nanWins, isFlushed>, float, float>;
  }
  return nullptr;
}
template <bool isMax> Handler handlerOf(Form form, bool nanWins, bool isFlushed) {
  if (nanWins) return isFlushed ? handlerOf<isMax, true, true>(form) : handlerOf<isMax, true, false>(form);
  return isFlushed ? handlerOf<isMax, false, true>(form) : handlerOf<isMax, false, false>(form);
}

template <bool isNegation> Handler signHandler(Type type, bool isFlushed) {
  if (type.bits == 64) return unary<Sign<isNegation, false>, double, double>;
  return isFlushed ? unary<Sign<isNegation, true>, float, float>
                   : unary<Sign<isNegation, false>, float, float>;
}

} // namespace

void decodeFloatSign(Decoder &d, Instruction &out) {
  bool isFlushed = d.take("ftz");
  Type type = d.takeType();
  if (type.bits == 64 && isFlushed) d.fail("f64 has no .ftz");
  out.handler =
      d.source().opcode == "neg" ? signHandler<true>(type, isFlushed) : signHandler<false>(type, isFlushed);
  takeOperands(d, out, type, 1);
}

void decodeFloatMinMax(Decoder &d, Instruction &out) {
  bool isMax = d.source().opcode == "max", isFlushed = d.take("ftz"), nanWins = d.take("NaN");
  bool isXorSign = d.take("xorsign"), isAbs = d.take("abs"), isThree = d.operandCount() == 4;
  Type type = d.takeType();
  if (type == kTypeF64) {
    if (isFlushed || nanWins || isAbs || isXorSign || isThree) d.fail("f64 has only the plain form");
    out.handler = isMax ? binary<Extreme<double, true, false, false>, double, double>
                        : binary<Extreme<double, false, false, false>, double, double>;
    return takeOperands(d, out, type, 2);
  }
  if (isThree ? isXorSign : isXorSign != isAbs) d.fail("expected .xorsign.abs, or .abs with three sources");
  Form form = isThree ? (isAbs ? Form::ThreeAbs : Form::Three) : isXorSign ? Form::XorSign : Form::Two;
  out.handler =
      isMax ? handlerOf<true>(form, nanWins, isFlushed) : handlerOf<false>(form, nanWins, isFlushed);
  takeOperands(d, out, type, isThree ? 3 : 2);
}

} // namespace mxc::sim
