// redux.sync: one value of all lanes (PTX ISA 9.7.13.7).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Converge.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <algorithm>

namespace mxc::sim {

namespace {

constexpr int kDestination = 0, kSource = 1, kMembers = 2; // rows
constexpr int kIsAbsolute = 0, kPropagatesNan = 1;         // small

template <class T> struct Add { // wraps
  static T of(T a, T b) { return T(uint32_t(a) + uint32_t(b)); }
};
template <class T> struct Minimum {
  static T of(T a, T b) { return std::min(a, b); }
};
template <class T> struct Maximum {
  static T of(T a, T b) { return std::max(a, b); }
};
template <class T> struct And {
  static T of(T a, T b) { return a & b; }
};
template <class T> struct Or {
  static T of(T a, T b) { return a | b; }
};
template <class T> struct Xor {
  static T of(T a, T b) { return a ^ b; }
};

/// f(members) for each lane's membermask, which is computed once for lanes of one mask.
template <class F> void forMemberGroups(Warp &warp, const Instruction &i, F f) {
  const uint32_t *masks = lanes<uint32_t>(warp, i.rows[kMembers]);
  uint32_t results[kLanes] = {};
  for (uint32_t left = warp.mask; left;) {
    uint32_t mask = masks[__builtin_ctz(left)], group = 0;
    for (int lane = 0; lane < kLanes; ++lane)
      group |= uint32_t(masks[lane] == mask) << lane;
    group &= left;
    left &= ~group;
    uint32_t members = mask & warp.mask, result = members ? f(members) : 0;
    for (int lane = 0; lane < kLanes; ++lane)
      if (group >> lane & 1) results[lane] = result;
  }
  forLanes<uint32_t>(warp, i.rows[kDestination], [&](int lane) { return results[lane]; });
}

template <class T, template <class> class Operation> Outcome reduce(Warp &warp, const Instruction &i) {
  if (!convergeOn(warp, i.rows[kMembers], "redux.sync with lanes")) return Outcome::Blocked;
  const T *values = lanes<T>(warp, i.rows[kSource]);
  forMemberGroups(warp, i, [&](uint32_t members) {
    T result = values[__builtin_ctz(members)];
    for (members &= members - 1; members; members &= members - 1)
      result = Operation<T>::of(result, values[__builtin_ctz(members)]);
    return uint32_t(result);
  });
  return Outcome::Next;
}

/// An f32's bits as an integer of the same order, -0 before +0, as min and max order them.
int32_t ordered(uint32_t bits) { return int32_t(bits >> 31 ? bits ^ 0x7fffffff : bits); }

/// NaN counts only where all are NaN, or with .NaN where one is; then the result is the canonical one.
template <bool IsMaximum> Outcome reduceFloats(Warp &warp, const Instruction &i) {
  if (!convergeOn(warp, i.rows[kMembers], "redux.sync with lanes")) return Outcome::Blocked;
  const uint32_t *values = lanes<uint32_t>(warp, i.rows[kSource]);
  constexpr uint32_t kNan = 0x7fffffff;
  forMemberGroups(warp, i, [&](uint32_t members) {
    uint32_t result = kNan;
    for (; members; members &= members - 1) {
      uint32_t value = values[__builtin_ctz(members)];
      if (i.small[kIsAbsolute]) value &= 0x7fffffff;
      if ((value & 0x7fffffff) > 0x7f800000) {
        if (i.small[kPropagatesNan]) return kNan;
        continue;
      }
      bool isBetter = IsMaximum ? ordered(value) > ordered(result) : ordered(value) < ordered(result);
      if (result == kNan || isBetter) result = value;
    }
    return result;
  });
  return Outcome::Next;
}

struct ReduxRow {
  std::string_view operation;
  Handler isSigned, isUnsigned, isBits; // null: PTX has none
};
const ReduxRow kOperations[] = {
    {"add", reduce<int32_t, Add>, reduce<uint32_t, Add>, nullptr},
    {"min", reduce<int32_t, Minimum>, reduce<uint32_t, Minimum>, nullptr},
    {"max", reduce<int32_t, Maximum>, reduce<uint32_t, Maximum>, nullptr},
    {"and", nullptr, nullptr, reduce<uint32_t, And>},
    {"or", nullptr, nullptr, reduce<uint32_t, Or>},
    {"xor", nullptr, nullptr, reduce<uint32_t, Xor>},
};

void decodeRedux(Decoder &d, Instruction &out) {
  if (!d.take("sync")) d.fail("expected redux.sync");
  std::string_view operation = d.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  ptx::Type type = d.takeType();
  if (type.bits != 32 || type.isPacked) d.fail("expected a type of 32 bits");
  using enum ptx::Type::Kind;
  if (type.kind == Float) {
    out.small[kIsAbsolute] = d.take("abs");
    out.small[kPropagatesNan] = d.take("NaN");
    out.handler = operation == "max"   ? reduceFloats<true>
                  : operation == "min" ? reduceFloats<false>
                                       : nullptr;
  } else {
    for (const ReduxRow &row : kOperations)
      if (row.operation == operation)
        out.handler = type.kind == Signed     ? row.isSigned
                      : type.kind == Unsigned ? row.isUnsigned
                                              : row.isBits;
  }
  if (!out.handler) d.fail("PTX has no such operation of this type");
  d.finish();
  out.rows[kSource] = d.read(1, type);
  out.rows[kMembers] = d.read(2, kTypeB32);
  out.rows[kDestination] = d.write(0, type);
}

} // namespace

extern const Table kReduxInstructions;
const Table kReduxInstructions = {
    {"redux", decodeRedux, Counted::Warp, Unwritten::Warp, Order::None, {{"sm_100f", "f32"}}}};

} // namespace mxc::sim
