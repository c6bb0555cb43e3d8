// cvt between integers, f16, bf16, f32 and f64 (PTX ISA 9.7.9.21). What the document leaves open is as an
// H200 answers.
#include "runtime/simulator/instructions/Convert.h"

#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mxc::sim {

namespace {

template <class T> constexpr bool kIsFloating = false;
template <FloatFormat kFormat, class T> constexpr bool kIsFloating<Floating<kFormat, T>> = true;

struct How {
  Rounding rounding;
  uint8_t flags;
  bool has(ConvertFlag flag) const { return flags & flag; }
};

double toIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

constexpr bool isF32Subnormal(uint32_t bits) { return (bits & 0x7f800000) == 0; }

/// The value of a source. .ftz concerns only f32, and those that become f16 are not flushed (measured: .rm
/// and .rp show it).
template <class D, class S> double valueOf(LaneBits<S> bits, const How &how) {
  if constexpr (std::is_same_v<S, F32> && !std::is_same_v<D, F16>)
    if (how.has(kFlush) && isF32Subnormal(bits)) bits &= 0x80000000;
  return decode(S::format, bits);
}

/// Between f64 and another format a NaN keeps its sign and what fits of its payload, as a quiet one;
/// elsewhere it becomes the canonical one (measured; PTX leaves it open).
template <class D, class S> LaneBits<D> convertNan(LaneBits<S> source, const How &how) {
  if (how.has(kSaturate)) return 0;
  constexpr bool keepsPayload = std::is_same_v<D, F64> || std::is_same_v<S, F64>;
  if (!keepsPayload) return LaneBits<D>(D::format.nan());
  if (std::is_same_v<S, F32> && how.has(kFlush)) source = LaneBits<S>(S::format.nan());
  constexpr int kShift = D::format.mantissaBits - S::format.mantissaBits;
  uint64_t mantissa = source & ((uint64_t(1) << S::format.mantissaBits) - 1);
  uint64_t payload = kShift >= 0 ? mantissa << std::max(kShift, 0) : mantissa >> std::max(-kShift, 0);
  uint64_t sign = source & S::format.signBit() ? D::format.signBit() : 0;
  return LaneBits<D>(sign | D::format.infinity() | uint64_t(1) << (D::format.mantissaBits - 1) | payload);
}

/// .sat: to [0, 1], NaN and -0 become +0.
double saturated(double value) { return value > 0 ? std::min(value, 1.0) : 0.0; }

template <class D, class S> LaneBits<D> convertOne(LaneBits<S> source, const How &how) {
  if constexpr (kIsFloating<D> && kIsFloating<S>) {
    if (S::format.isNan(source)) return convertNan<D, S>(source, how);
    double value = valueOf<D, S>(source, how);
    if (how.has(kIntegral)) value = toIntegral(value, how.rounding);
    if (how.has(kSaturate)) value = saturated(value);
    if (how.has(kRelu) && value <= 0) value = 0; // -0 too; NaN stays
    LaneBits<D> bits = LaneBits<D>(encode(D::format, value, {how.rounding, how.has(kFinite)}));
    if constexpr (std::is_same_v<D, F32>)
      if (how.has(kFlush) && isF32Subnormal(bits)) bits &= 0x80000000;
    return bits;
  } else if constexpr (kIsFloating<D>) {
    bool isNegative = std::is_signed_v<S> && source < S(0);
    uint64_t magnitude = isNegative ? 0 - uint64_t(source) : uint64_t(source);
    if (how.has(kSaturate))
      isNegative ? (magnitude = 0, isNegative = false) : magnitude = std::min<uint64_t>(magnitude, 1);
    return LaneBits<D>(encode(D::format, isNegative, magnitude, 0, {how.rounding}));
  } else if constexpr (kIsFloating<S>) {
    double value = valueOf<D, S>(source, how);
    if (std::isnan(value)) {
      bool isZero = !std::is_same_v<S, F64> && sizeof(D) != 8;
      return isZero ? D(0) : D(uint64_t(1) << (8 * sizeof(D) - 1));
    }
    value = toIntegral(value, how.rounding);
    constexpr double kEnd =
        2.0 * double(uint64_t(1) << (std::numeric_limits<D>::digits - 1)); // one above the largest
    if (value >= kEnd) return std::numeric_limits<D>::max();
    if (value < double(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    return D(value);
  } else {
    if (!how.has(kSaturate)) return D(source);
    if (std::cmp_less(source, std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    if (std::cmp_greater(source, std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    return D(source);
  }
}

constexpr int kDestination = 0, kSource = 1; // rows

/// With any modifiers. There are 144 pairs of types: each has the conversion of a lane in its code once.
template <class D, class S> Outcome convert(Warp &warp, const Instruction &i) {
  const How how{Rounding(i.small[kRoundingAt]), i.small[kFlagsAt]};
  LaneBits<S> buffer[kLanes];
  LaneBits<D> values[kLanes];
  const LaneBits<S> *a = narrowLanes<LaneBits<S>>(warp, i.rows[kSource], i.small[kSourceBytesAt], buffer);
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = convertOne<D, S>(a[lane], how);
  setExtended<LaneBits<D>>(warp, i.rows[kDestination], i.small[kDestinationBytesAt], values);
  return Outcome::Next;
}

/// Without modifiers that matter, in a form that vectorizes; exact for the pairs of fastHandlerOf.
template <class D, class S, class F> Outcome convertFast(Warp &warp, const Instruction &i) {
  LaneBits<S> buffer[kLanes];
  const LaneBits<S> *a = narrowLanes<LaneBits<S>>(warp, i.rows[kSource], i.small[kSourceBytesAt], buffer);
  forWiderLanes<LaneBits<D>>(warp, i.rows[kDestination], i.small[kDestinationBytesAt],
                             [=](int lane) { return F{}(a[lane]); });
  return Outcome::Next;
}

template <class D> struct Plain { // integers: truncation or extension
  template <class S> D operator()(S source) const { return D(source); }
};
struct IntegerToF32 { // the host rounds to nearest even
  template <class S> uint32_t operator()(S source) const { return std::bit_cast<uint32_t>(float(source)); }
};
struct F16ToF32 {
  uint32_t operator()(uint16_t half) const {
    uint32_t magnitude = uint32_t(half & 0x7fff) << 13, sign = uint32_t(half & 0x8000) << 16;
    uint32_t scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
    scaled = int32_t(magnitude) >= 0x0f800000 ? magnitude | 0x7f800000 : scaled;
    return int32_t(magnitude) > 0x0f800000 ? 0x7fffffff : scaled | sign;
  }
};
struct Bf16ToF32 { // the hardware shifts: a NaN keeps its payload
  uint32_t operator()(uint16_t bits) const { return uint32_t(bits) << 16; }
};
template <FloatFormat kFormat> struct F32ToSmall {
  uint16_t operator()(uint32_t bits) const { return uint16_t(encodeNearest<kFormat, false>(bits)); }
};
struct F32ToF64 { // the host too quiets a NaN and keeps its payload
  uint64_t operator()(uint32_t bits) const {
    return std::bit_cast<uint64_t>(double(std::bit_cast<float>(bits)));
  }
};
struct F64ToF32 {
  uint32_t operator()(uint64_t bits) const {
    return std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
  }
};
struct F32ToS32 { // toward zero
  int32_t operator()(uint32_t bits) const {
    float value = std::bit_cast<float>(bits), low = value > -0x1p31f ? value : -0x1p31f;
    int32_t result = int32_t(low < 0x1p31f ? low : 0.0f);
    result = value >= 0x1p31f ? std::numeric_limits<int32_t>::max() : result;
    return value != value ? 0 : result;
  }
};

Handler fastHandlerOf(std::string_view to, std::string_view from, const ConvertModifiers &how) {
  if (how.flushes || how.saturates || how.isFinite || how.isRelu || (how.isIntegral && to[0] != 's'))
    return nullptr;
  struct Fast {
    std::string_view to, from;
    Rounding rounding;
    Handler handler;
  };
  using enum Rounding;
  static const Fast kFast[] = {
      {"f32", "s32", NearestEven, convertFast<F32, int32_t, IntegerToF32>},
      {"f32", "u32", NearestEven, convertFast<F32, uint32_t, IntegerToF32>},
      {"f32", "f16", NearestEven, convertFast<F32, F16, F16ToF32>},
      {"f32", "bf16", NearestEven, convertFast<F32, Bf16, Bf16ToF32>},
      {"f16", "f32", NearestEven, convertFast<F16, F32, F32ToSmall<kF16>>},
      {"bf16", "f32", NearestEven, convertFast<Bf16, F32, F32ToSmall<kBf16>>},
      {"f64", "f32", NearestEven, convertFast<F64, F32, F32ToF64>},
      {"f32", "f64", NearestEven, convertFast<F32, F64, F64ToF32>},
      {"s32", "f32", Zero, convertFast<int32_t, F32, F32ToS32>},
      {"f16", "f16", NearestEven, convertFast<uint16_t, uint16_t, Plain<uint16_t>>},
      {"bf16", "bf16", NearestEven, convertFast<uint16_t, uint16_t, Plain<uint16_t>>},
      {"f32", "f32", NearestEven, convertFast<uint32_t, uint32_t, Plain<uint32_t>>},
      {"f64", "f64", NearestEven, convertFast<uint64_t, uint64_t, Plain<uint64_t>>},
  };
  for (const Fast &fast : kFast)
    if (fast.to == to && fast.from == from && fast.rounding == how.rounding) return fast.handler;
  return nullptr;
}

template <class D, class S> Handler handlerFor(const ConvertModifiers &how) {
  if constexpr (!kIsFloating<D> && !kIsFloating<S>)
    if (!how.saturates) return convertFast<D, S, Plain<D>>;
  return convert<D, S>;
}

/// f.template operator()<T>() for the type of that name.
template <class F> Handler forTypeNamed(const Decoder &d, std::string_view name, F f) {
  if (name == "u8") return f.template operator()<uint8_t>();
  if (name == "s8") return f.template operator()<int8_t>();
  if (name == "u16") return f.template operator()<uint16_t>();
  if (name == "s16") return f.template operator()<int16_t>();
  if (name == "u32") return f.template operator()<uint32_t>();
  if (name == "s32") return f.template operator()<int32_t>();
  if (name == "u64") return f.template operator()<uint64_t>();
  if (name == "s64") return f.template operator()<int64_t>();
  if (name == "f16") return f.template operator()<F16>();
  if (name == "bf16") return f.template operator()<Bf16>();
  if (name == "f32") return f.template operator()<F32>();
  if (name == "f64") return f.template operator()<F64>();
  d.fail("'." + std::string(name) + "' is no type that cvt converts");
}

bool isFloating(ptx::Type type) {
  return type.kind == ptx::Type::Kind::Float || type.kind == ptx::Type::Kind::BFloat;
}

/// The modifiers that PTX allows for a pair of scalar types.
void checkModifiers(const Decoder &d, const ConvertModifiers &how, ptx::Type to, ptx::Type from) {
  bool toFloat = isFloating(to), fromFloat = isFloating(from);
  bool isNarrowing = to.bits < from.bits || (to.bits == 16 && from.bits == 16 && to != from);
  if (toFloat != fromFloat && !how.isGiven) d.fail("a rounding modifier is missing");
  if (toFloat && fromFloat && to.bits < from.bits && !how.isGiven) d.fail("a rounding modifier is missing");
  if (how.rounding == Rounding::NearestAway || how.rounding == Rounding::Stochastic)
    d.fail("no such rounding for these types");
  if (how.isIntegral && (toFloat ? to != from : !fromFloat))
    d.fail("no rounding to an integer between these types");
  if (how.isGiven && !how.isIntegral && !(toFloat && (!fromFloat || isNarrowing)))
    d.fail("nothing is rounded between these types");
  bool isF32 = fromFloat ? from.bits == 32 || (toFloat && to.bits == 32) : toFloat && to.bits == 32;
  if (how.flushes && !isF32) d.fail(".ftz concerns f32 only");
  if ((how.isRelu || how.isFinite) && !(toFloat && fromFloat && to.bits == 16 && from.bits == 32))
    d.fail(".relu and .satfinite need a conversion from f32");
}

void decodeConvert(Decoder &d, Instruction &out) {
  if (d.take("pack")) return decodeConvertPack(d, out);
  static constexpr std::pair<std::string_view, Rounding> kRoundings[] = {
      {"rn", Rounding::NearestEven}, {"rz", Rounding::Zero},         {"rm", Rounding::Down},
      {"rp", Rounding::Up},          {"rni", Rounding::NearestEven}, {"rzi", Rounding::Zero},
      {"rmi", Rounding::Down},       {"rpi", Rounding::Up},          {"rna", Rounding::NearestAway},
      {"rs", Rounding::Stochastic}};
  ConvertModifiers how;
  for (auto [name, rounding] : kRoundings)
    if (d.take(name))
      how.rounding = rounding, how.isGiven = true, how.isIntegral = name.size() == 3 && name[2] == 'i';
  how.flushes = d.take("ftz");
  how.saturates = d.take("sat");
  how.isFinite = d.take("satfinite");
  how.isRelu = d.take("relu");
  how.isScaled = d.take("scaled::n2::ue8m0");
  out.small[kRoundingAt] = uint8_t(how.rounding);
  out.small[kFlagsAt] = uint8_t(how.isIntegral * kIntegral | how.flushes * kFlush |
                                how.saturates * kSaturate | how.isFinite * kFinite | how.isRelu * kRelu);
  std::vector<std::string_view> types;
  for (const std::string &word : d.source().modifiers)
    if (d.take(word)) types.push_back(word); // what has been taken is not there any more
  if (types.size() != 2) d.fail("expected two types");
  if (isPackedConversion(types[0], types[1])) return decodePackedConversion(d, out, how, types[0], types[1]);
  if (how.isScaled) d.fail("a scale goes with packed narrow types");
  std::optional<ptx::Type> to = ptx::typeNamed(types[0]), from = ptx::typeNamed(types[1]);
  // ptxas takes a rounding for f32 and f64 of bf16, which are exact.
  if (types[1] == "bf16" && (types[0] == "f32" || types[0] == "f64") && !how.isIntegral) how.isGiven = false;
  if (!how.isGiven) how.rounding = Rounding::NearestEven;
  Handler fast = fastHandlerOf(types[0], types[1], how);
  out.handler = forTypeNamed(d, types[0], [&]<class D>() {
    return forTypeNamed(d, types[1], [&]<class S>() { return handlerFor<D, S>(how); });
  });
  checkModifiers(d, how, *to, *from);
  if (fast) out.handler = fast;
  Row source = d.read(d.operand(1), *from, true), destination = d.write(d.operand(0), *to, true);
  out.rows[kSource] = source.offset, out.rows[kDestination] = destination.offset;
  out.small[kSourceBytesAt] = uint8_t(source.bytes),
  out.small[kDestinationBytesAt] = uint8_t(destination.bytes);
}

} // namespace

extern const Table kConvertInstructions;
const Table kConvertInstructions = {{"cvt",
                                     decodeConvert,
                                     Counted::Convert,
                                     Unwritten::Lanewise,
                                     Order::None,
                                     {{"sm_100f", "rs"},
                                      {"sm_100", "e2m1x2"},
                                      {"sm_100", "e2m3x2"},
                                      {"sm_100", "e3m2x2"},
                                      {"sm_100", "ue8m0x2"},
                                      {"sm_100", "bf16x2.e4m3x2"},
                                      {"sm_100", "bf16x2.e5m2x2"},
                                      {"sm_100", "rn.satfinite.tf32"},
                                      {"sm_100", "rz.satfinite.tf32"}}}};

} // namespace mxc::sim
