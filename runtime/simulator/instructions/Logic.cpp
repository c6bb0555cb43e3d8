// Logic on bits and predicates (PTX ISA 9.7.8, lop3 9.7.8.6).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <functional>

namespace mxc::sim {

namespace {

using ptx::Type;

/// rows[0] = F of whole masks; small[k] says that source k is negated.
template <class F> Outcome logicOfPredicates(Warp &warp, const Instruction &i) {
  uint32_t a = predicate(warp, i.rows[1]) ^ (i.small[1] ? ~0u : 0),
           b = predicate(warp, i.rows[2]) ^ (i.small[2] ? ~0u : 0);
  uint32_t &d = predicate(warp, i.rows[0]);
  d = (d & ~warp.mask) | (F{}(a, b) & warp.mask);
  return Outcome::Next;
}

struct FirstNot {
  uint32_t operator()(uint32_t a, uint32_t) const { return ~a; }
};
template <class T> struct Not {
  T operator()(T a) const { return T(~a); }
};
template <class T> struct LogicalNot {
  T operator()(T a) const { return a == 0; }
};

void takePredicates(Decoder &d, Instruction &out, size_t sources) {
  d.finish();
  for (size_t k = 1; k <= 2; ++k) {
    bool isNegated = false;
    out.rows[k] = d.readPredicate(k <= sources ? k : 1, isNegated);
    out.small[k] = isNegated;
  }
  out.rows[0] = d.write(0, kTypePredicate);
}

template <template <class> class F> void decodeLogic(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  if (type == kTypePredicate) {
    out.handler = logicOfPredicates<F<uint32_t>>;
    return takePredicates(d, out, 2);
  }
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return binary<F<T>, T, T>; });
  takeOperands(d, out, type, 2);
}

void decodeNot(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  if (type == kTypePredicate) {
    out.handler = logicOfPredicates<FirstNot>;
    return takePredicates(d, out, 1);
  }
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return unary<Not<T>, T, T>; });
  takeOperands(d, out, type, 1);
}

void decodeLogicalNot(Decoder &d, Instruction &out) {
  Type type = d.takeType();
  out.handler = forIntegerType(d, type, []<class T>(T) -> Handler { return unary<LogicalNot<T>, T, T>; });
  takeOperands(d, out, type, 1);
}

/// Bit (a, b, c) of the table for every bit, by three levels of selection. The table is 0xF0, 0xCC, 0xAA for
/// a, b, c themselves.
struct LookUp {
  uint32_t entry[8];
  explicit LookUp(int64_t table) {
    for (int k = 0; k < 8; ++k)
      entry[k] = table >> k & 1 ? ~0u : 0;
  }
  static uint32_t choose(uint32_t selector, uint32_t one, uint32_t zero) {
    return ((one ^ zero) & selector) ^ zero;
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t low = choose(b, choose(c, entry[3], entry[2]), choose(c, entry[1], entry[0]));
    uint32_t high = choose(b, choose(c, entry[7], entry[6]), choose(c, entry[5], entry[4]));
    return choose(a, high, low);
  }
};

Outcome lookUp(Warp &warp, const Instruction &i) {
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[1]), *b = lanes<uint32_t>(warp, i.rows[2]),
                 *c = lanes<uint32_t>(warp, i.rows[3]);
  LookUp table(i.immediate);
  forLanes<uint32_t>(warp, i.rows[0], [=](int lane) { return table(a[lane], b[lane], c[lane]); });
  return Outcome::Next;
}

/// lop3.or, lop3.and: also the predicate rows[4] = (d != 0) op rows[5].
Outcome lookUpWithPredicate(Warp &warp, const Instruction &i) {
  lookUp(warp, i);
  const uint32_t *d = lanes<uint32_t>(warp, i.rows[0]);
  uint32_t q = predicate(warp, i.rows[5]) ^ (i.small[1] ? ~0u : 0);
  bool isOr = i.small[0];
  forPredicate(warp, i.rows[4], [=](int lane) {
    bool isNotZero = d[lane] != 0, other = q >> lane & 1;
    return isOr ? isNotZero || other : isNotZero && other;
  });
  return Outcome::Next;
}

void decodeLookUp(Decoder &d, Instruction &out) {
  std::string_view combination = d.takeOneOf({"or", "and"});
  d.take("b32");
  d.finish();
  bool hasPair = d.operand(0).kind == ptx::Operand::Kind::Pair;
  if (hasPair != !combination.empty()) d.fail("d|p belongs to lop3.or and lop3.and");
  for (size_t k = 1; k <= 3; ++k)
    out.rows[k] = d.read(k, kTypeB32);
  out.immediate = d.integer(4);
  if (out.immediate < 0 || out.immediate > 255) d.fail("a look-up table has 8 bits");
  out.handler = lookUp;
  if (!hasPair) {
    out.rows[0] = d.write(0, kTypeB32);
    return;
  }
  bool isNegated = false;
  out.rows[5] = d.readPredicate(5, isNegated);
  out.small[0] = combination == "or";
  out.small[1] = isNegated;
  out.rows[0] = d.write(d.operand(0).parts.at(0), kTypeB32).offset;
  out.rows[4] = d.write(d.operand(0).parts.at(1), kTypePredicate).offset;
  out.handler = lookUpWithPredicate;
}

} // namespace

extern const Table kLogicInstructions;
const Table kLogicInstructions = {
    {"and",
     decodeLogic<std::bit_and>,
     Counted::Integer,
     {Unwritten::Mask, {{"pred", Unwritten::And}}},
     Order::None},
    {"or",
     decodeLogic<std::bit_or>,
     Counted::Integer,
     {Unwritten::Mask, {{"pred", Unwritten::Or}}},
     Order::None},
    {"xor", decodeLogic<std::bit_xor>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"not", decodeNot, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"cnot", decodeLogicalNot, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"lop3", decodeLookUp, Counted::Integer, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
