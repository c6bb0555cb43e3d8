#include "runtime/simulator/async/BulkReduction.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mxc::sim {

namespace {

// Element formats: what lies in memory (Bits), and the values that are computed with.
template <class T> struct Plain {
  using Bits = T;
  using Value = T;
  static T value(T bits) { return bits; }
  static T bits(T value) { return value; }
};
template <class T, class Word> struct Floating {
  using Bits = Word;
  using Value = T;
  static T value(Word bits) { return std::bit_cast<T>(bits); }
  static Word bits(T value) { return std::bit_cast<Word>(value); }
};

/// A 16-bit float of `Exponent` and `Fraction` bits. The sum of two is exact in f64, or innocuously rounded
/// there.
template <int Exponent, int Fraction> struct Half {
  using Bits = uint16_t;
  using Value = double;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1, kMaximum = (1 << Exponent) - 1;

  static double value(uint16_t bits) {
    int exponent = bits >> Fraction & kMaximum, fraction = bits & ((1 << Fraction) - 1);
    double magnitude = exponent == kMaximum ? (fraction ? NAN : INFINITY)
                       : exponent ? std::ldexp(1 + std::ldexp(fraction, -Fraction), exponent - kBias)
                                  : std::ldexp(fraction, 1 - kBias - Fraction);
    return bits >> 15 ? -magnitude : magnitude;
  }
  static uint16_t bits(double value) {
    if (std::isnan(value)) return 0x7fff;
    uint16_t sign = uint16_t(std::signbit(value) << 15);
    double magnitude = std::fabs(value);
    if (std::isinf(magnitude)) return uint16_t(sign | kMaximum << Fraction);
    int exponent = magnitude == 0 ? 1 - kBias : std::max(std::ilogb(magnitude), 1 - kBias);
    // In units of the last place, to nearest even; a carry into the exponent comes out right in the sum.
    auto units = uint32_t(std::nearbyint(std::ldexp(magnitude, Fraction - exponent)));
    uint32_t result = units + (uint32_t(exponent + kBias - 1) << Fraction);
    return uint16_t(sign | std::min<uint32_t>(result, kMaximum << Fraction));
  }
};

using F16 = Half<5, 10>;
using BF16 = Half<8, 7>;
using F32 = Floating<float, uint32_t>;
using F64 = Floating<double, uint64_t>;

struct Add {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
};
/// Sums of f32 keep subnormals and give the canonical NaN, as an H200 does (the manual's "current
/// implementation" flushes).
struct AddF32 {
  static float apply(float a, float b) {
    float sum = a + b;
    return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffu) : sum;
  }
};
/// The .ftz types of tensor maps: subnormal inputs and results become zeros of their sign.
struct AddF32Flushing {
  static float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
  static float apply(float a, float b) { return flush(AddF32::apply(flush(a), flush(b))); }
};
/// An H200 keeps an f64 NaN as it is, even a signalling one; inf - inf is the negative quiet NaN. (That the
/// first operand's NaN wins over the second's is a guess.)
struct AddF64 {
  static double apply(double a, double b) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    double sum = a + b;
    return std::isnan(sum) ? std::bit_cast<double>(0xfff8000000000000u) : sum;
  }
};
/// A NaN loses against a number; -0 is below +0.
struct Minimum {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return b;
      if (std::isnan(b)) return a;
      if (a == b) return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return b;
      if (std::isnan(b)) return a;
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
  }
};
struct Increment {
  template <class T> static T apply(T a, T b) { return a >= b ? 0 : a + 1; }
};
struct Decrement {
  template <class T> static T apply(T a, T b) { return a == 0 || a > b ? b : a - 1; }
};
struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};

template <class Operation, class Format> void reduce(std::byte *to, const std::byte *from, size_t bytes) {
  using Bits = typename Format::Bits;
  for (size_t at = 0; at < bytes; at += sizeof(Bits)) {
    Bits operand;
    std::memcpy(&operand, from + at, sizeof operand);
    // Other clusters run on other host threads.
    std::atomic_ref<Bits> element(*reinterpret_cast<Bits *>(to + at));
    Bits old = element.load(std::memory_order_relaxed), wanted;
    do
      wanted = Format::bits(Operation::apply(Format::value(old), Format::value(operand)));
    while (!element.compare_exchange_weak(old, wanted, std::memory_order_relaxed));
  }
}

struct Entry {
  std::string_view operation, type;
  BulkReduction function;
};

constexpr Entry kEntries[] = {
    {"add", "u32", reduce<Add, Plain<uint32_t>>},
    {"add", "s32", reduce<Add, Plain<int32_t>>},
    {"add", "u64", reduce<Add, Plain<uint64_t>>},
    {"add", "f32.ftz", reduce<AddF32Flushing, F32>},
    {"add", "f16", reduce<Add, F16>},
    {"add", "bf16", reduce<Add, BF16>},
    {"add", "f32", reduce<AddF32, F32>},
    {"add", "f64", reduce<AddF64, F64>},
    {"min", "u32", reduce<Minimum, Plain<uint32_t>>},
    {"min", "s32", reduce<Minimum, Plain<int32_t>>},
    {"min", "u64", reduce<Minimum, Plain<uint64_t>>},
    {"min", "s64", reduce<Minimum, Plain<int64_t>>},
    {"min", "f16", reduce<Minimum, F16>},
    {"min", "bf16", reduce<Minimum, BF16>},
    {"max", "u32", reduce<Maximum, Plain<uint32_t>>},
    {"max", "s32", reduce<Maximum, Plain<int32_t>>},
    {"max", "u64", reduce<Maximum, Plain<uint64_t>>},
    {"max", "s64", reduce<Maximum, Plain<int64_t>>},
    {"max", "f16", reduce<Maximum, F16>},
    {"max", "bf16", reduce<Maximum, BF16>},
    {"inc", "u32", reduce<Increment, Plain<uint32_t>>},
    {"dec", "u32", reduce<Decrement, Plain<uint32_t>>},
    {"and", "b32", reduce<And, Plain<uint32_t>>},
    {"and", "b64", reduce<And, Plain<uint64_t>>},
    {"or", "b32", reduce<Or, Plain<uint32_t>>},
    {"or", "b64", reduce<Or, Plain<uint64_t>>},
    {"xor", "b32", reduce<Xor, Plain<uint32_t>>},
    {"xor", "b64", reduce<Xor, Plain<uint64_t>>},
};

} // namespace

BulkReduction bulkReduction(std::string_view operation, std::string_view type) {
  for (const Entry &entry : kEntries)
    if (entry.operation == operation && entry.type == type) return entry.function;
  return nullptr;
}

} // namespace mxc::sim
