// f16, f16x2, bf16 and bf16x2 arithmetic (PTX ISA 9.7.4): every result is rounded once. A packed row is read
// as twice as many elements.
#include "runtime/simulator/arithmetic/HalfPrecision.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Arithmetic.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cmath>
#include <type_traits>

namespace mxc::sim {

namespace {

using ptx::Type;

// Places in Instruction::small; rows: 0 d, 1 to 3 the sources (those that are not there name the first).
enum Small { kIsPacked, kIsSaturated, kIsRelu, kIsOob };
constexpr int kMostElements = 2 * kLanes;

// The exact result, or one from which a 16-bit format is rounded to as if it were exact: a float or a double
// of more than twice the digits, or one rounded to odd. Products of bf16 can leave float's range; then the
// double is asked.
struct Add {
  template <class T> static T value(T a, T b, T) { return a + b; }
};
struct Sub {
  template <class T> static T value(T a, T b, T) { return a - b; }
};
struct Mul {
  template <class T> static T value(T a, T b, T) { return a * b; }
};
struct Fma {
  template <class T> static T value(T a, T b, T c) { return addToOdd(a * b, c); }
};
struct Exponential {
  static double value(double a, double, double) { return std::exp2(a); }
};
struct HyperbolicTangent {
  static double value(double a, double, double) { return std::tanh(a); }
};
template <class Format, class Op>
constexpr bool kHasProduct =
    std::is_same_v<Format, BF16> && (std::is_same_v<Op, Mul> || std::is_same_v<Op, Fma>);
template <class Op>
constexpr bool kIsTranscendental = std::is_same_v<Op, Exponential> || std::is_same_v<Op, HyperbolicTangent>;

/// Whether a float has the product of these exactly, with room for what is added: not for zeros, which are
/// rare enough.
inline bool isDoubtfulProduct(float a, float b) {
  float magnitude = std::fabs(a * b);
  return !((magnitude > 0x1p-100f) & (magnitude < 0x1p126f)) & (a != 0) & (b != 0);
}

template <class Format, bool isFlushed> uint16_t flushed16(uint16_t bits) {
  return isFlushed && (bits & Format::kInfinity) == 0 ? uint16_t(bits & 0x8000) : bits;
}

void store(Warp &warp, const Instruction &i, const uint16_t *values) {
  if (!i.small[kIsPacked]) return forLanes<uint16_t>(warp, i.rows[0], [=](int lane) { return values[lane]; });
  forLanes<uint32_t>(warp, i.rows[0],
                     [=](int lane) { return values[2 * lane] | uint32_t(values[2 * lane + 1]) << 16; });
}

/// .sat, .relu, .oob, which few instructions have.
template <class Format>
void clamp(const Instruction &i, const uint16_t *a, const uint16_t *b, uint16_t *values, int count) {
  for (int k = 0; k < count; ++k) {
    uint16_t value = values[k];
    bool isNan = isNan16<Format>(value), isNegative = value & 0x8000;
    if (i.small[kIsSaturated]) value = isNan || isNegative ? 0 : value > Format::kOne ? Format::kOne : value;
    if (i.small[kIsRelu]) value = isNan ? kCanonicalNan16 : isNegative ? 0 : value;
    if (i.small[kIsOob] && (isOutOfBoundsNan16(a[k]) || isOutOfBoundsNan16(b[k]))) value = 0;
    values[k] = value;
  }
}

/// 32 elements, by T. False: some of them need a double.
template <class Format, bool isFlushed, class Op, class T>
bool computeElements(const uint16_t *a, const uint16_t *b, const uint16_t *c, uint16_t *values) {
  uint32_t doubtful = 0;
  for (int k = 0; k < kLanes; ++k) {
    float x = Format::widen(flushed16<Format, isFlushed>(a[k])),
          y = Format::widen(flushed16<Format, isFlushed>(b[k])),
          z = Format::widen(flushed16<Format, isFlushed>(c[k]));
    if constexpr (kHasProduct<Format, Op> && sizeof(T) == 4) doubtful |= isDoubtfulProduct(x, y);
    T exact = T(Op::value(T(x), T(y), T(z)));
    uint16_t value = narrow16<Format>(exact);
    values[k] = isFlushed && isTiny16<Format>(float(exact)) ? uint16_t(value & 0x8000) : value;
  }
  return doubtful == 0;
}

template <class Format, bool isFlushed, class Op> Outcome compute(Warp &warp, const Instruction &i) {
  const uint16_t *a = lanes<uint16_t>(warp, i.rows[1]), *b = lanes<uint16_t>(warp, i.rows[2]),
                 *c = lanes<uint16_t>(warp, i.rows[3]);
  uint16_t values[kMostElements];
  int count = i.small[kIsPacked] ? 2 * kLanes : kLanes;
  for (int k = 0; k < count; k += kLanes) {
    if constexpr (!kIsTranscendental<Op>)
      if (computeElements<Format, isFlushed, Op, float>(a + k, b + k, c + k, values + k)) continue;
    computeElements<Format, isFlushed, Op, double>(a + k, b + k, c + k, values + k);
  }
  if (i.small[kIsSaturated] || i.small[kIsRelu] || i.small[kIsOob]) clamp<Format>(i, a, b, values, count);
  store(warp, i, values);
  return Outcome::Next;
}

/// The bits as a number that orders like the values; -0 is less than +0.
inline int16_t order(uint16_t bits) { return int16_t(bits & 0x8000 ? bits ^ 0x7fff : bits); }

/// min, max. A NaN yields to a number, unless NaN wins.
template <class Format, bool isFlushed, bool isMax, bool nanWins, bool isXorSign>
Outcome extreme(Warp &warp, const Instruction &i) {
  const uint16_t *a = lanes<uint16_t>(warp, i.rows[1]), *b = lanes<uint16_t>(warp, i.rows[2]);
  uint16_t values[kMostElements];
  int count = i.small[kIsPacked] ? 2 * kLanes : kLanes;
  for (int first = 0; first < count; first += kLanes)
    for (int k = first; k < first + kLanes; ++k) {
      uint16_t x = flushed16<Format, isFlushed>(a[k]), y = flushed16<Format, isFlushed>(b[k]);
      uint16_t sign = isXorSign ? (x ^ y) & 0x8000 : 0;
      if (isXorSign) x &= 0x7fff, y &= 0x7fff;
      bool isNanX = isNan16<Format>(x), isNanY = isNan16<Format>(y);
      uint16_t picked = (isMax ? order(x) > order(y) : order(x) < order(y)) ? x : y;
      picked = isNanX ? y : picked;
      picked = isNanY ? x : picked;
      bool isNan = nanWins ? bool(isNanX | isNanY) : bool(isNanX & isNanY);
      values[k] = isNan ? kCanonicalNan16 : uint16_t(picked | sign);
    }
  store(warp, i, values);
  return Outcome::Next;
}

template <class Format, bool isFlushed, bool isNegation>
Outcome changeSign(Warp &warp, const Instruction &i) {
  const uint16_t *a = lanes<uint16_t>(warp, i.rows[1]);
  uint16_t values[kMostElements];
  int count = i.small[kIsPacked] ? 2 * kLanes : kLanes;
  for (int k = 0; k < count; ++k) {
    uint16_t x = flushed16<Format, isFlushed>(a[k]);
    values[k] = isNan16<Format>(x) ? kCanonicalNan16 : uint16_t(isNegation ? x ^ 0x8000 : x & 0x7fff);
  }
  store(warp, i, values);
  return Outcome::Next;
}

/// f(Format(), bool_constant): the handler for the instruction's type and .ftz.
template <class F> Handler forFormat(Decoder &d, Instruction &out, size_t sources, F f) {
  bool isFlushed = d.take("ftz");
  Type type = d.takeType();
  bool isBFloat = type.kind == Type::Kind::BFloat;
  if (isBFloat && isFlushed && d.source().opcode != "ex2") d.fail("bf16 has no .ftz here");
  out.small[kIsPacked] = type.isPacked;
  takeOperands(d, out, type, sources);
  for (size_t k = sources + 1; k <= 3; ++k)
    out.rows[k] = out.rows[1];
  if (isBFloat) return isFlushed ? f(BF16(), std::true_type()) : f(BF16(), std::false_type());
  return isFlushed ? f(F16(), std::true_type()) : f(F16(), std::false_type());
}

template <class Op, size_t sources> void decodeOperation(Decoder &d, Instruction &out) {
  d.take("rn");
  out.small[kIsSaturated] = d.take("sat");
  if constexpr (std::is_same_v<Op, Fma>)
    out.small[kIsRelu] = d.take("relu"), out.small[kIsOob] = d.take("oob");
  if (out.small[kIsSaturated] && (d.source().has("bf16") || d.source().has("bf16x2")))
    d.fail(".sat is for f16");
  out.handler = forFormat(d, out, sources,
                          []<class Format, bool isFlushed>(Format, std::bool_constant<isFlushed>) -> Handler {
                            return compute<Format, isFlushed, Op>;
                          });
}

template <class Op> void decodeApproximation(Decoder &d, Instruction &out) {
  if (!d.take("approx")) d.fail("expected .approx");
  out.handler = forFormat(d, out, 1,
                          []<class Format, bool isFlushed>(Format, std::bool_constant<isFlushed>) -> Handler {
                            return compute<Format, isFlushed, Op>;
                          });
}

template <bool isMax> void decodeExtreme(Decoder &d, Instruction &out) {
  bool nanWins = d.take("NaN"), isXorSign = d.take("xorsign");
  if (isXorSign && !d.take("abs")) d.fail("expected .xorsign.abs");
  out.handler = forFormat(
      d, out, 2, [&]<class Format, bool isFlushed>(Format, std::bool_constant<isFlushed>) -> Handler {
        if (nanWins)
          return isXorSign ? extreme<Format, isFlushed, isMax, true, true>
                           : extreme<Format, isFlushed, isMax, true, false>;
        return isXorSign ? extreme<Format, isFlushed, isMax, false, true>
                         : extreme<Format, isFlushed, isMax, false, false>;
      });
}

template <bool isNegation> void decodeSign(Decoder &d, Instruction &out) {
  out.handler = forFormat(d, out, 1,
                          []<class Format, bool isFlushed>(Format, std::bool_constant<isFlushed>) -> Handler {
                            return changeSign<Format, isFlushed, isNegation>;
                          });
}

} // namespace

const Table kHalfArithmetic = {
    {"add", decodeOperation<Add, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"sub", decodeOperation<Sub, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"mul", decodeOperation<Mul, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"fma", decodeOperation<Fma, 3>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"abs", decodeSign<false>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"neg", decodeSign<true>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"min", decodeExtreme<false>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"max", decodeExtreme<true>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"ex2", decodeApproximation<Exponential>, Counted::Float, Unwritten::Lanewise, Order::None},
    {"tanh", decodeApproximation<HyperbolicTangent>, Counted::Float, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
