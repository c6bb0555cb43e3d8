// Branches and the ends of threads (PTX ISA 9.7.12).
#include "runtime/simulator/decode/ProgramBuilder.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/WarpSplits.h"
#include "runtime/simulator/memory/UnwrittenValues.h"
#include "runtime/simulator/ptx/ControlFlow.h"

namespace mxc::sim {

namespace {

Outcome branch(Warp &warp, const Instruction &i) {
  partLanes(warp, warp.mask, i.target, warp.split().pc + 1, i.reconvergence);
  return Outcome::Jump;
}

struct Targets : InstructionData {
  std::vector<uint32_t> instructions;
};

/// One group of lanes at a time leaves for its target; the others stay at the instruction and come back to
/// it.
Outcome indexedBranch(Warp &warp, const Instruction &i) {
  const std::vector<uint32_t> &targets = static_cast<const Targets &>(*i.data).instructions;
  const uint32_t *index = lanes<uint32_t>(warp, i.rows[0]);
  uint32_t first = index[__builtin_ctz(warp.mask)], same = 0;
  if (first >= targets.size())
    throw FaultError(FaultKind::Illegal,
                     "index " + std::to_string(first) + " of " + std::to_string(targets.size()) +
                         " branch targets",
                     __builtin_ctz(warp.mask));
  forEachLane(warp, [&](int lane) { same |= uint32_t(index[lane] == first) << lane; });
  partLanes(warp, same, targets[first], warp.split().pc, i.reconvergence);
  return Outcome::Jump;
}

void decodeBranch(Decoder &d, Instruction &out) {
  d.ignore({"uni"});
  d.finish();
  if (d.operand(0).kind != ptx::Operand::Kind::Symbol) d.fail("expected a label");
  out.target = d.builder().firstInstructionOf(d.builder().function().name) + d.operand(0).target;
  out.handler = branch;
}

void decodeIndexedBranch(Decoder &d, Instruction &out) {
  if (!d.take("idx")) d.fail("expected brx.idx");
  d.ignore({"uni"});
  d.finish();
  auto targets = std::make_unique<Targets>();
  uint32_t first = d.builder().firstInstructionOf(d.builder().function().name);
  for (uint32_t target : ptx::targetsOf(d.builder().function(), d.source()))
    targets->instructions.push_back(first + target);
  if (targets->instructions.empty()) d.fail("'" + d.operand(1).name + "' is no list of branch targets");
  out.rows[0] = d.read(0, kTypeB32);
  out.data = std::move(targets);
  out.handler = indexedBranch;
}

Outcome leave(Warp &, const Instruction &) { return Outcome::Exit; }

/// What a function returns in registers, somebody must have written.
void checkReturns(Warp &warp) {
  if (warp.split().frames.empty() || (!warp.holdsUnwritten && !isStrict(warp))) return;
  for (const ParameterPlace &place : warp.split().frames.back().function->returns) {
    if (!place.row.bytes) continue;
    if (isStrict(warp)) requireWritten(warp, place.row, warp.mask);
    requireNone(warp, place.row.offset, unwrittenLanes(warp, place.row.offset), "the result of a call");
  }
}

Outcome giveBack(Warp &warp, const Instruction &) {
  checkReturns(warp);
  return returnFromCall(warp) ? Outcome::Jump : Outcome::Exit;
}

Outcome trap(Warp &, const Instruction &) { throw FaultError(FaultKind::Trap, "trap"); }
Outcome nothing(Warp &, const Instruction &) { return Outcome::Next; }

template <Handler handler> void decodePlain(Decoder &d, Instruction &out) {
  d.ignore({"uni"});
  d.finish();
  out.handler = handler;
}

} // namespace

extern const Table kControlInstructions;
const Table kControlInstructions = {
    {"bra", decodeBranch, Counted::Control, Unwritten::Use, Order::None},
    {"brx", decodeIndexedBranch, Counted::Control, Unwritten::Use, Order::None},
    {"ret", decodePlain<giveBack>, Counted::Control, Unwritten::Lanewise, Order::None},
    {"exit", decodePlain<leave>, Counted::Control, Unwritten::Lanewise, Order::None},
    {"trap", decodePlain<trap>, Counted::Control, Unwritten::Lanewise, Order::None},
    {"brkpt", decodePlain<nothing>, Counted::Control, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
