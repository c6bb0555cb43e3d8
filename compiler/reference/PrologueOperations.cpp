#include "compiler/reference/PrologueOperations.h"

#include "dialect/formats/Reference.h"

#include <bit>
#include <cmath>

namespace mxc {

namespace {

using I = PrologueInstruction;
using X = const uint64_t *;

constexpr double kFlushMargin = 0x1p-14;   // above the relative error of approximations that flush
constexpr double kTangentMargin = 0x1p-10; // tanh.approx: at most 2^-11 off, as the PTX manual says

float f(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

/// A float result, rounded to the instruction's type. bf16 and f16 sums, products and quotients in f32 round
/// to the same bits as directly: f32 has more than twice their digits.
uint64_t result(const I &i, float value) {
  if (i.type.kind != PrologueType::Kind::F32) {
    FloatType type = i.type.kind == PrologueType::Kind::BF16 ? FloatType::BF16 : FloatType::F16;
    uint16_t narrow;
    storeFloat(type, &narrow, 0, value);
    value = loadFloat(type, &narrow, 0);
  }
  return std::bit_cast<uint32_t>(value);
}

/// An integer as a float, rounded once. bf16 goes through an f32 that is rounded to odd: f32 has more than
/// two digits more. (f16's range ends where f32 still holds every integer.)
template <typename Integer> uint64_t fromInteger(const I &i, Integer value) {
  float nearest = static_cast<float>(value);
  if (i.type.kind == PrologueType::Kind::BF16 && __int128(nearest) != value) {
    bool isAway = nearest < 0 ? __int128(nearest) < value : __int128(nearest) > value;
    uint32_t magnitude = std::bit_cast<uint32_t>(nearest) - isAway; // towards zero
    nearest = std::bit_cast<float>(magnitude | 1);
  }
  return result(i, nearest);
}

uint64_t masked(const I &i, uint64_t value) {
  return i.type.bits >= 64 ? value : value & ((uint64_t(1) << i.type.bits) - 1);
}

int64_t extended(uint64_t value, const PrologueType &type) { // sign-extended
  unsigned shift = 64 - type.bits;
  return static_cast<int64_t>(value << shift) >> shift;
}
int64_t s(const I &i, uint64_t value) { return extended(value, i.operandType); }

// Both order -0 below +0, as PTX's min and max do; they differ in what a NaN does.
float larger(float a, float b) { return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b; }
float smaller(float a, float b) { return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b; }
float maximum(float a, float b) { return a != a ? a : b != b ? b : larger(a, b); }
float minimum(float a, float b) { return a != a ? a : b != b ? b : smaller(a, b); }
float maxnum(float a, float b) { return a != a ? b : b != b ? a : larger(a, b); }
float minnum(float a, float b) { return a != a ? b : b != b ? a : smaller(a, b); }

/// arith.cmpf: 0 never, 15 always. The ordered ones are sets of == (1), > (2), < (4): OEQ 1, OGT 2, OGE 3,
/// OLT 4, OLE 5, ONE 6, ORD 7; UEQ 8 to UNE 13 are the sets 1 to 6 or unordered; UNO is 14.
uint64_t compareFloats(const I &i, X x) {
  float a = f(x[0]), b = f(x[1]);
  if (i.predicate == 0 || i.predicate == 15) return i.predicate == 15;
  if (a != a || b != b) return i.predicate >= 8;
  if (i.predicate == 14) return 0;
  unsigned ordered = i.predicate >= 8 ? i.predicate - 7 : i.predicate;
  unsigned relation = a == b ? 1 : a > b ? 2 : 4;
  return (ordered & relation) != 0;
}

uint64_t compareIntegers(const I &i, X x) {
  int64_t a = s(i, x[0]), b = s(i, x[1]);
  switch (i.predicate) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  case 5:
    return a >= b;
  case 6:
    return x[0] < x[1];
  case 7:
    return x[0] <= x[1];
  case 8:
    return x[0] > x[1];
  default:
    return x[0] >= x[1];
  }
}

/// Between floats and integers of one width: bf16 and f16 are held as f32.
uint64_t bitcast(const I &i, X x) {
  auto narrow = [](const PrologueType &type) {
    return type.kind == PrologueType::Kind::BF16 || type.kind == PrologueType::Kind::F16;
  };
  auto format = [](const PrologueType &type) {
    return type.kind == PrologueType::Kind::BF16 ? FloatType::BF16 : FloatType::F16;
  };
  uint64_t bits = x[0];
  if (narrow(i.operandType)) {
    uint16_t half;
    storeFloat(format(i.operandType), &half, 0, f(bits));
    bits = half;
  }
  if (!narrow(i.type)) return bits;
  uint16_t half = static_cast<uint16_t>(bits);
  return std::bit_cast<uint32_t>(loadFloat(format(i.type), &half, 0));
}

double d(uint64_t bits) { return f(bits); }
double reciprocalRoot(double value) { return 1 / std::sqrt(value); }
uint64_t rounded(const I &i, double value) { return result(i, static_cast<float>(value)); }

/// Operands and results of the approximations `.approx.ftz`.
double flushed(const I &i, double value) {
  double limit = 0x1p-126 * (i.approximation == Approximation::Flushed ? 1 + kFlushMargin : 1 - kFlushMargin);
  return std::abs(value) < limit ? std::copysign(0.0, value) : value;
}
/// `Function` of what lowering/ApproximateMath.cpp hands to the chip.
template <double (*Function)(double)> uint64_t approximated(const I &i, X x) {
  return rounded(i, flushed(i, Function(flushed(i, d(x[0])))));
}
uint64_t approximateQuotient(const I &i, X x) {
  float reciprocal = static_cast<float>(flushed(i, 1 / flushed(i, d(x[1]))));
  return result(i, f(x[0]) * reciprocal);
}

uint64_t approximateTangent(const I &i, X x) { // keeps subnormals
  double value = std::tanh(d(x[0]));
  return rounded(i, i.approximation == Approximation::Larger ? value * (1 + kTangentMargin) : value);
}

constexpr bool kExact = true, kApproximate = false;

constexpr PrologueOperation kOperations[] = {
    {"arith.addf", [](const I &i, X x) { return result(i, f(x[0]) + f(x[1])); }, kExact},
    {"arith.subf", [](const I &i, X x) { return result(i, f(x[0]) - f(x[1])); }, kExact},
    {"arith.mulf", [](const I &i, X x) { return result(i, f(x[0]) * f(x[1])); }, kExact},
    {"arith.divf", [](const I &i, X x) { return result(i, f(x[0]) / f(x[1])); }, kExact, approximateQuotient},
    {"arith.remf", [](const I &i, X x) { return result(i, std::fmod(f(x[0]), f(x[1]))); }, kExact},
    {"arith.negf", [](const I &, X x) { return x[0] ^ 0x80000000; }, kExact},
    {"arith.maximumf", [](const I &i, X x) { return result(i, maximum(f(x[0]), f(x[1]))); }, kExact},
    {"arith.minimumf", [](const I &i, X x) { return result(i, minimum(f(x[0]), f(x[1]))); }, kExact},
    {"arith.maxnumf", [](const I &i, X x) { return result(i, maxnum(f(x[0]), f(x[1]))); }, kExact},
    {"arith.minnumf", [](const I &i, X x) { return result(i, minnum(f(x[0]), f(x[1]))); }, kExact},
    {"arith.cmpf", compareFloats, kExact},
    {"arith.select", [](const I &, X x) { return x[0] ? x[1] : x[2]; }, kExact},
    {"arith.extf", [](const I &, X x) { return x[0]; }, kExact},
    {"arith.truncf", [](const I &i, X x) { return result(i, f(x[0])); }, kExact},
    {"arith.bitcast", bitcast, kExact},
    {"arith.sitofp", [](const I &i, X x) { return fromInteger(i, s(i, x[0])); }, kExact},
    {"arith.uitofp", [](const I &i, X x) { return fromInteger(i, x[0]); }, kExact},

    {"arith.cmpi", compareIntegers, kExact},
    {"arith.addi", [](const I &i, X x) { return masked(i, x[0] + x[1]); }, kExact},
    {"arith.subi", [](const I &i, X x) { return masked(i, x[0] - x[1]); }, kExact},
    {"arith.muli", [](const I &i, X x) { return masked(i, x[0] * x[1]); }, kExact},
    {"arith.andi", [](const I &, X x) { return x[0] & x[1]; }, kExact},
    {"arith.ori", [](const I &, X x) { return x[0] | x[1]; }, kExact},
    {"arith.xori", [](const I &, X x) { return x[0] ^ x[1]; }, kExact},
    {"arith.shli", [](const I &i, X x) { return x[1] < i.type.bits ? masked(i, x[0] << x[1]) : 0; }, kExact},
    {"arith.shrui", [](const I &i, X x) { return x[1] < i.type.bits ? x[0] >> x[1] : 0; }, kExact},
    {"arith.shrsi",
     [](const I &i, X x) { return x[1] < i.type.bits ? masked(i, uint64_t(s(i, x[0]) >> x[1])) : 0; },
     kExact},
    {"arith.maxsi", [](const I &i, X x) { return s(i, x[0]) > s(i, x[1]) ? x[0] : x[1]; }, kExact},
    {"arith.minsi", [](const I &i, X x) { return s(i, x[0]) < s(i, x[1]) ? x[0] : x[1]; }, kExact},
    {"arith.maxui", [](const I &, X x) { return x[0] > x[1] ? x[0] : x[1]; }, kExact},
    {"arith.minui", [](const I &, X x) { return x[0] < x[1] ? x[0] : x[1]; }, kExact},
    {"arith.extui", [](const I &, X x) { return x[0]; }, kExact},
    {"arith.extsi", [](const I &i, X x) { return masked(i, uint64_t(s(i, x[0]))); }, kExact},
    {"arith.trunci", [](const I &i, X x) { return masked(i, x[0]); }, kExact},

    {"math.absf", [](const I &, X x) { return x[0] & 0x7FFFFFFF; }, kExact},
    {"math.copysign", [](const I &, X x) { return (x[0] & 0x7FFFFFFF) | (x[1] & 0x80000000); }, kExact},
    {"math.fma", [](const I &i, X x) { return result(i, std::fma(f(x[0]), f(x[1]), f(x[2]))); }, kExact},
    {"math.sqrt", [](const I &i, X x) { return result(i, std::sqrt(f(x[0]))); }, kExact},
    {"math.floor", [](const I &i, X x) { return result(i, std::floor(f(x[0]))); }, kExact},
    {"math.ceil", [](const I &i, X x) { return result(i, std::ceil(f(x[0]))); }, kExact},
    {"math.trunc", [](const I &i, X x) { return result(i, std::trunc(f(x[0]))); }, kExact},
    {"math.round", [](const I &i, X x) { return result(i, std::round(f(x[0]))); }, kExact},
    {"math.roundeven", [](const I &i, X x) { return result(i, std::nearbyint(f(x[0]))); }, kExact},

    {"math.exp", [](const I &i, X x) { return rounded(i, std::exp(d(x[0]))); }, kApproximate,
     approximated<std::exp>},
    {"math.exp2", [](const I &i, X x) { return rounded(i, std::exp2(d(x[0]))); }, kApproximate,
     approximated<std::exp2>},
    {"math.expm1", [](const I &i, X x) { return rounded(i, std::expm1(d(x[0]))); }, kApproximate},
    {"math.log", [](const I &i, X x) { return rounded(i, std::log(d(x[0]))); }, kApproximate,
     approximated<std::log>},
    {"math.log2", [](const I &i, X x) { return rounded(i, std::log2(d(x[0]))); }, kApproximate,
     approximated<std::log2>},
    {"math.log10", [](const I &i, X x) { return rounded(i, std::log10(d(x[0]))); }, kApproximate},
    {"math.log1p", [](const I &i, X x) { return rounded(i, std::log1p(d(x[0]))); }, kApproximate},
    {"math.rsqrt", [](const I &i, X x) { return rounded(i, reciprocalRoot(d(x[0]))); }, kApproximate,
     approximated<reciprocalRoot>},
    {"math.cbrt", [](const I &i, X x) { return rounded(i, std::cbrt(d(x[0]))); }, kApproximate},
    {"math.powf", [](const I &i, X x) { return rounded(i, std::pow(d(x[0]), d(x[1]))); }, kApproximate},
    {"math.tanh", [](const I &i, X x) { return rounded(i, std::tanh(d(x[0]))); }, kApproximate,
     approximateTangent},
    {"math.sinh", [](const I &i, X x) { return rounded(i, std::sinh(d(x[0]))); }, kApproximate},
    {"math.cosh", [](const I &i, X x) { return rounded(i, std::cosh(d(x[0]))); }, kApproximate},
    {"math.sin", [](const I &i, X x) { return rounded(i, std::sin(d(x[0]))); }, kApproximate},
    {"math.cos", [](const I &i, X x) { return rounded(i, std::cos(d(x[0]))); }, kApproximate},
    {"math.tan", [](const I &i, X x) { return rounded(i, std::tan(d(x[0]))); }, kApproximate},
    {"math.atan", [](const I &i, X x) { return rounded(i, std::atan(d(x[0]))); }, kApproximate},
    {"math.atan2", [](const I &i, X x) { return rounded(i, std::atan2(d(x[0]), d(x[1]))); }, kApproximate},
    {"math.erf", [](const I &i, X x) { return rounded(i, std::erf(d(x[0]))); }, kApproximate},
    {"math.erfc", [](const I &i, X x) { return rounded(i, std::erfc(d(x[0]))); }, kApproximate},
};

} // namespace

const PrologueOperation *prologueOperationNamed(std::string_view name) {
  for (const PrologueOperation &operation : kOperations)
    if (operation.name == name) return &operation;
  return nullptr;
}

} // namespace mxc
