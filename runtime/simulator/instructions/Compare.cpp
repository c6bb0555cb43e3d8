// Comparison and selection (PTX ISA 9.7.6, 9.7.7; 9.7.3.1 testp).
#include "runtime/simulator/arithmetic/FloatRules.h"
#include "runtime/simulator/arithmetic/HalfPrecision.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cmath>
#include <type_traits>

namespace mxc::sim {

namespace {

using ptx::Type;

/// An operator by which relations it holds in.
struct Comparison {
  std::string_view name;
  bool less, equal, greater, unordered;
  bool isFloat;
};
constexpr Comparison kComparisons[] = {
    {"eq", false, true, false, false, false}, {"ne", true, false, true, false, false},
    {"lt", true, false, false, false, false}, {"le", true, true, false, false, false},
    {"gt", false, false, true, false, false}, {"ge", false, true, true, false, false},
    {"lo", true, false, false, false, false}, {"ls", true, true, false, false, false},
    {"hi", false, false, true, false, false}, {"hs", false, true, true, false, false},
    {"equ", false, true, false, true, true},  {"neu", true, false, true, true, true},
    {"ltu", true, false, false, true, true},  {"leu", true, true, false, true, true},
    {"gtu", false, false, true, true, true},  {"geu", false, true, true, true, true},
    {"num", true, true, true, false, true},   {"nan", false, false, false, true, true},
};

enum class Combination : uint8_t { None, And, Or, Xor };

// Places in Instruction::small; rows: 0 d or p, 1 a, 2 b, 3 c of a combination, 4 q.
enum Small { kLess, kEqual, kGreater, kUnordered, kCombination, kNegated, kHasSecond };

// How a source's element is read as something that < and == take.
template <class T> struct Plain {
  using Stored = T;
  static T value(T stored) { return stored; }
};
struct Flushed32 {
  using Stored = float;
  static float value(float stored) { return flushed(stored); }
};
template <class Format, bool isFlushed> struct Half {
  using Stored = uint16_t;
  static float value(uint16_t stored) {
    return Format::widen(isFlushed && (stored & Format::kInfinity) == 0 ? uint16_t(stored & 0x8000) : stored);
  }
};

/// The lanes in which the operator holds, of elements at a[stride * lane + first].
template <class Source>
uint32_t compareLanes(Warp &warp, const Instruction &i, int stride = 1, int first = 0) {
  const auto *a = lanes<typename Source::Stored>(warp, i.rows[1]) + first,
             *b = lanes<typename Source::Stored>(warp, i.rows[2]) + first;
  bool less = i.small[kLess], equal = i.small[kEqual], greater = i.small[kGreater],
       unordered = i.small[kUnordered];
  return laneMask([=](int lane) {
    auto x = Source::value(a[lane * stride]), y = Source::value(b[lane * stride]);
    bool holds = ((x < y) & less) | ((x == y) & equal) | ((x > y) & greater);
    if constexpr (std::is_floating_point_v<decltype(x)>) holds |= ((x != x) | (y != y)) & unordered;
    return holds;
  });
}

uint32_t combined(Warp &warp, const Instruction &i, uint32_t mask) {
  if (Combination(i.small[kCombination]) == Combination::None) return mask;
  uint32_t c = predicate(warp, i.rows[3]) ^ (i.small[kNegated] ? ~0u : 0);
  switch (Combination(i.small[kCombination])) {
  case Combination::And:
    return mask & c;
  case Combination::Or:
    return mask | c;
  default:
    return mask ^ c;
  }
}

void setPredicate(Warp &warp, uint32_t row, uint32_t mask) {
  uint32_t &p = predicate(warp, row);
  p = (p & ~warp.mask) | (mask & warp.mask);
}

/// p = (a op b), combined; q = the opposite, combined.
template <class Source> Outcome compareToPredicate(Warp &warp, const Instruction &i) {
  uint32_t holds = compareLanes<Source>(warp, i), p = combined(warp, i, holds), q = combined(warp, i, ~holds);
  setPredicate(warp, i.rows[0], p);
  if (i.small[kHasSecond]) setPredicate(warp, i.rows[4], q);
  return Outcome::Next;
}

/// f16x2, bf16x2: p is of the low halves, q of the high ones.
template <class Source> Outcome comparePairToPredicates(Warp &warp, const Instruction &i) {
  uint32_t p = combined(warp, i, compareLanes<Source>(warp, i, 2, 0)),
           q = combined(warp, i, compareLanes<Source>(warp, i, 2, 1));
  setPredicate(warp, i.rows[0], p);
  if (i.small[kHasSecond]) setPredicate(warp, i.rows[4], q);
  return Outcome::Next;
}

/// set: `immediate` where it holds, else 0.
template <class Source, class D> Outcome compareToValue(Warp &warp, const Instruction &i) {
  uint32_t holds = combined(warp, i, compareLanes<Source>(warp, i));
  D value = D(i.immediate);
  forLanes<D>(warp, i.rows[0], [=](int lane) { return holds >> lane & 1 ? value : D(0); });
  return Outcome::Next;
}
template <class Source> Outcome comparePairToValue(Warp &warp, const Instruction &i) {
  uint32_t low = combined(warp, i, compareLanes<Source>(warp, i, 2, 0)),
           high = combined(warp, i, compareLanes<Source>(warp, i, 2, 1)), value = uint32_t(i.immediate);
  forLanes<uint32_t>(warp, i.rows[0], [=](int lane) {
    return (low >> lane & 1 ? value : 0) | (high >> lane & 1 ? value << 16 : 0);
  });
  return Outcome::Next;
}

enum class Result { Predicate, Value16, Value32 };

template <class Source> Handler handlerOf(Result result) {
  switch (result) {
  case Result::Predicate:
    return compareToPredicate<Source>;
  case Result::Value16:
    return compareToValue<Source, uint16_t>;
  case Result::Value32:
    return compareToValue<Source, uint32_t>;
  }
  return nullptr;
}

template <class Format> Handler handlerOfHalf(Type type, bool isFlushed, Result result) {
  using Flushing = Half<Format, true>;
  using Keeping = Half<Format, false>;
  if (!type.isPacked) return isFlushed ? handlerOf<Flushing>(result) : handlerOf<Keeping>(result);
  if (result == Result::Predicate)
    return isFlushed ? comparePairToPredicates<Flushing> : comparePairToPredicates<Keeping>;
  return isFlushed ? comparePairToValue<Flushing> : comparePairToValue<Keeping>;
}

Handler comparisonHandler(Decoder &d, Type type, bool isFlushed, Result result) {
  if (type.kind == Type::Kind::BFloat) return handlerOfHalf<BF16>(type, false, result);
  if (type.kind == Type::Kind::Float) {
    if (type.isPacked || type.bits == 16) return handlerOfHalf<F16>(type, isFlushed, result);
    if (type.bits == 64) return handlerOf<Plain<double>>(result);
    return isFlushed ? handlerOf<Flushed32>(result) : handlerOf<Plain<float>>(result);
  }
  return forIntegerType(d, type, [&]<class T>(T) { return handlerOf<Plain<T>>(result); });
}

void takeComparison(Decoder &d, Instruction &out) {
  for (const Comparison &comparison : kComparisons)
    if (d.take(comparison.name)) {
      out.small[kLess] = comparison.less, out.small[kEqual] = comparison.equal;
      // ne is an ordered operator on floats: false for NaN.
      out.small[kGreater] = comparison.greater, out.small[kUnordered] = comparison.unordered;
      if (d.take("and"))
        out.small[kCombination] = uint8_t(Combination::And);
      else if (d.take("or"))
        out.small[kCombination] = uint8_t(Combination::Or);
      else if (d.take("xor"))
        out.small[kCombination] = uint8_t(Combination::Xor);
      return;
    }
  d.fail("expected a comparison operator");
}

bool isFloat(Type type) { return type.kind == Type::Kind::Float || type.kind == Type::Kind::BFloat; }

/// Sources a, b and, for a combination, c.
void takeSources(Decoder &d, Instruction &out, Type type) {
  d.finish();
  if (!isFloat(type))
    for (const Comparison &comparison : kComparisons)
      if (comparison.isFloat && d.source().has(comparison.name)) d.fail("this operator compares floats");
  out.rows[1] = d.read(1, type);
  out.rows[2] = d.read(2, type);
  if (out.small[kCombination] != 0) {
    bool isNegated = false;
    out.rows[3] = d.readPredicate(3, isNegated);
    out.small[kNegated] = isNegated;
  }
}

void decodeSetp(Decoder &d, Instruction &out) {
  takeComparison(d, out);
  bool isFlushed = d.take("ftz");
  Type type = d.takeType();
  out.handler = comparisonHandler(d, type, isFlushed, Result::Predicate);
  takeSources(d, out, type);
  if (d.operand(0).kind != ptx::Operand::Kind::Pair) {
    out.rows[0] = d.write(0, kTypePredicate);
    return;
  }
  out.small[kHasSecond] = true;
  out.rows[0] = d.write(d.operand(0).parts.at(0), kTypePredicate).offset;
  out.rows[4] = d.write(d.operand(0).parts.at(1), kTypePredicate).offset;
}

/// What set gives for "true": all ones of an integer, 1.0 of a float; of pairs, in each half.
int64_t valueOfTrue(Decoder &d, Type type, bool arePairs) {
  if (type.kind == Type::Kind::BFloat) return BF16::kOne;
  if (type.kind == Type::Kind::Float) return type.bits == 16 || type.isPacked ? F16::kOne : 0x3f800000;
  if (type.bits > 32) d.fail("the result has 16 or 32 bits");
  return arePairs ? 0xffff : -1;
}

void decodeSet(Decoder &d, Instruction &out) {
  takeComparison(d, out);
  bool isFlushed = d.take("ftz");
  Type result = d.takeType(), type = d.takeType();
  bool isMask = type.isPacked && result.bits == 32 && !isFloat(result);
  if ((result.isPacked != type.isPacked && !isMask) || result.bits > 32) d.fail("not between these types");
  out.immediate = valueOfTrue(d, result, type.isPacked);
  out.handler = comparisonHandler(d, type, isFlushed, result.bits == 16 ? Result::Value16 : Result::Value32);
  takeSources(d, out, type);
  out.rows[0] = d.write(0, result);
}

template <class T> Outcome select(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]), *b = lanes<T>(warp, i.rows[2]);
  uint32_t p = predicate(warp, i.rows[3]) ^ (i.small[kNegated] ? ~0u : 0);
  forLanes<T>(warp, i.rows[0], [=](int lane) { return p >> lane & 1 ? a[lane] : b[lane]; });
  return Outcome::Next;
}

void decodeSelp(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  bool isNegated = false;
  out.handler = type.bits == 16   ? select<uint16_t>
                : type.bits == 32 ? select<uint32_t>
                : type.bits == 64 ? select<uint64_t>
                                  : nullptr;
  if (!out.handler) d.fail("a value of 16, 32 or 64 bits is expected");
  d.finish();
  out.rows[1] = d.read(1, type), out.rows[2] = d.read(2, type);
  out.rows[3] = d.readPredicate(3, isNegated);
  out.small[kNegated] = isNegated;
  out.rows[0] = d.write(0, type);
}

/// slct: a where c >= 0 (-0 is, NaN is not), else b.
template <bool isFlushed> struct Choose {
  template <class T, class C> T operator()(T a, T b, C c) const {
    if constexpr (isFlushed) c = flushed(c);
    return c >= 0 ? a : b;
  }
};

void decodeSlct(Decoder &d, Instruction &out) {
  bool isFlushed = d.take("ftz");
  Type type = d.takeType(), selector = d.takeType();
  d.finish();
  if (selector.bits != 32 || (selector.kind != Type::Kind::Signed && selector.kind != Type::Kind::Float))
    d.fail("the selector is .s32 or .f32");
  bool isSigned = selector.kind == Type::Kind::Signed;
  auto choose = [&]<class T>(T) -> Handler {
    if (isSigned) return ternary<Choose<false>, T, T, T, int32_t>;
    return isFlushed ? ternary<Choose<true>, T, T, T, float> : ternary<Choose<false>, T, T, T, float>;
  };
  switch (type.bits) {
  case 16:
    out.handler = choose(uint16_t());
    break;
  case 32:
    out.handler = choose(uint32_t());
    break;
  case 64:
    out.handler = choose(uint64_t());
    break;
  default:
    d.fail("a value of 16, 32 or 64 bits is expected");
  }
  out.rows[1] = d.read(1, type), out.rows[2] = d.read(2, type), out.rows[3] = d.read(3, selector);
  out.rows[0] = d.write(0, type);
}

/// testp: which of the five classes of a float, by their order here, answer "true".
enum FloatClass { kNan, kInfinite, kZero, kNormal, kSubnormal };
struct Test {
  std::string_view name;
  uint32_t classes;
};
constexpr Test kTests[] = {
    {"finite", 1 << kZero | 1 << kNormal | 1 << kSubnormal},
    {"infinite", 1 << kInfinite},
    {"number", 1 << kInfinite | 1 << kZero | 1 << kNormal | 1 << kSubnormal},
    {"notanumber", 1 << kNan},
    {"normal", 1 << kNormal | 1 << kZero}, // zero counts as normal
    {"subnormal", 1 << kSubnormal},
};

template <class T> Outcome testFloat(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]);
  int64_t classes = i.immediate;
  forPredicate(warp, i.rows[0], [=](int lane) {
    switch (std::fpclassify(a[lane])) {
    case FP_NAN:
      return classes >> kNan & 1;
    case FP_INFINITE:
      return classes >> kInfinite & 1;
    case FP_ZERO:
      return classes >> kZero & 1;
    case FP_NORMAL:
      return classes >> kNormal & 1;
    default:
      return classes >> kSubnormal & 1;
    }
  });
  return Outcome::Next;
}

void decodeTestp(Decoder &d, Instruction &out) {
  bool isKnown = false;
  for (const Test &test : kTests)
    if (d.take(test.name)) out.immediate = test.classes, isKnown = true;
  Type type = d.takeType();
  if (!isKnown || (type != kTypeF32 && type != kTypeF64)) d.fail("expected a test of .f32 or .f64");
  d.finish();
  out.handler = type.bits == 32 ? testFloat<float> : testFloat<double>;
  out.rows[1] = d.read(1, type);
  out.rows[0] = d.write(0, kTypePredicate);
}

/// copysign: b with the sign of a.
template <class T> struct CopySign {
  T operator()(T a, T b) const {
    constexpr T kSign = T(1) << (8 * sizeof(T) - 1);
    return (a & kSign) | (b & ~kSign);
  }
};

void decodeCopySign(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  if (type != kTypeF32 && type != kTypeF64) d.fail("expected .f32 or .f64");
  out.handler = type.bits == 32 ? binary<CopySign<uint32_t>, uint32_t, uint32_t>
                                : binary<CopySign<uint64_t>, uint64_t, uint64_t>;
  takeOperands(d, out, type, 2);
}

} // namespace

extern const Table kCompareInstructions;
const Table kCompareInstructions = {
    {"setp",
     decodeSetp,
     Counted::Compare,
     {Unwritten::Lanewise, {{"and", Unwritten::And}, {"or", Unwritten::Or}}},
     Order::None},
    {"set", decodeSet, Counted::Compare, Unwritten::Lanewise, Order::None},
    {"selp", decodeSelp, Counted::Compare, Unwritten::Select, Order::None},
    {"slct", decodeSlct, Counted::Compare, Unwritten::Lanewise, Order::None},
    {"testp", decodeTestp, Counted::Float, Unwritten::Lanewise, Order::None},
    {"copysign", decodeCopySign, Counted::Float, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
