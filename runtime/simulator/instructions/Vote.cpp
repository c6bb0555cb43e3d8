// vote, match, activemask, elect: what the lanes of a warp tell each other in one bit (PTX ISA 9.7.13).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Converge.h"
#include "runtime/simulator/instructions/Elementwise.h"

namespace mxc::sim {

namespace {

constexpr int kDestination = 0, kFound = 1, kSource = 2, kMembers = 3; // rows
constexpr int kIsNegated = 0, kHasMembers = 1, kHasFound = 2;          // small

/// The lanes that take part in `lane`'s operation.
uint32_t membersOf(Warp &warp, const Instruction &i, int lane) {
  return i.small[kHasMembers] ? lanes<uint32_t>(warp, i.rows[kMembers])[lane] & warp.mask : warp.mask;
}

bool gathers(Warp &warp, const Instruction &i, const char *what) {
  return !i.small[kHasMembers] || convergeOn(warp, i.rows[kMembers], what);
}

enum class Vote : uint8_t { All, Any, Uniform };

template <Vote kVote> Outcome vote(Warp &warp, const Instruction &i) {
  if (!gathers(warp, i, "vote.sync with lanes")) return Outcome::Blocked;
  uint32_t source = predicate(warp, i.rows[kSource]);
  if (i.small[kIsNegated]) source = ~source;
  forPredicate(warp, i.rows[kDestination], [&](int lane) {
    uint32_t members = membersOf(warp, i, lane), set = source & members;
    return kVote == Vote::Any ? set != 0 : set == members || (kVote == Vote::Uniform && set == 0);
  });
  return Outcome::Next;
}

Outcome ballot(Warp &warp, const Instruction &i) {
  if (!gathers(warp, i, "vote.sync with lanes")) return Outcome::Blocked;
  uint32_t source = predicate(warp, i.rows[kSource]);
  if (i.small[kIsNegated]) source = ~source;
  forLanes<uint32_t>(warp, i.rows[kDestination], [&](int lane) { return source & membersOf(warp, i, lane); });
  return Outcome::Next;
}

Outcome activeMask(Warp &warp, const Instruction &i) {
  forLanes<uint32_t>(warp, i.rows[kDestination], [mask = warp.mask](int) { return mask; });
  return Outcome::Next;
}

/// The lanes among `members` that hold the value of `lane`.
template <class T> uint32_t equalLanes(const T *values, uint32_t members, int lane) {
  uint32_t equal = 0;
  for (int other = 0; other < kLanes; ++other)
    equal |= uint32_t(values[other] == values[lane]) << other;
  return equal & members;
}

template <class T> Outcome matchAny(Warp &warp, const Instruction &i) {
  if (!gathers(warp, i, "match.sync with lanes")) return Outcome::Blocked;
  const T *values = lanes<T>(warp, i.rows[kSource]);
  uint32_t result[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = equalLanes(values, membersOf(warp, i, lane), lane);
  forLanes<uint32_t>(warp, i.rows[kDestination], [&](int lane) { return result[lane]; });
  return Outcome::Next;
}

template <class T> Outcome matchAll(Warp &warp, const Instruction &i) {
  if (!gathers(warp, i, "match.sync with lanes")) return Outcome::Blocked;
  const T *values = lanes<T>(warp, i.rows[kSource]);
  uint32_t result[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t members = membersOf(warp, i, lane);
    result[lane] = equalLanes(values, members, lane) == members ? members : 0;
  }
  forLanes<uint32_t>(warp, i.rows[kDestination], [&](int lane) { return result[lane]; });
  if (i.small[kHasFound]) forPredicate(warp, i.rows[kFound], [&](int lane) { return result[lane] != 0; });
  return Outcome::Next;
}

/// The ISA says that the same lane is elected for the same mask again, and not which.
bool electsLast(Warp &warp) {
  const Schedule &schedule = gridOf(warp).options->schedule;
  return isStrict(warp) && schedule.kind == Schedule::Kind::Random && schedule.seed % 2;
}

/// The lowest lane, as an H200 elects; under odd seeds of strict checks the highest.
Outcome elect(Warp &warp, const Instruction &i) {
  if (!gathers(warp, i, "elect.sync with lanes")) return Outcome::Blocked;
  const bool isLast = electsLast(warp);
  uint32_t leader[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t members = membersOf(warp, i, lane);
    leader[lane] = !members ? 0 : uint32_t(isLast ? 31 - __builtin_clz(members) : __builtin_ctz(members));
  }
  forLanes<uint32_t>(warp, i.rows[kDestination], [&](int lane) { return leader[lane]; });
  forPredicate(warp, i.rows[kFound], [&](int lane) { return leader[lane] == uint32_t(lane); });
  return Outcome::Next;
}

void takeMembers(Decoder &d, Instruction &out, size_t operand) {
  out.small[kHasMembers] = d.take("sync");
  if (out.small[kHasMembers]) out.rows[kMembers] = d.read(operand, kTypeB32);
}

void decodeVote(Decoder &d, Instruction &out) {
  takeMembers(d, out, 2);
  std::string_view mode = d.takeOneOf({"all", "any", "uni", "ballot"});
  out.handler = mode == "all"      ? vote<Vote::All>
                : mode == "any"    ? vote<Vote::Any>
                : mode == "uni"    ? vote<Vote::Uniform>
                : mode == "ballot" ? ballot
                                   : nullptr;
  if (!out.handler) d.fail("expected .all, .any, .uni or .ballot");
  d.ignore({mode == "ballot" ? "b32" : "pred"});
  d.finish();
  bool isNegated;
  out.rows[kSource] = d.readPredicate(1, isNegated);
  out.small[kIsNegated] = isNegated;
  out.rows[kDestination] = d.write(0, mode == "ballot" ? kTypeB32 : kTypePredicate);
}

void decodeMatch(Decoder &d, Instruction &out) {
  takeMembers(d, out, 2);
  if (!out.small[kHasMembers]) d.fail("expected match.sync");
  bool isAll = d.take("all");
  if (!isAll && !d.take("any")) d.fail("expected .all or .any");
  ptx::Type type = d.takeType();
  if (type.bits != 32 && type.bits != 64) d.fail("expected .b32 or .b64");
  d.finish();
  bool isWide = type.bits == 64;
  out.handler = isAll    ? isWide ? matchAll<uint64_t> : matchAll<uint32_t>
                : isWide ? matchAny<uint64_t>
                         : matchAny<uint32_t>;
  const ptx::Operand &destination = d.operand(0);
  bool isPair = destination.kind == ptx::Operand::Kind::Pair;
  if (isPair && !isAll) d.fail("only match.all gives a predicate");
  out.rows[kSource] = d.read(1, type);
  out.rows[kDestination] = d.write(isPair ? destination.parts[0] : destination, kTypeB32).offset;
  if (isPair) out.rows[kFound] = d.write(destination.parts[1], kTypePredicate).offset;
  out.small[kHasFound] = isPair;
}

void decodeActiveMask(Decoder &d, Instruction &out) {
  d.ignore({"b32"});
  d.finish();
  out.rows[kDestination] = d.write(0, kTypeB32);
  out.handler = activeMask;
}

void decodeElect(Decoder &d, Instruction &out) {
  takeMembers(d, out, 1);
  if (!out.small[kHasMembers]) d.fail("expected elect.sync");
  d.finish();
  const ptx::Operand &destination = d.operand(0);
  if (destination.kind != ptx::Operand::Kind::Pair) d.fail("expected a destination d|p");
  out.rows[kDestination] = d.write(destination.parts[0], kTypeB32).offset;
  out.rows[kFound] = d.write(destination.parts[1], kTypePredicate).offset;
  out.handler = elect;
}

} // namespace

extern const Table kVoteInstructions;
const Table kVoteInstructions = {
    {"vote", decodeVote, Counted::Warp, Unwritten::Warp, Order::None},
    {"match", decodeMatch, Counted::Warp, Unwritten::Warp, Order::None},
    {"activemask", decodeActiveMask, Counted::Warp, Unwritten::Lanewise, Order::None},
    {"elect", decodeElect, Counted::Warp, Unwritten::Use, Order::None}};

} // namespace mxc::sim
