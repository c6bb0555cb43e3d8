// shfl: a lane reads a register of another lane (PTX ISA 9.7.9.5, 9.7.9.6).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Converge.h"
#include "runtime/simulator/instructions/Elementwise.h"

namespace mxc::sim {

namespace {

enum class Mode : uint8_t { Up, Down, Butterfly, Indexed };

constexpr int kDestination = 0, kFound = 1, kSource = 2, kWhere = 3, kClamp = 4, kMembers = 5; // rows
constexpr int kHasFound = 0, kIsSynchronizing = 1;                                             // small

/// The source lane, and whether it lies in the segment; if not, the lane reads itself. Operand c: bits 0-4
/// clamp, 8-12 are set where lanes of different segments differ.
template <Mode kMode> bool sourceLane(int lane, uint32_t b, uint32_t c, int &source) {
  int by = int(b & 0x1f), clamp = int(c & 0x1f), segment = int(c >> 8 & 0x1f);
  int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  bool isInside;
  switch (kMode) {
  case Mode::Up:
    source = lane - by;
    isInside = source >= last; // the clamp is the smallest lane here
    break;
  case Mode::Down:
    source = lane + by;
    isInside = source <= last;
    break;
  case Mode::Butterfly:
    source = lane ^ by;
    isInside = source <= last;
    break;
  case Mode::Indexed:
    source = first | (by & ~segment);
    isInside = source <= last;
    break;
  }
  if (!isInside) source = lane;
  return isInside;
}

template <Mode kMode> Outcome shuffle(Warp &warp, const Instruction &i) {
  if (i.small[kIsSynchronizing] && !convergeOn(warp, i.rows[kMembers], "shfl.sync with lanes"))
    return Outcome::Blocked;
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[kSource]), *b = lanes<uint32_t>(warp, i.rows[kWhere]),
                 *c = lanes<uint32_t>(warp, i.rows[kClamp]);
  uint32_t found = 0, values[kLanes], read = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    int source;
    found |= uint32_t(sourceLane<kMode>(lane, b[lane], c[lane], source)) << lane;
    values[lane] = a[source];
    if (warp.mask >> lane & 1) read |= 1u << source;
  }
  // Undefined by PTX; the hardware delivers what the register of that lane holds.
  if (uint32_t others = read & ~warp.mask; others && isStrict(warp))
    report(*gridOf(warp).options, Finding::Membermask, FaultKind::Race,
           "a lane reads the register of lane " + std::to_string(__builtin_ctz(others)) +
               ", which does not take part");
  forLanes<uint32_t>(warp, i.rows[kDestination], [&](int lane) { return values[lane]; });
  if (i.small[kHasFound]) forPredicate(warp, i.rows[kFound], [&](int lane) { return found >> lane & 1; });
  return Outcome::Next;
}

void decodeShuffle(Decoder &d, Instruction &out) {
  out.small[kIsSynchronizing] = d.take("sync");
  std::string_view mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  out.handler = mode == "up"     ? shuffle<Mode::Up>
                : mode == "down" ? shuffle<Mode::Down>
                : mode == "bfly" ? shuffle<Mode::Butterfly>
                : mode == "idx"  ? shuffle<Mode::Indexed>
                                 : nullptr;
  if (!out.handler) d.fail("expected .up, .down, .bfly or .idx");
  if (d.takeType().bits != 32) d.fail("expected a type of 32 bits");
  d.finish();
  const ptx::Operand &destination = d.operand(0);
  bool isPair = destination.kind == ptx::Operand::Kind::Pair;
  out.rows[kSource] = d.read(1, kTypeB32);
  out.rows[kWhere] = d.read(2, kTypeB32);
  out.rows[kClamp] = d.read(3, kTypeB32);
  if (out.small[kIsSynchronizing]) out.rows[kMembers] = d.read(4, kTypeB32);
  out.rows[kDestination] = d.write(isPair ? destination.parts[0] : destination, kTypeB32).offset;
  if (isPair) out.rows[kFound] = d.write(destination.parts[1], kTypePredicate).offset;
  out.small[kHasFound] = isPair;
}

} // namespace

extern const Table kShuffleInstructions;
const Table kShuffleInstructions = {{"shfl", decodeShuffle, Counted::Warp, Unwritten::Shuffle, Order::None}};

} // namespace mxc::sim
