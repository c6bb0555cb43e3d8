// f32, f64 and f32x2 arithmetic with IEEE results: add, sub, mul, fma, div, rcp, sqrt (PTX ISA 9.7.3).
#include "runtime/simulator/arithmetic/FloatRules.h"
#include "runtime/simulator/arithmetic/LaneFma.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Arithmetic.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cmath>

namespace mxc::sim {

namespace {

using ptx::Type;

// An operation of up to three sources. Where its results may be below the normal numbers and inexact,
// kIsScalable says so, and scaled() gives 2^64 times the result.
constexpr float kScale = 0x1p64f;
struct Add {
  static constexpr bool kIsScalable = false;
  template <class T> T operator()(T a, T b, T) const { return a + b; }
};
struct Sub {
  static constexpr bool kIsScalable = false;
  template <class T> T operator()(T a, T b, T) const { return a - b; }
};
struct Mul {
  static constexpr bool kIsScalable = true;
  template <class T> T operator()(T a, T b, T) const { return a * b; }
  static float scaled(float a, float b, float) { return a * kScale * b; }
};
struct Fma {
  static constexpr bool kIsScalable = true;
  template <class T> T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
  static float scaled(float a, float b, float c) { return std::fma(a * kScale, b, c * kScale); }
};
struct Div {
  static constexpr bool kIsScalable = true;
  template <class T> T operator()(T a, T b, T) const { return a / b; }
  static float scaled(float a, float b, float) { return a * kScale / b; }
};
struct Rcp {
  static constexpr bool kIsScalable = true;
  template <class T> T operator()(T a, T, T) const { return T(1) / a; }
  static float scaled(float a, float, float) { return kScale / a; }
};
struct Sqrt {
  static constexpr bool kIsScalable = false;
  template <class T> T operator()(T a, T, T) const { return std::sqrt(a); }
};

/// .ftz makes a result zero that would be below the normal numbers if exponents had no bounds (H200): of
/// those that were rounded up to the smallest normal number, some are. `value` is the rounded result.
constexpr float kSmallestNormal = 0x1p-126f;
template <class Op> float flushedResult(float value, float a, float b, float c) {
  if constexpr (Op::kIsScalable)
    if (std::fabs(value) == kSmallestNormal &&
        std::fabs(opaque(Op::scaled(opaque(a), b, c))) < kSmallestNormal * kScale)
      return std::copysign(0.0f, value);
  return flushed(value);
}

/// The NaN that comes out for a NaN `value`. Division, which the chip computes in software, keeps the first
/// source's.
template <class Op> double withNan(double value, double a, double b, double c) {
  if (value == value) return value;
  return std::is_same_v<Op, Div> ? nanOf(b, a, b) : nanOf(a, b, c);
}
template <class Op> float withNan(float value, float, float, float) { return withCanonicalNan(value); }

constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}; // rn, rz, rm, rp
// Instruction::small: the rounding as an index of kModes, and flags for the handlers that look at them.
enum Small { kRounding, kIsFlushed, kIsSaturated };

// Unused sources name the last one, so that all forms can be read alike.
template <class T, class Op, bool isSaturated> Outcome nearest(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]), *b = lanes<T>(warp, i.rows[2]), *c = lanes<T>(warp, i.rows[3]);
  forLanes<T>(warp, i.rows[0], [=](int lane) {
    T value = Op{}(a[lane], b[lane], c[lane]);
    return isSaturated ? saturated(value) : withNan<Op>(value, a[lane], b[lane], c[lane]);
  });
  return Outcome::Next;
}

/// fma to nearest: all lanes in one call, for which the host has an instruction.
template <class T, bool isSaturated> Outcome nearestFma(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]), *b = lanes<T>(warp, i.rows[2]), *c = lanes<T>(warp, i.rows[3]);
  if constexpr (sizeof(T) == 4 && !isSaturated)
    if (warp.mask == ~0u) return fmaLanesWithNan(lanes<T>(warp, i.rows[0]), a, b, c), Outcome::Next;
  T values[kLanes];
  fmaLanes(values, a, b, c);
  const T *v = values;
  forLanes<T>(warp, i.rows[0], [=](int lane) {
    return isSaturated ? saturated(v[lane]) : withNan<Fma>(v[lane], a[lane], b[lane], c[lane]);
  });
  return Outcome::Next;
}

/// .ftz to nearest.
template <class Op, bool isSaturated> Outcome nearestFlushed(Warp &warp, const Instruction &i) {
  const float *a = lanes<float>(warp, i.rows[1]), *b = lanes<float>(warp, i.rows[2]),
              *c = lanes<float>(warp, i.rows[3]);
  float x[kLanes], y[kLanes], z[kLanes], values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    x[lane] = flushed(a[lane]), y[lane] = flushed(b[lane]), z[lane] = flushed(c[lane]);
  if constexpr (std::is_same_v<Op, Fma>) {
    fmaLanes(values, x, y, z);
  } else {
    for (int lane = 0; lane < kLanes; ++lane)
      values[lane] = Op{}(x[lane], y[lane], z[lane]);
  }
  uint32_t doubtful = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    doubtful |= std::fabs(values[lane]) == kSmallestNormal;
  for (int lane = 0; doubtful && lane < kLanes; ++lane)
    values[lane] = flushedResult<Op>(values[lane], x[lane], y[lane], z[lane]);
  const float *v = values;
  forLanes<float>(warp, i.rows[0], [=](int lane) {
    float value = flushed(v[lane]);
    return isSaturated ? saturated(value) : withCanonicalNan(value);
  });
  return Outcome::Next;
}

template <class T, class Op> Outcome directed(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]), *b = lanes<T>(warp, i.rows[2]), *c = lanes<T>(warp, i.rows[3]);
  bool isFlushed = i.small[kIsFlushed], isSaturated = i.small[kIsSaturated];
  RoundingScope scope(kModes[i.small[kRounding]]);
  forLanes<T>(warp, i.rows[0], [=](int lane) {
    T x = a[lane], y = b[lane], z = c[lane];
    if (isFlushed) x = flushed(x), y = flushed(y), z = flushed(z);
    T value = opaque(Op{}(opaque(x), opaque(y), opaque(z)));
    if constexpr (sizeof(T) == 4)
      if (isFlushed) value = flushedResult<Op>(value, x, y, z);
    return isSaturated ? saturated(value) : withNan<Op>(value, x, y, z);
  });
  return Outcome::Next;
}

/// f32x2: both halves of a 64-bit register.
template <class Op> Outcome pairs(Warp &warp, const Instruction &i) {
  const float *a = lanes<float>(warp, i.rows[1]), *b = lanes<float>(warp, i.rows[2]),
              *c = lanes<float>(warp, i.rows[3]);
  bool isFlushed = i.small[kIsFlushed];
  float values[2 * kLanes];
  RoundingScope scope(kModes[i.small[kRounding]]);
  for (int k = 0; k < 2 * kLanes; ++k) {
    float x = a[k], y = b[k], z = c[k];
    if (isFlushed) x = flushed(x), y = flushed(y), z = flushed(z);
    float value = opaque(Op{}(opaque(x), opaque(y), opaque(z)));
    values[k] = withCanonicalNan(isFlushed ? flushedResult<Op>(value, x, y, z) : value);
  }
  const float *v = values;
  forLanes<uint64_t>(warp, i.rows[0], [=](int lane) {
    return uint64_t(std::bit_cast<uint32_t>(v[2 * lane + 1])) << 32 | std::bit_cast<uint32_t>(v[2 * lane]);
  });
  return Outcome::Next;
}
template <class Op> Outcome nearestPairs(Warp &warp, const Instruction &i) {
  const float *a = lanes<float>(warp, i.rows[1]), *b = lanes<float>(warp, i.rows[2]),
              *c = lanes<float>(warp, i.rows[3]);
  float values[2 * kLanes];
  if constexpr (std::is_same_v<Op, Fma>) {
    fmaLanes(values, a, b, c, 2 * kLanes);
  } else {
    for (int k = 0; k < 2 * kLanes; ++k)
      values[k] = Op{}(a[k], b[k], c[k]);
  }
  for (int k = 0; k < 2 * kLanes; ++k)
    values[k] = withCanonicalNan(values[k]);
  const float *v = values;
  forLanes<uint64_t>(warp, i.rows[0], [=](int lane) {
    uint64_t pair;
    __builtin_memcpy(&pair, v + 2 * lane, 8);
    return pair;
  });
  return Outcome::Next;
}

template <class T, class Op> Handler handlerOf(const Instruction &out) {
  if (out.small[kRounding] != 0) return directed<T, Op>;
  bool isSaturated = out.small[kIsSaturated];
  if (out.small[kIsFlushed]) return isSaturated ? nearestFlushed<Op, true> : nearestFlushed<Op, false>;
  if constexpr (std::is_same_v<Op, Fma>)
    return isSaturated ? nearestFma<T, true> : nearestFma<T, false>;
  else
    return isSaturated ? nearest<T, Op, true> : nearest<T, Op, false>;
}

void takeSources(Decoder &d, Instruction &out, Type type, size_t sources) {
  takeOperands(d, out, type, sources);
  for (size_t k = sources + 1; k <= 3; ++k)
    out.rows[k] = out.rows[sources];
}

/// The rounding as an index of kModes. Without one: to nearest even.
uint8_t takeRounding(Decoder &d) {
  constexpr std::string_view kNames[] = {"rn", "rz", "rm", "rp"};
  for (uint8_t mode = 0; mode < 4; ++mode)
    if (d.take(kNames[mode])) return mode;
  return 0;
}

template <class Op, size_t sources> void decodeIeee(Decoder &d, Instruction &out) {
  out.small[kRounding] = takeRounding(d);
  out.small[kIsFlushed] = d.take("ftz");
  out.small[kIsSaturated] = d.take("sat");
  if (d.take("f32x2")) {
    if (out.small[kIsSaturated]) d.fail(".sat is not for .f32x2");
    out.handler = out.small[kRounding] || out.small[kIsFlushed] ? pairs<Op> : nearestPairs<Op>;
    return takeSources(d, out, kTypeB64, sources);
  }
  Type type = d.takeType();
  if (type == kTypeF64 && (out.small[kIsFlushed] || out.small[kIsSaturated]))
    d.fail("f64 has no .ftz and no .sat");
  out.handler = type == kTypeF64 ? handlerOf<double, Op>(out) : handlerOf<float, Op>(out);
  takeSources(d, out, type, sources);
}

/// add, sub, fma: also with 16-bit sources and an f32 result.
template <class Op, size_t sources> void decodeMixable(Decoder &d, Instruction &out) {
  if (d.source().has("f32") && (d.source().has("f16") || d.source().has("bf16"))) return decodeMixed(d, out);
  decodeIeee<Op, sources>(d, out);
}

/// div, rcp, sqrt: IEEE where a rounding is given, otherwise approximate.
template <class Op, size_t sources> void decodeApproximable(Decoder &d, Instruction &out) {
  if (d.source().has("approx") || d.source().has("full")) return decodeApproximate(d, out);
  if (d.source().has("f32x2")) d.fail("there is no .f32x2 of this");
  decodeIeee<Op, sources>(d, out);
}

} // namespace

static const std::vector<Requirement> kMixable = {
    {"sm_100", "f32x2"}, {"sm_100", "f32.f16"}, {"sm_100", "f32.bf16"}};
static const Requirement kPairs = {"sm_100", "f32x2"},
                         kThreeSources = {.target = "sm_100", .form = "f32", .operands = 4};

const Table kFloatArithmetic = {
    // mad: since sm_20
    {"add", decodeMixable<Add, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None, kMixable},
    {"sub", decodeMixable<Sub, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None, kMixable},
    {"mul", decodeIeee<Mul, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None, {kPairs}},
    {"fma", decodeMixable<Fma, 3>, Counted::TypedFloat, Unwritten::Lanewise, Order::None, kMixable},
    {"mad", decodeIeee<Fma, 3>, Counted::TypedFloat, Unwritten::Lanewise, Order::None, {kPairs}},
    {"div", decodeApproximable<Div, 2>, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"abs", decodeFloatSign, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"neg", decodeFloatSign, Counted::TypedFloat, Unwritten::Lanewise, Order::None},
    {"min", decodeFloatMinMax, Counted::TypedFloat, Unwritten::Lanewise, Order::None, {kThreeSources}},
    {"max", decodeFloatMinMax, Counted::TypedFloat, Unwritten::Lanewise, Order::None, {kThreeSources}},
    {"ex2", decodeApproximate, Counted::Float, Unwritten::Lanewise, Order::None},
    {"tanh", decodeApproximate, Counted::Float, Unwritten::Lanewise, Order::None},
};

extern const Table kFloatInstructions;
const Table kFloatInstructions = {
    {"rcp", decodeApproximable<Rcp, 1>, Counted::Float, Unwritten::Lanewise, Order::None},
    {"sqrt", decodeApproximable<Sqrt, 1>, Counted::Float, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
