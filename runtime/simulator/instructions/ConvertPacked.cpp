// cvt to and from packed formats, and to tf32 (PTX ISA 9.7.9.21); cvt.pack (9.7.9.22).
//
// The first source of a pair goes to the upper half: cvt.rn.bf16x2.f32 d, a, b gives a:b.
#include "runtime/simulator/instructions/Convert.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <algorithm>

namespace mxc::sim {

namespace {

/// A packed type's word. `width` bits from one element to the next; formats of six bits lie in bytes.
struct Packed {
  std::string_view name;
  FloatFormat format;
  uint8_t width, count;
  bool isScale = false; // ue8m0, which is no FloatFormat
  uint32_t bits() const { return uint32_t(width) * count; }
};
constexpr FloatFormat kNoFormat{8, 0, 127, Specials::None, false};
constexpr Packed kPacked[] = {
    {"f16x2", kF16, 16, 2},  {"bf16x2", kBf16, 16, 2}, {"tf32", kTf32, 32, 1},
    {"e4m3x2", kE4m3, 8, 2}, {"e5m2x2", kE5m2, 8, 2},  {"e2m1x2", kE2m1, 4, 2},
    {"e2m3x2", kE2m3, 8, 2}, {"e3m2x2", kE3m2, 8, 2},  {"ue8m0x2", kNoFormat, 8, 2, true},
    {"e4m3x4", kE4m3, 8, 4}, {"e5m2x4", kE5m2, 8, 4},  {"e2m1x4", kE2m1, 4, 4},
    {"e2m3x4", kE2m3, 8, 4}, {"e3m2x4", kE3m2, 8, 4},
};
const Packed *packedNamed(std::string_view name) {
  for (const Packed &packed : kPacked)
    if (packed.name == name) return &packed;
  return nullptr;
}

constexpr int kDestination = 0, kFirstSource = 1, kRandomRow = 5, kScaleRow = 5; // rows; up to four sources

struct PackedConversion : InstructionData {
  const Packed *to, *from; // from: null for f32
  bool isScaled = false;   // by a pair of ue8m0, the lower element by the lower one
};

/// A tf32 lies in the upper bits of an f32.
constexpr int shiftOf(const Packed &packed) { return packed.width == 32 ? 13 : 0; }

/// The random bits of element `index`, counted from the upper one (PTX ISA figures "random bits layout"):
/// halves of rbits for pairs; of four elements, e2m1 has a byte each, and of the wider formats a and b share
/// the upper half.
void setRandomBits(Conversion &how, const Packed &to, int index, uint32_t random) {
  how.randomWidth = to.count == 2 ? (to.format.mantissaBits == 10 ? 13 : 16) : to.width == 4 ? 8 : 16;
  bool isUpperHalf = to.count == 2 || to.width == 4 ? index % 2 == 0 : index < 2;
  uint32_t half = isUpperHalf ? random >> 16 : random & 0xffff;
  if (to.width == 4 && index < 2) half >>= 8;
  how.randomBits = half & ((1u << how.randomWidth) - 1);
}

uint32_t encodeElement(const Packed &to, double value, uint8_t flags, Conversion how) {
  if (to.isScale) return encodeUe8m0(std::bit_cast<uint32_t>(float(value)), how.rounding, how.isSaturating);
  if ((flags & kRelu) && value <= 0) value = 0; // -0 too; NaN stays
  uint32_t bits = uint32_t(encode(to.format, value, how));
  return bits << shiftOf(to);
}

double decodeElement(const Packed &from, uint32_t bits) {
  return from.isScale ? decodeUe8m0(uint8_t(bits)) : decode(from.format, bits);
}

/// Any conversion, an element at a time.
Outcome convertPacked(Warp &warp, const Instruction &i) {
  const auto &conversion = static_cast<const PackedConversion &>(*i.data);
  const Packed &to = *conversion.to;
  Conversion how{Rounding(i.small[kRoundingAt]), bool(i.small[kFlagsAt] & kFinite)};
  const uint32_t *random =
      how.rounding == Rounding::Stochastic ? lanes<uint32_t>(warp, i.rows[kRandomRow]) : nullptr;
  forEachLane(warp, [&](int lane) {
    uint64_t result = 0;
    for (int k = 0; k < to.count; ++k) { // from the upper element on
      double value;
      if (const Packed *from = conversion.from) {
        uint64_t source = laneBits(warp, {i.rows[kFirstSource], i.small[kSourceBytesAt]}, lane);
        value = decodeElement(
            *from, uint32_t(source >> (from->width * (from->count - 1 - k)) & ((1ull << from->width) - 1)));
        if (conversion.isScaled)
          value *=
              decodeUe8m0(uint8_t(laneBits(warp, {i.rows[kScaleRow], 2}, lane) >> (8 * (to.count - 1 - k))));
      } else {
        value = decode(kF32, lanes<uint32_t>(warp, i.rows[kFirstSource + k])[lane]);
      }
      if (random) setRandomBits(how, to, k, random[lane]);
      result = result << to.width | encodeElement(to, value, i.small[kFlagsAt], how);
    }
    setLaneBits(warp, {i.rows[kDestination], i.small[kDestinationBytesAt]}, lane, result);
  });
  return Outcome::Next;
}

/// Two f32 to a pair, to nearest even: what quantizing kernels spend their time in.
template <FloatFormat kFormat, bool kSaturates, int kWidth, class T>
Outcome convertPair(Warp &warp, const Instruction &i) {
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[kFirstSource]),
                 *b = lanes<uint32_t>(warp, i.rows[kFirstSource + 1]);
  forWiderLanes<T>(warp, i.rows[kDestination], i.small[kDestinationBytesAt], [=](int lane) {
    return T(encodeNearest<kFormat, kSaturates>(a[lane]) << kWidth |
             encodeNearest<kFormat, kSaturates>(b[lane]));
  });
  return Outcome::Next;
}

/// The two f32 to ue8m0 pairs, likewise.
template <Rounding kRounding, bool kSaturates> Outcome convertScales(Warp &warp, const Instruction &i) {
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[kFirstSource]),
                 *b = lanes<uint32_t>(warp, i.rows[kFirstSource + 1]);
  forWiderLanes<uint16_t>(warp, i.rows[kDestination], i.small[kDestinationBytesAt], [=](int lane) {
    return uint16_t(encodeUe8m0(a[lane], kRounding, kSaturates) << 8 |
                    encodeUe8m0(b[lane], kRounding, kSaturates));
  });
  return Outcome::Next;
}

/// cvt.rna.tf32.f32 before sm_100: integer steps. A NaN is cut, which may make an infinity of it; .satfinite
/// takes one step back from infinity and from NaN alike.
Outcome convertTf32Away(Warp &warp, const Instruction &i) {
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[kFirstSource]);
  uint32_t step = i.small[kFlagsAt] & kFinite ? 0x2000 : 0;
  forLanes<uint32_t>(warp, i.rows[kDestination], [=](int lane) {
    bool isFinite = (a[lane] & 0x7f800000) != 0x7f800000;
    uint32_t bits = (a[lane] + (isFinite ? 0x1000 : 0)) & 0xffffe000;
    return (bits & 0x7fffffff) >= 0x7f800000 ? bits - step : bits;
  });
  return Outcome::Next;
}

Handler fastHandlerOf(std::string_view to, const ConvertModifiers &how, TargetName chip) {
  if (how.isRelu) return nullptr;
  struct Fast {
    std::string_view to;
    Rounding rounding;
    bool isFinite;
    Handler handler;
    std::optional<TargetName> until = {}; // not on chips that run PTX for this
  };
  using enum Rounding;
  static const Fast kFast[] = {
      {"e4m3x2", NearestEven, true, convertPair<kE4m3, true, 8, uint16_t>},
      {"e5m2x2", NearestEven, true, convertPair<kE5m2, true, 8, uint16_t>},
      {"e2m3x2", NearestEven, true, convertPair<kE2m3, true, 8, uint16_t>},
      {"e3m2x2", NearestEven, true, convertPair<kE3m2, true, 8, uint16_t>},
      {"e2m1x2", NearestEven, true, convertPair<kE2m1, true, 4, uint8_t>},
      {"f16x2", NearestEven, false, convertPair<kF16, false, 16, uint32_t>},
      {"bf16x2", NearestEven, false, convertPair<kBf16, false, 16, uint32_t>},
      {"ue8m0x2", Up, true, convertScales<Up, true>},
      {"ue8m0x2", Up, false, convertScales<Up, false>},
      {"ue8m0x2", Zero, true, convertScales<Zero, true>},
      {"ue8m0x2", Zero, false, convertScales<Zero, false>},
      {"tf32", NearestAway, true, convertTf32Away, TargetName("sm_100")},
      {"tf32", NearestAway, false, convertTf32Away, TargetName("sm_100")},
  };
  for (const Fast &fast : kFast)
    if (fast.to == to && fast.rounding == how.rounding && fast.isFinite == how.isFinite &&
        !(fast.until && fast.until->ptxRunsOn(chip)))
      return fast.handler;
  return nullptr;
}

bool isByteOrLess(const Packed &packed) { return packed.width <= 8; }

/// What PTX has.
void checkConversion(const Decoder &d, const ConvertModifiers &how, const Packed *to, const Packed *from,
                     std::string_view fromName) {
  if (!to) d.fail("no such pair of types");
  if (!from && fromName != "f32") d.fail("no such pair of types");
  if (how.flushes || how.saturates || how.isIntegral || !how.isGiven)
    d.fail("a modifier does not fit these types");
  if (how.rounding == Rounding::Stochastic) {
    if (from || to->name == "tf32" || to->isScale || (isByteOrLess(*to) && to->count != 4))
      d.fail("no .rs between these types");
  } else if (to->count == 4) {
    d.fail("four elements are converted with .rs only");
  } else if (to->isScale) {
    if (how.rounding != Rounding::Up && how.rounding != Rounding::Zero)
      d.fail("ue8m0 is rounded with .rp or .rz");
  } else if (how.rounding != Rounding::NearestEven) {
    bool isTf32 = to->name == "tf32", isAway = how.rounding == Rounding::NearestAway;
    bool fits =
        isAway ? isTf32 && !how.isRelu : how.rounding == Rounding::Zero && !from && !isByteOrLess(*to);
    if (!fits) d.fail("no such rounding between these types");
  }
  if (isByteOrLess(*to) && !to->isScale && !how.isFinite) d.fail(".satfinite is missing");
  if (to->isScale && how.isRelu) d.fail("ue8m0 has no sign");
  if (how.isScaled && !(from && !from->isScale && isByteOrLess(*from) && to->name == "bf16x2"))
    d.fail("a scale goes with narrow pairs that become bf16x2");
  if (!from) return;
  bool isUnpacking = isByteOrLess(*from) && !isByteOrLess(*to),
       isPacking = isByteOrLess(*to) && !isByteOrLess(*from);
  if ((!isUnpacking && !isPacking) || from->name == "tf32" || from->count != to->count)
    d.fail("no such pair of types");
  bool isScale = to->isScale || from->isScale;
  bool isOfBf16 = (isUnpacking ? to->name : from->name) == "bf16x2";
  if (isScale && !isOfBf16) d.fail("no such pair of types");
  if (isUnpacking && ((how.isFinite && (isScale || !isOfBf16)) || (isScale && how.isRelu)))
    d.fail("a modifier does not fit these types");
}

ptx::Type bitsType(uint32_t bits) { return {ptx::Type::Kind::Bits, uint16_t(bits), false}; }

/// cvt.pack.sat.TYPE.s32{.b32} d, a, b{, c}: d = c : a : b, of as many bits as TYPE has, saturated.
Outcome packIntegers(Warp &warp, const Instruction &i) {
  uint32_t bits = i.small[0], isSigned = i.small[1], hasLast = i.small[2];
  int32_t largest = int32_t((1u << (bits - isSigned)) - 1), smallest = isSigned ? -largest - 1 : 0;
  uint32_t mask = (1u << bits) - 1;
  const int32_t *a = lanes<int32_t>(warp, i.rows[1]), *b = lanes<int32_t>(warp, i.rows[2]);
  const uint32_t *c = hasLast ? lanes<uint32_t>(warp, i.rows[3]) : nullptr;
  forLanes<uint32_t>(warp, i.rows[0], [=](int lane) {
    uint32_t upper = uint32_t(std::clamp(a[lane], smallest, largest)) & mask;
    uint32_t lower = uint32_t(std::clamp(b[lane], smallest, largest)) & mask;
    return (c ? c[lane] << (2 * bits) : 0) | upper << bits | lower;
  });
  return Outcome::Next;
}

} // namespace

bool isPackedConversion(std::string_view to, std::string_view from) {
  return packedNamed(to) || packedNamed(from);
}

void decodePackedConversion(Decoder &d, Instruction &out, const ConvertModifiers &how,
                            std::string_view toName, std::string_view fromName) {
  auto conversion = std::make_unique<PackedConversion>();
  conversion->to = packedNamed(toName), conversion->from = packedNamed(fromName);
  const Packed *to = conversion->to, *from = conversion->from;
  checkConversion(d, how, to, from, fromName);
  std::vector<const ptx::Operand *> sources;
  bool isRandom = how.rounding == Rounding::Stochastic;
  size_t next = 1;
  if (from || to->count < 4) {
    for (int k = 0; k < (from ? 1 : to->count); ++k)
      sources.push_back(&d.operand(next++));
  } else {
    const ptx::Operand &vector = d.operand(next++);
    if (vector.kind != ptx::Operand::Kind::Vector || vector.parts.size() != 4)
      d.fail("expected {a, b, e, f}");
    for (const ptx::Operand &part : vector.parts)
      sources.push_back(&part);
  }
  for (size_t k = 0; k < sources.size(); ++k) {
    Row row = d.read(*sources[k], from ? bitsType(from->bits()) : kTypeF32, from != nullptr);
    out.rows[kFirstSource + k] = row.offset;
    out.small[kSourceBytesAt] = uint8_t(row.bytes);
  }
  conversion->isScaled = how.isScaled;
  if (how.isScaled) out.rows[kScaleRow] = d.read(d.operand(next++), bitsType(16), true).offset;
  if (isRandom) out.rows[kRandomRow] = d.read(next++, kTypeB32);
  if (d.operandCount() != next) d.fail("expected " + std::to_string(next) + " operands");
  Row destination = d.write(d.operand(0), bitsType(to->bits()), true);
  out.rows[kDestination] = destination.offset;
  out.small[kDestinationBytesAt] = uint8_t(destination.bytes);
  Handler fast = from ? nullptr : fastHandlerOf(toName, how, d.chip());
  out.handler = fast ? fast : convertPacked;
  if (!fast) out.data = std::move(conversion);
}

void decodeConvertPack(Decoder &d, Instruction &out) {
  static constexpr struct {
    std::string_view name;
    uint8_t bits, isSigned;
  } kTypes[] = {{"u16", 16, 0}, {"s16", 16, 1}, {"u8", 8, 0}, {"s8", 8, 1},
                {"u4", 4, 0},   {"s4", 4, 1},   {"u2", 2, 0}, {"s2", 2, 1}};
  if (!d.take("sat")) d.fail("expected cvt.pack.sat");
  for (const auto &type : kTypes)
    if (out.small[0] == 0 && d.take(type.name)) out.small[0] = type.bits, out.small[1] = type.isSigned;
  if (!out.small[0] || !d.take("s32")) d.fail("expected a type to convert to, then .s32");
  out.small[2] = d.take("b32");
  if (out.small[2] == (out.small[0] == 16)) d.fail("a third operand, .b32, goes with types below 16 bits");
  takeOperands(d, out, kTypeB32, out.small[2] ? 3 : 2);
  out.handler = packIntegers;
}

} // namespace mxc::sim
