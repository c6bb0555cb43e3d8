// What NVIDIA's f32 and f64 instructions do around the IEEE operation: NaN, .ftz, .sat (PTX ISA 9.7.3).
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>

namespace mxc::sim {

inline constexpr uint32_t kCanonicalNan32 = 0x7fffffff;

inline float flushed(float value) { // subnormal numbers become zeros of their sign
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
inline double flushed(double value) { return value; }

inline float withCanonicalNan(float value) { // in integers: to a C++ compiler one NaN is as good as another
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7fffffff) > 0x7f800000 ? kCanonicalNan32 : bits);
}
inline double withCanonicalNan(double value) { return value; } // f64 keeps payloads: nanOf

/// The NaN of an f64 operation: that of the source b, c or a, the first that is NaN, made quiet; else the
/// default (H200).
inline double nanOf(double a, double b, double c) {
  double source = b != b ? b : c != c ? c : a;
  uint64_t bits = source != source ? std::bit_cast<uint64_t>(source) : uint64_t(0xfff) << 52;
  return std::bit_cast<double>(bits | uint64_t(1) << 51);
}

/// .sat: into [0, 1]; NaN and -0 become +0.
template <class T> inline T saturated(T value) {
  T low = value > 0 ? value : T(0);
  return low < 1 ? low : T(1);
}

template <bool isFlushed, class T> inline T source(T value) { return isFlushed ? flushed(value) : value; }
template <bool isFlushed, bool isSaturated, class T> inline T result(T value) {
  value = isFlushed ? flushed(value) : value;
  return isSaturated ? saturated(value) : withCanonicalNan(value);
}

/// Directed rounding while it lives.
class RoundingScope {
public:
  explicit RoundingScope(int mode) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
};
/// A value that the compiler must take as unknown here: keeps arithmetic inside of a RoundingScope.
template <class T> inline T opaque(T value) {
  asm volatile("" : "+m"(value));
  return value;
}

} // namespace mxc::sim
