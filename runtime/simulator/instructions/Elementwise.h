// Handlers that compute a lane of rows[0] from the same lane of rows[1], rows[2], ..
#pragma once

#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/machine/Lanes.h"

namespace mxc::sim {

/// d = F{}(a), F{}(a, b), F{}(a, b, c).
template <class F, class D, class A> Outcome unary(Warp &warp, const Instruction &i) {
  const A *a = lanes<A>(warp, i.rows[1]);
  forLanes<D>(warp, i.rows[0], [=](int lane) { return D(F{}(a[lane])); });
  return Outcome::Next;
}
template <class F, class D, class A, class B = A> Outcome binary(Warp &warp, const Instruction &i) {
  const A *a = lanes<A>(warp, i.rows[1]);
  const B *b = lanes<B>(warp, i.rows[2]);
  forLanes<D>(warp, i.rows[0], [=](int lane) { return D(F{}(a[lane], b[lane])); });
  return Outcome::Next;
}
template <class F, class D, class A, class B = A, class C = B>
Outcome ternary(Warp &warp, const Instruction &i) {
  const A *a = lanes<A>(warp, i.rows[1]);
  const B *b = lanes<B>(warp, i.rows[2]);
  const C *c = lanes<C>(warp, i.rows[3]);
  forLanes<D>(warp, i.rows[0], [=](int lane) { return D(F{}(a[lane], b[lane], c[lane])); });
  return Outcome::Next;
}

/// Rows of operands that all have one type: the destination, then `sources` of them.
inline void takeOperands(Decoder &d, Instruction &out, ptx::Type type, size_t sources) {
  d.finish();
  if (d.operandCount() != sources + 1)
    d.fail("expected " + std::to_string(sources + 1) + " operands, found " +
           std::to_string(d.operandCount()));
  for (size_t k = 1; k <= sources; ++k)
    out.rows[k] = d.read(k, type);
  out.rows[0] = d.write(0, type);
}

/// f called with a value of the C++ type of an integer type of 16, 32 or 64 bits; bits count as unsigned.
template <class F> Handler forIntegerType(const Decoder &d, ptx::Type type, F f) {
  bool isSigned = type.kind == ptx::Type::Kind::Signed;
  if (!isSigned && type.kind != ptx::Type::Kind::Unsigned && type.kind != ptx::Type::Kind::Bits)
    d.fail("expected an integer type");
  switch (type.bits) {
  case 16:
    return isSigned ? f(int16_t()) : f(uint16_t());
  case 32:
    return isSigned ? f(int32_t()) : f(uint32_t());
  case 64:
    return isSigned ? f(int64_t()) : f(uint64_t());
  default:
    d.fail("integers of " + std::to_string(type.bits) + " bits are not taken here");
  }
}

} // namespace mxc::sim
