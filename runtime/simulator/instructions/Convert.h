// cvt: what its modifiers ask for, and rows whose registers are wider than the type that the instruction
// names.
#pragma once

#include "runtime/simulator/arithmetic/FloatFormats.h"
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/machine/Lanes.h"

namespace mxc::sim {

/// The rounding, and the flags beside it: they fill Instruction::small.
struct ConvertModifiers {
  Rounding rounding = Rounding::NearestEven;
  bool isGiven = false;    // a rounding was written
  bool isIntegral = false; // .rni, .rzi, .rmi, .rpi
  bool flushes = false;    // .ftz
  bool saturates = false;  // .sat
  bool isFinite = false;   // .satfinite
  bool isRelu = false;     // .relu
  bool isScaled = false;   // .scaled::n2::ue8m0
};
constexpr int kRoundingAt = 0, kFlagsAt = 1, kDestinationBytesAt = 2, kSourceBytesAt = 3; // small
enum ConvertFlag : uint8_t { kIntegral = 1, kFlush = 2, kSaturate = 4, kFinite = 8, kRelu = 16 };

/// Names a format for templates; `Bits` holds a pattern.
template <FloatFormat kFormat, class BitsType> struct Floating {
  static constexpr FloatFormat format = kFormat;
  using Bits = BitsType;
};
using F16 = Floating<kF16, uint16_t>;
using Bf16 = Floating<kBf16, uint16_t>;
using F32 = Floating<kF32, uint32_t>;
using F64 = Floating<kF64, uint64_t>;

template <class T> struct BitsOf {
  using Type = T;
};
template <FloatFormat kFormat, class T> struct BitsOf<Floating<kFormat, T>> {
  using Type = T;
};
/// What a lane's value of T is kept in.
template <class T> using LaneBits = typename BitsOf<T>::Type;

/// f.template operator()<uint16_t>() for registers of 2 bytes, and so on.
template <class F> inline void forRegisterType(uint32_t bytes, F f) {
  if (bytes == 1) f.template operator()<uint8_t>();
  if (bytes == 2) f.template operator()<uint16_t>();
  if (bytes == 4) f.template operator()<uint32_t>();
  if (bytes == 8) f.template operator()<uint64_t>();
}

// Registers of another size than the type's are rare, and the types of conversions many: what concerns such
// registers is compiled once a type, out of line.

/// buffer[lane] = the low bits of a row of registers of `bytes`.
template <class T> [[gnu::noinline]] void copyLowBits(Warp &warp, uint32_t row, uint32_t bytes, T *buffer) {
  forRegisterType(bytes, [&]<class Register>() {
    const Register *from = lanes<Register>(warp, row);
    for (int lane = 0; lane < kLanes; ++lane)
      buffer[lane] = T(from[lane]);
  });
}

/// The low bits of a row of registers of `bytes`; as the row lies, where it has just these.
template <class T> inline const T *narrowLanes(Warp &warp, uint32_t row, uint32_t bytes, T *buffer) {
  if (bytes == sizeof(T)) return lanes<T>(warp, row);
  copyLowBits<T>(warp, row, bytes, buffer);
  return buffer;
}

/// d[lane] = values[lane], extended to registers of `bytes` by its sign if T has one (PTX ISA 9.4.1).
template <class T>
[[gnu::noinline]] void setExtended(Warp &warp, uint32_t row, uint32_t bytes, const T *values) {
  forRegisterType(bytes, [&]<class Register>() {
    forLanes<Register>(warp, row, [&](int lane) { return Register(values[lane]); });
  });
}

/// The same of f(lane).
template <class T, class F> inline void forWiderLanes(Warp &warp, uint32_t row, uint32_t bytes, F f) {
  if (bytes == sizeof(T)) return forLanes<T>(warp, row, f);
  T values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = f(lane);
  setExtended<T>(warp, row, bytes, values);
}

/// Conversions that involve packed formats and tf32 (ConvertPacked.cpp). The types are the instruction's
/// words.
bool isPackedConversion(std::string_view to, std::string_view from);
void decodePackedConversion(Decoder &d, Instruction &out, const ConvertModifiers &how, std::string_view to,
                            std::string_view from);
void decodeConvertPack(Decoder &d, Instruction &out); // cvt.pack

} // namespace mxc::sim
