// What a functional simulator need not do: prefetches, cache policies, sleeps (PTX ISA 9.7.9.15
// to 9.7.9.19, 9.7.19).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

namespace mxc::sim {

namespace {

Outcome nothing(Warp &, const Instruction &) { return Outcome::Next; }

/// Words of a hint say how much and where to; none of it matters.
void decodeHint(Decoder &d, Instruction &out) {
  d.ignore({"global", "local", "const", "param", "shared", "tensormap", "L1", "L2", "evictlast",
            "L2::evict_last", "L2::evict_normal", "uniform", "mask", "u32"});
  d.finish();
  out.handler = nothing;
}

struct Policy {
  std::string_view name;
  uint64_t bits; // as CUTLASS writes them for the whole of the accesses
};
constexpr Policy kPolicies[] = {{"L2::evict_normal", 0x1000000000000000},
                                {"L2::evict_first", 0x12f0000000000000},
                                {"L2::evict_last", 0x14f0000000000000},
                                {"L2::evict_unchanged", 0x1000000000000000}};

Outcome setPolicy(Warp &warp, const Instruction &i) {
  uint64_t policy = uint64_t(i.immediate);
  forLanes<uint64_t>(warp, i.rows[0], [=](int) { return policy; });
  return Outcome::Next;
}

/// An opaque value: nothing but .L2::cache_hint operands take it, which are ignored.
void decodePolicy(Decoder &d, Instruction &out) {
  d.ignore({"fractional", "range", "cvt", "L2", "global", "b64"});
  for (const Policy &policy : kPolicies)
    while (d.take(policy.name))
      if (out.immediate == 0) out.immediate = int64_t(policy.bits);
  d.finish();
  out.rows[0] = d.write(0, kTypeB64);
  out.handler = setPolicy;
}

} // namespace

extern const Table kHintInstructions;
const Table kHintInstructions = {
    {"prefetch", decodeHint, Counted::Memory, Unwritten::Use, Order::None},
    {"prefetchu", decodeHint, Counted::Memory, Unwritten::Use, Order::None},
    {"discard", decodeHint, Counted::Memory, Unwritten::Lanewise, Order::None},
    {"applypriority", decodeHint, Counted::Memory, Unwritten::Lanewise, Order::None},
    {"nanosleep", decodeHint, Counted::Control, Unwritten::Lanewise, Order::None},
    {"pmevent", decodeHint, Counted::Control, Unwritten::Lanewise, Order::None},
    {"createpolicy", decodePolicy, Counted::Memory, Unwritten::Lanewise, Order::None}};

} // namespace mxc::sim
