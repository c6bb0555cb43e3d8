// Shifts, bit fields, bit counts and byte permutation (PTX ISA 9.7.1, 9.7.8, prmt 9.7.9.7). Each functor is
// the manual's pseudocode.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <bit>
#include <type_traits>

namespace mxc::sim {

namespace {

using ptx::Type;
template <class T> constexpr uint32_t kBits = 8 * sizeof(T);

// Counts beyond the width are clamped to it, not taken modulo.
template <class T> struct ShiftLeft {
  T operator()(T a, uint32_t count) const { return count < kBits<T> ? T(a << count) : T(0); }
};
template <class T> struct ShiftRight {
  T operator()(T a, uint32_t count) const {
    return T(a >> (count < kBits<T> ? count : kBits<T> - 1)) >> (count >= kBits<T>);
  }
};

template <template <class> class F> void decodeShift(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  d.finish();
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return binary<F<T>, T, T, uint32_t>; });
  out.rows[1] = d.read(1, type);
  out.rows[2] = d.read(2, kTypeB32);
  out.rows[0] = d.write(0, type);
}

/// shf: 32 bits of b:a, shifted.
template <bool isLeft, bool isClamped> struct Funnel {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t count = isClamped ? (c < 32 ? c : 32) : c & 31;
    uint64_t both = uint64_t(b) << 32 | a;
    return isLeft ? uint32_t(both << count >> 32) : uint32_t(both >> count);
  }
};

void decodeFunnel(Decoder &d, Instruction &out) {
  bool isLeft = d.take("l");
  if (!isLeft && !d.take("r")) d.fail("expected .l or .r");
  bool isClamped = d.take("clamp");
  if (!isClamped && !d.take("wrap")) d.fail("expected .clamp or .wrap");
  d.take("b32");
  out.handler = isLeft ? (isClamped ? ternary<Funnel<true, true>, uint32_t, uint32_t>
                                    : ternary<Funnel<true, false>, uint32_t, uint32_t>)
                       : (isClamped ? ternary<Funnel<false, true>, uint32_t, uint32_t>
                                    : ternary<Funnel<false, false>, uint32_t, uint32_t>);
  takeOperands(d, out, kTypeB32, 3);
}

template <class T> T lowBits(uint64_t count) { return count >= kBits<T> ? T(~T(0)) : T((T(1) << count) - 1); }

/// A position or length of bfe and bfi. 32-bit ones look at 8 bits; 64-bit ones at all, against the manual
/// (H200).
template <class T> uint64_t fieldCount(uint32_t operand) { return sizeof(T) == 4 ? operand & 0xff : operand; }

template <class T> struct ExtractField {
  T operator()(T value, uint32_t b, uint32_t c) const {
    using U = std::make_unsigned_t<T>;
    uint64_t position = fieldCount<T>(b), length = fieldCount<T>(c), last = position + length - 1;
    if (length == 0) return 0;
    U a = U(value), field = position < kBits<T> ? U(a >> position) & lowBits<U>(length) : U(0);
    bool sign = std::is_signed_v<T> && (a >> (last < kBits<T> ? last : kBits<T> - 1) & 1);
    uint64_t known = position >= kBits<T> ? 0 : length < kBits<T> - position ? length : kBits<T> - position;
    return T(sign ? field | U(~lowBits<U>(known)) : field);
  }
};
template <class T> struct InsertField {
  T operator()(T a, T b, uint32_t c, uint32_t e) const {
    uint64_t position = fieldCount<T>(c), length = fieldCount<T>(e);
    if (position >= kBits<T>) return b;
    T mask = T(lowBits<T>(length) << position);
    return (b & T(~mask)) | (T(a << position) & mask);
  }
};

template <class T> Outcome insertField(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]), *b = lanes<T>(warp, i.rows[2]);
  const uint32_t *c = lanes<uint32_t>(warp, i.rows[3]), *e = lanes<uint32_t>(warp, i.rows[4]);
  forLanes<T>(warp, i.rows[0],
              [=](int lane) { return InsertField<T>{}(a[lane], b[lane], c[lane], e[lane]); });
  return Outcome::Next;
}

void decodeExtract(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  d.finish();
  if (type.bits < 32) d.fail("expected 32 or 64 bits");
  out.handler =
      forIntegerType(d, type, []<class T>(T) -> Handler { return ternary<ExtractField<T>, T, T, uint32_t>; });
  out.rows[1] = d.read(1, type);
  out.rows[2] = d.read(2, kTypeB32);
  out.rows[3] = d.read(3, kTypeB32);
  out.rows[0] = d.write(0, type);
}

void decodeInsert(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  d.finish();
  if (type != kTypeB32 && type != kTypeB64) d.fail("expected .b32 or .b64");
  out.handler = type.bits == 32 ? insertField<uint32_t> : insertField<uint64_t>;
  out.rows[1] = d.read(1, type), out.rows[2] = d.read(2, type);
  out.rows[3] = d.read(3, kTypeB32), out.rows[4] = d.read(4, kTypeB32);
  out.rows[0] = d.write(0, type);
}

template <class T, bool isShiftAmount> struct FindLeading {
  uint32_t operator()(T value) const {
    using U = std::make_unsigned_t<T>;
    U a = value < 0 ? U(~U(value)) : U(value);
    if (a == 0) return ~0u;
    uint32_t zeros = uint32_t(std::countl_zero(a));
    return isShiftAmount ? zeros : kBits<T> - 1 - zeros;
  }
};
template <class T> struct CountOnes {
  uint32_t operator()(T a) const { return uint32_t(std::popcount(a)); }
};
template <class T> struct CountLeadingZeros {
  uint32_t operator()(T a) const { return uint32_t(std::countl_zero(a)); }
};
template <class T> struct Reverse {
  T operator()(T value) const {
    uint64_t a = value;
    a = (a >> 1 & 0x5555555555555555) | (a & 0x5555555555555555) << 1;
    a = (a >> 2 & 0x3333333333333333) | (a & 0x3333333333333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0f) | (a & 0x0f0f0f0f0f0f0f0f) << 4;
    return T(__builtin_bswap64(a) >> (64 - kBits<T>));
  }
};

Type takeWideType(Decoder &d, size_t sources) { // of 32 or 64 bits
  Type type = d.takeType();
  d.finish();
  if (type.bits < 32) d.fail("expected 32 or 64 bits");
  if (d.operandCount() != sources + 1) d.fail("wrong number of operands");
  return type;
}

void decodeFindLeading(Decoder &d, Instruction &out) {
  bool isShiftAmount = d.take("shiftamt");
  Type type = takeWideType(d, 1);
  out.handler = forIntegerType(d, type, [&]<class T>(T) -> Handler {
    return isShiftAmount ? unary<FindLeading<T, true>, uint32_t, T>
                         : unary<FindLeading<T, false>, uint32_t, T>;
  });
  out.rows[1] = d.read(1, type);
  out.rows[0] = d.write(0, kTypeB32);
}

template <template <class> class F> void decodeCount(Decoder &d, Instruction &out) {
  Type type = takeWideType(d, 1);
  out.handler =
      type.bits == 32 ? unary<F<uint32_t>, uint32_t, uint32_t> : unary<F<uint64_t>, uint32_t, uint64_t>;
  out.rows[1] = d.read(1, type);
  out.rows[0] = d.write(0, kTypeB32);
}

void decodeReverse(Decoder &d, Instruction &out) {
  Type type = takeWideType(d, 1);
  out.handler = type.bits == 32 ? unary<Reverse<uint32_t>, uint32_t, uint32_t>
                                : unary<Reverse<uint64_t>, uint64_t, uint64_t>;
  takeOperands(d, out, type, 1);
}

struct FindNthSet {
  uint32_t operator()(uint32_t mask, uint32_t base, int32_t offset) const {
    if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    int64_t left = (offset < 0 ? -int64_t(offset) : offset) - 1;
    for (int64_t at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
      if ((mask >> at & 1) && left-- == 0) return uint32_t(at);
    return ~0u;
  }
};

void decodeFindNthSet(Decoder &d, Instruction &out) {
  d.take("b32");
  out.handler = ternary<FindNthSet, uint32_t, uint32_t, uint32_t, int32_t>;
  takeOperands(d, out, kTypeB32, 3);
}

template <bool isSigned, bool isClamped> struct ExtendSign {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    if (isClamped && b >= 32) return a;
    uint32_t count = b & 31, low = (1u << count) - 1;
    bool sign = isSigned && count && (a >> (count - 1) & 1);
    return sign ? a | ~low : a & low;
  }
};

void decodeExtendSign(Decoder &d, Instruction &out) {
  bool isClamped = d.take("clamp");
  if (!isClamped && !d.take("wrap")) d.fail("expected .clamp or .wrap");
  Type type = d.takeType();
  if (type.bits != 32) d.fail("expected .s32 or .u32");
  bool isSigned = type.kind == Type::Kind::Signed;
  out.handler = isSigned ? (isClamped ? binary<ExtendSign<true, true>, uint32_t, uint32_t>
                                      : binary<ExtendSign<true, false>, uint32_t, uint32_t>)
                         : (isClamped ? binary<ExtendSign<false, true>, uint32_t, uint32_t>
                                      : binary<ExtendSign<false, false>, uint32_t, uint32_t>);
  takeOperands(d, out, type, 2);
}

template <bool isClamped> struct BitMask {
  uint32_t operator()(uint32_t position, uint32_t width) const {
    if (isClamped && position >= 32) return 0;
    uint32_t from = position & 31, to = from + (width & 31);
    uint32_t mask = ~0u << from;
    return to >= 32 || (isClamped && width >= 32) ? mask : mask & ~(~0u << to);
  }
};

void decodeBitMask(Decoder &d, Instruction &out) {
  bool isClamped = d.take("clamp");
  if (!isClamped && !d.take("wrap")) d.fail("expected .clamp or .wrap");
  d.take("b32");
  out.handler =
      isClamped ? binary<BitMask<true>, uint32_t, uint32_t> : binary<BitMask<false>, uint32_t, uint32_t>;
  takeOperands(d, out, kTypeB32, 2);
}

struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (int k = 0; k < 4; ++k) {
      uint32_t pick = selector >> 4 * k & 0xf, byte = uint32_t(bytes >> 8 * (pick & 7)) & 0xff;
      result |= (pick & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * k;
    }
    return result;
  }
};

/// prmt with a mode: which byte of b:a goes to bytes 0 to 3, one nibble each, by the low two bits of c.
struct PermuteMode {
  std::string_view name;
  uint16_t selectors[4];
};
constexpr PermuteMode kPermuteModes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

Outcome permuteByMode(Warp &warp, const Instruction &i) {
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[1]), *b = lanes<uint32_t>(warp, i.rows[2]),
                 *c = lanes<uint32_t>(warp, i.rows[3]);
  const uint16_t *selectors = kPermuteModes[i.small[0]].selectors;
  forLanes<uint32_t>(warp, i.rows[0],
                     [=](int lane) { return Permute{}(a[lane], b[lane], selectors[c[lane] & 3]); });
  return Outcome::Next;
}

void decodePermute(Decoder &d, Instruction &out) {
  d.take("b32");
  out.handler = ternary<Permute, uint32_t, uint32_t>;
  for (const PermuteMode &mode : kPermuteModes)
    if (d.take(mode.name)) {
      out.small[0] = uint8_t(&mode - kPermuteModes);
      out.handler = permuteByMode;
    }
  takeOperands(d, out, kTypeB32, 3);
}

} // namespace

extern const Table kBitsInstructions;
const Table kBitsInstructions = {
    {"shl", decodeShift<ShiftLeft>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"shr", decodeShift<ShiftRight>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"shf", decodeFunnel, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"bfe", decodeExtract, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"bfi", decodeInsert, Counted::Integer, Unwritten::Pack, Order::None},
    {"bfind", decodeFindLeading, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"popc", decodeCount<CountOnes>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"clz", decodeCount<CountLeadingZeros>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"brev", decodeReverse, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"fns", decodeFindNthSet, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"szext", decodeExtendSign, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"bmsk", decodeBitMask, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"prmt", decodePermute, Counted::Integer, Unwritten::Pack, Order::None},
};

} // namespace mxc::sim
