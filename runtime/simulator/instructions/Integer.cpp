// Integer arithmetic (PTX ISA 9.7.1).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Arithmetic.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <type_traits>

namespace mxc::sim {

namespace {

using ptx::Type;

// 16-bit values are computed in 32 bits, where nothing overflows; wider ones wrap as unsigned.
template <class T> using Modular = std::conditional_t<sizeof(T) == 2, uint32_t, std::make_unsigned_t<T>>;
template <class T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using Type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using Type = int64_t;
};
template <> struct WideOf<uint64_t> {
  using Type = unsigned __int128;
};
template <> struct WideOf<int64_t> {
  using Type = __int128;
};
template <class T> using Wide = typename WideOf<T>::Type;

int32_t saturated(int64_t value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : int32_t(value);
}

template <class T> struct Add {
  T operator()(T a, T b) const { return T(Modular<T>(a) + Modular<T>(b)); }
};
template <class T> struct Sub {
  T operator()(T a, T b) const { return T(Modular<T>(a) - Modular<T>(b)); }
};
struct AddSaturating {
  int32_t operator()(int32_t a, int32_t b) const { return saturated(int64_t(a) + b); }
};
struct SubSaturating {
  int32_t operator()(int32_t a, int32_t b) const { return saturated(int64_t(a) - b); }
};
template <class T> struct MulLow {
  T operator()(T a, T b) const { return T(Modular<T>(a) * Modular<T>(b)); }
};
template <class T> struct MulHigh {
  T operator()(T a, T b) const { return T(Wide<T>(a) * b >> 8 * sizeof(T)); }
};
template <class T> struct MulWide {
  Wide<T> operator()(T a, T b) const { return Wide<T>(Wide<T>(a) * b); }
};
template <class T> struct MadLow {
  T operator()(T a, T b, T c) const { return Add<T>{}(MulLow<T>{}(a, b), c); }
};
template <class T> struct MadHigh {
  T operator()(T a, T b, T c) const { return Add<T>{}(MulHigh<T>{}(a, b), c); }
};
struct MadHighSaturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturated(int64_t(MulHigh<int32_t>{}(a, b)) + c);
  }
};
template <class T> struct MadWide {
  Wide<T> operator()(T a, T b, Wide<T> c) const { return Add<Wide<T>>{}(MulWide<T>{}(a, b), c); }
};

// mul24, mad24: of the low 24 bits; .hi are bits 16 to 47 of the product.
template <class T> struct Mul24 {
  static int64_t product(T a, T b) {
    if constexpr (std::is_signed_v<T>)
      return int64_t(int32_t(uint32_t(a) << 8) >> 8) * (int32_t(uint32_t(b) << 8) >> 8);
    return int64_t(uint64_t(uint32_t(a) & 0xffffff) * (uint32_t(b) & 0xffffff));
  }
};
template <class T> struct Mul24Low {
  T operator()(T a, T b) const { return T(Mul24<T>::product(a, b)); }
};
template <class T> struct Mul24High {
  T operator()(T a, T b) const { return T(Mul24<T>::product(a, b) >> 16); }
};
template <class T> struct Mad24Low {
  T operator()(T a, T b, T c) const { return Add<T>{}(Mul24Low<T>{}(a, b), c); }
};
template <class T> struct Mad24High {
  T operator()(T a, T b, T c) const { return Add<T>{}(Mul24High<T>{}(a, b), c); }
};
struct Mad24HighSaturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturated(int64_t(Mul24High<int32_t>{}(a, b)) + c);
  }
};

template <class T> struct Sad {
  T operator()(T a, T b, T c) const {
    return T(Modular<T>(c) + (a < b ? Modular<T>(b) - Modular<T>(a) : Modular<T>(a) - Modular<T>(b)));
  }
};

// Division by zero is not trapped: the chip gives all ones. The smallest number / -1 wraps.
template <class T> struct Div {
  T operator()(T a, T b) const {
    if (b == 0) return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1)) return Sub<T>{}(0, a);
    return T(a / b);
  }
};
template <class T> struct Rem {
  T operator()(T a, T b) const {
    if (b == 0) return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    return T(a % b);
  }
};
template <class T> struct Abs {
  T operator()(T a) const { return a < 0 ? Sub<T>{}(0, a) : a; }
};
template <class T> struct Neg {
  T operator()(T a) const { return Sub<T>{}(0, a); }
};
template <class T> struct Min {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T> struct Max {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <template <class> class F, class T> struct Relu {
  T operator()(T a, T b) const { return Max<T>{}(F<T>{}(a, b), 0); }
};
/// F on both 16-bit halves of a register.
template <class F, class T> struct Halves {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return uint16_t(F{}(T(a), T(b))) | uint32_t(uint16_t(F{}(T(a >> 16), T(b >> 16)))) << 16;
  }
};

// Extended precision (9.7.2): the carry of each lane is a bit of the row that Decoder::carryRow gives.
enum class CarryOp { Add, Sub, MadLow, MadHigh };

template <class T, CarryOp op> Outcome withCarry(Warp &warp, const Instruction &i) {
  using U = std::make_unsigned_t<T>;
  const T *a = lanes<T>(warp, i.rows[1]), *b = lanes<T>(warp, i.rows[2]);
  const U *c = lanes<U>(warp, i.rows[3]);
  U *d = lanes<U>(warp, i.rows[0]);
  uint32_t &flags = predicate(warp, i.rows[4]);
  bool readsCarry = i.small[0], writesCarry = i.small[1];
  forEachLane(warp, [&](int lane) {
    U x = U(a[lane]), y = U(b[lane]), result;
    if constexpr (op == CarryOp::MadLow) x = U(MulLow<T>{}(a[lane], b[lane])), y = c[lane];
    if constexpr (op == CarryOp::MadHigh) x = U(MulHigh<T>{}(a[lane], b[lane])), y = c[lane];
    // Subtraction adds the complement: its carry says that nothing was borrowed, which an addc may read.
    if constexpr (op == CarryOp::Sub) y = U(~y);
    U carryIn = readsCarry ? flags >> lane & 1 : op == CarryOp::Sub;
    bool carryOut = __builtin_add_overflow(x, y, &result);
    carryOut |= __builtin_add_overflow(result, carryIn, &result);
    d[lane] = result;
    if (writesCarry) flags = (flags & ~(1u << lane)) | uint32_t(carryOut) << lane;
  });
  return Outcome::Next;
}

template <CarryOp op> void decodeWithCarry(Decoder &d, Instruction &out, Type type, bool writesCarry) {
  if (type.bits < 32) d.fail("carries exist for 32 and 64 bits");
  out.small[0] = d.source().opcode.back() == 'c';
  out.small[1] = writesCarry;
  out.rows[4] = d.carryRow();
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler {
    if constexpr (sizeof(T) > 2)
      return withCarry<T, op>;
    else
      return nullptr;
  });
  takeOperands(d, out, type, op == CarryOp::Add || op == CarryOp::Sub ? 2 : 3);
}

/// Whether the instruction is of pairs of 16-bit integers; T is their type.
template <template <class> class F> bool decodeHalves(Decoder &d, Instruction &out, bool isRelu = false) {
  if (d.take("u16x2") && !isRelu)
    out.handler = binary<Halves<F<uint16_t>, uint16_t>, uint32_t, uint32_t>;
  else if (d.take("s16x2"))
    out.handler = isRelu ? binary<Halves<Relu<F, int16_t>, int16_t>, uint32_t, uint32_t>
                         : binary<Halves<F<int16_t>, int16_t>, uint32_t, uint32_t>;
  else
    return false;
  takeOperands(d, out, kTypeB32, 2);
  return true;
}

template <template <class> class F, class Saturating, CarryOp op>
void decodeAddOrSub(Decoder &d, Instruction &out) {
  bool writesCarry = d.take("cc"), readsCarry = d.source().opcode.back() == 'c', isSaturating = d.take("sat");
  if (!writesCarry && !readsCarry && !isSaturating && decodeHalves<F>(d, out)) return;
  Type type = d.takeType();
  if (writesCarry || readsCarry) return decodeWithCarry<op>(d, out, type, writesCarry);
  if (isSaturating) {
    if (type != kTypeS32) d.fail(".sat is for .s32");
    out.handler = binary<Saturating, int32_t, int32_t>;
  } else {
    out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return binary<F<T>, T, T>; });
  }
  takeOperands(d, out, type, 2);
}

void decodeMul(Decoder &d, Instruction &out) {
  std::string_view part = d.takeOneOf({"lo", "hi", "wide"});
  Type type = d.takeType();
  out.handler = forIntegerType(d, type, [&]<class T>(T) -> Handler {
    if (part == "hi") return binary<MulHigh<T>, T, T>;
    if constexpr (sizeof(T) < 8)
      if (part == "wide") return binary<MulWide<T>, Wide<T>, T>;
    return part == "lo" ? binary<MulLow<T>, T, T> : nullptr;
  });
  if (!out.handler) d.fail("expected .lo, .hi or .wide of a type that has it");
  if (part != "wide") return takeOperands(d, out, type, 2);
  d.finish();
  out.rows[1] = d.read(1, type), out.rows[2] = d.read(2, type);
  type.bits = uint16_t(2 * type.bits);
  out.rows[0] = d.write(0, type);
}

void decodeMad(Decoder &d, Instruction &out) {
  std::string_view part = d.takeOneOf({"lo", "hi", "wide"});
  bool writesCarry = d.take("cc"), isSaturating = d.take("sat");
  Type type = d.takeType();
  if (writesCarry || d.source().opcode == "madc") {
    if (part == "wide" || part.empty() || isSaturating) d.fail("expected .lo or .hi");
    return part == "lo" ? decodeWithCarry<CarryOp::MadLow>(d, out, type, writesCarry)
                        : decodeWithCarry<CarryOp::MadHigh>(d, out, type, writesCarry);
  }
  if (isSaturating && (part != "hi" || type != kTypeS32)) d.fail(".sat is for .hi.s32");
  out.handler = forIntegerType(d, type, [&]<class T>(T) -> Handler {
    if (isSaturating) return ternary<MadHighSaturating, int32_t, int32_t>;
    if (part == "hi") return ternary<MadHigh<T>, T, T>;
    if constexpr (sizeof(T) < 8)
      if (part == "wide") return ternary<MadWide<T>, Wide<T>, T, T, Wide<T>>;
    return part == "lo" ? ternary<MadLow<T>, T, T> : nullptr;
  });
  if (!out.handler) d.fail("expected .lo, .hi or .wide of a type that has it");
  if (part != "wide") return takeOperands(d, out, type, 3);
  d.finish();
  out.rows[1] = d.read(1, type), out.rows[2] = d.read(2, type);
  type.bits = uint16_t(2 * type.bits);
  out.rows[3] = d.read(3, type);
  out.rows[0] = d.write(0, type);
}

void decode24(Decoder &d, Instruction &out) {
  bool isMad = d.source().opcode == "mad24", isSaturating = d.take("sat");
  std::string_view part = d.takeOneOf({"lo", "hi"});
  Type type = d.takeType();
  if (part.empty() || type.bits != 32) d.fail("expected .lo or .hi of 32 bits");
  if (isSaturating && (part != "hi" || type.kind != Type::Kind::Signed || !isMad))
    d.fail(".sat is for mad24.hi.s32");
  auto choose = [&]<class T>(T) -> Handler {
    if (isSaturating) return ternary<Mad24HighSaturating, int32_t, int32_t>;
    if (isMad) return part == "hi" ? ternary<Mad24High<T>, T, T> : ternary<Mad24Low<T>, T, T>;
    return part == "hi" ? binary<Mul24High<T>, T, T> : binary<Mul24Low<T>, T, T>;
  };
  out.handler = type.kind == Type::Kind::Signed ? choose(int32_t()) : choose(uint32_t());
  takeOperands(d, out, type, isMad ? 3 : 2);
}

template <template <class> class F> void decodeUnary(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  if (type.kind != Type::Kind::Signed) d.fail("expected a signed type");
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return unary<F<T>, T, T>; });
  takeOperands(d, out, type, 1);
}

template <template <class> class F> void decodeBinary(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return binary<F<T>, T, T>; });
  takeOperands(d, out, type, 2);
}

void decodeSad(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return ternary<Sad<T>, T, T>; });
  takeOperands(d, out, type, 3);
}

template <template <class> class F> void decodeMinMax(Decoder &d, Instruction &out) {
  bool isRelu = d.take("relu");
  if (decodeHalves<F>(d, out, isRelu)) return;
  if (!isRelu) return decodeBinary<F>(d, out);
  Type type = d.takeType();
  if (type != kTypeS32) d.fail(".relu is for .s32 and .s16x2");
  out.handler = binary<Relu<F, int32_t>, int32_t, int32_t>;
  takeOperands(d, out, type, 2);
}

/// The sum of products of the elements of a and b, which have 8 * sizeof(T) bits, and c. dp2a: a's are of 16
/// bits and b's bytes 0 and 1, or 2 and 3.
template <class A, class B> struct Dot4 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (int k = 0; k < 32; k += 8)
      c += uint32_t(A(a >> k) * B(b >> k));
    return c;
  }
};
template <class A, class B, int shift> struct Dot2 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    return c + uint32_t(A(a) * B(b >> shift)) + uint32_t(A(a >> 16) * B(b >> (shift + 8)));
  }
};

template <bool isDot4> void decodeDot(Decoder &d, Instruction &out) {
  std::string_view part = isDot4 ? "lo" : d.takeOneOf({"lo", "hi"});
  Type a = d.takeType(), b = d.takeType();
  if (part.empty() || a.bits != 32 || b.bits != 32) d.fail("expected two types of 32 bits");
  auto choose = [&]<class A, class B>(A, B) -> Handler {
    if constexpr (isDot4)
      return ternary<Dot4<A, B>, uint32_t, uint32_t>;
    else
      return part == "lo" ? ternary<Dot2<A, B, 0>, uint32_t, uint32_t>
                          : ternary<Dot2<A, B, 16>, uint32_t, uint32_t>;
  };
  using SignedA = std::conditional_t<isDot4, int8_t, int16_t>;
  using UnsignedA = std::make_unsigned_t<SignedA>;
  bool isSigned = b.kind == Type::Kind::Signed;
  if (a.kind == Type::Kind::Signed)
    out.handler = isSigned ? choose(SignedA(), int8_t()) : choose(SignedA(), uint8_t());
  else
    out.handler = isSigned ? choose(UnsignedA(), int8_t()) : choose(UnsignedA(), uint8_t());
  takeOperands(d, out, kTypeB32, 3);
}

} // namespace

const Table kIntegerArithmetic = {
    {"add", decodeAddOrSub<Add, AddSaturating, CarryOp::Add>, Counted::TypedInteger, Unwritten::Lanewise,
     Order::None},
    {"sub", decodeAddOrSub<Sub, SubSaturating, CarryOp::Sub>, Counted::TypedInteger, Unwritten::Lanewise,
     Order::None},
    {"mul", decodeMul, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"mad", decodeMad, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"div", decodeBinary<Div>, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"abs", decodeUnary<Abs>, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"neg", decodeUnary<Neg>, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"min", decodeMinMax<Min>, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"max", decodeMinMax<Max>, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
};

extern const Table kIntegerInstructions;
const Table kIntegerInstructions = {
    {"addc", decodeAddOrSub<Add, AddSaturating, CarryOp::Add>, Counted::Integer, Unwritten::Lanewise,
     Order::None},
    {"subc", decodeAddOrSub<Sub, SubSaturating, CarryOp::Sub>, Counted::Integer, Unwritten::Lanewise,
     Order::None},
    {"madc", decodeMad, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"mul24", decode24, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"mad24", decode24, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"sad", decodeSad, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"rem", decodeBinary<Rem>, Counted::TypedInteger, Unwritten::Lanewise, Order::None},
    {"dp4a", decodeDot<true>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"dp2a", decodeDot<false>, Counted::Integer, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
