// Branches, calls and the ends of threads (PTX ISA 9.7.12).
#include "runtime/simulator/Fragments.h"
#include "runtime/simulator/ProgramBuilder.h"
#include "runtime/simulator/instructions/Decoder.h"
#include "runtime/simulator/instructions/Lanes.h"
#include "runtime/simulator/memory/Access.h"

#include <cstring>

namespace mxc::sim {

namespace {

constexpr ptx::Type kB32{ptx::Type::Kind::Bits, 32, false}, kB64{ptx::Type::Kind::Bits, 64, false};

Outcome branch(Warp &warp, const Instruction &i) {
  splitFragment(warp, warp.mask, i.target, i.reconvergence);
  return Outcome::Jump;
}

struct Targets : InstructionData {
  std::vector<uint32_t> instructions;
};

/// One group of lanes at a time leaves for its target; the others stay at the instruction and come back to it.
Outcome indexedBranch(Warp &warp, const Instruction &i) {
  const std::vector<uint32_t> &targets = static_cast<const Targets &>(*i.data).instructions;
  const uint32_t *index = lanes<uint32_t>(warp, i.rows[0]);
  uint32_t first = index[__builtin_ctz(warp.mask)], same = 0;
  if (first >= targets.size())
    throw FaultError(FaultKind::Illegal, "index " + std::to_string(first) + " of " + std::to_string(targets.size()) +
                                             " branch targets", __builtin_ctz(warp.mask));
  forEachLane(warp, [&](int lane) { same |= uint32_t(index[lane] == first) << lane; });
  uint32_t others = warp.mask & ~same;
  splitFragment(warp, same, targets[first], i.reconvergence);
  // The guard's false lanes fell through behind it; those with another index are sent back.
  if (others) sendBack(warp, others, uint32_t(&i - warp.cta->cluster->grid->program->instructions.data()), i.reconvergence);
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
  for (const ptx::TargetList &list : d.builder().function().targetLists)
    if (list.name == d.operand(1).name)
      for (uint32_t target : list.targets)
        targets->instructions.push_back(first + target);
  if (targets->instructions.empty()) d.fail("'" + d.operand(1).name + "' is no list of branch targets");
  out.rows[0] = d.read(0, kB32);
  out.data = std::move(targets);
  out.handler = indexedBranch;
}

Outcome leave(Warp &, const Instruction &) { return Outcome::Exit; }

Outcome giveBack(Warp &warp, const Instruction &) { return returnFromCall(warp) ? Outcome::Jump : Outcome::Exit; }

Outcome trap(Warp &, const Instruction &) { throw FaultError(FaultKind::Trap, "trap"); }
Outcome nothing(Warp &, const Instruction &) { return Outcome::Next; }

struct Copy { // of a lane's local bytes
  uint32_t from, to, bytes;
};
struct Call : InstructionData {
  std::string function; // of externs
  uint32_t target = kNone;
  std::vector<Copy> arguments, results;
  std::vector<uint32_t> externArguments; // local offsets
  uint32_t externResult = kNone;
};

void copyLocal(Warp &warp, const std::vector<Copy> &copies) {
  uint32_t bytes = gridOf(warp).program->localBytes;
  forEachLane(warp, [&](int lane) {
    for (const Copy &copy : copies)
      std::memmove(warp.local + size_t(lane) * bytes + copy.to, warp.local + size_t(lane) * bytes + copy.from, copy.bytes);
  });
}

Outcome call(Warp &warp, const Instruction &i) {
  const Call &call = static_cast<const Call &>(*i.data);
  copyLocal(warp, call.arguments);
  uint32_t pc = uint32_t(&i - gridOf(warp).program->instructions.data());
  enterCall(warp, pc, call.target);
  return Outcome::Jump;
}

/// __assertfail(message, file, line, function, character size): a fault with the text.
Outcome assertionFails(Warp &warp, const Instruction &i) {
  const Call &call = static_cast<const Call &>(*i.data);
  int lane = __builtin_ctz(warp.mask);
  auto text = [&](size_t index) -> std::string {
    if (index >= call.externArguments.size()) return "";
    uint64_t address;
    std::memcpy(&address, warp.local + size_t(lane) * gridOf(warp).program->localBytes + call.externArguments[index], 8);
    std::string result;
    while (result.size() < 1000) {
      char c = char(*access(warp, ptx::Space::Generic, address + result.size(), 1, AccessKind::Read, lane));
      if (!c) break;
      result += c;
    }
    return result;
  };
  throw FaultError(FaultKind::Trap, "assertion failed: " + text(0) + " (" + text(1) + ")", lane);
}

/// vprintf's text is not shown; a kernel's results do not depend on it.
Outcome printsNothing(Warp &warp, const Instruction &i) {
  const Call &call = static_cast<const Call &>(*i.data);
  if (call.externResult == kNone) return Outcome::Next;
  forEachLane(warp, [&](int lane) {
    std::memset(warp.local + size_t(lane) * gridOf(warp).program->localBytes + call.externResult, 0, 4);
  });
  return Outcome::Next;
}

std::vector<std::string> namesOf(const Decoder &d, const ptx::Operand &list) {
  std::vector<std::string> names;
  if (list.kind != ptx::Operand::Kind::List) d.fail("expected a list in parentheses");
  for (const ptx::Operand &part : list.parts) {
    if (part.kind != ptx::Operand::Kind::Symbol) d.fail("only .param variables are passed");
    names.push_back(part.name);
  }
  return names;
}

uint32_t localOf(Decoder &d, const ptx::Function &function, const std::string &name) {
  uint32_t offset = d.builder().localOffset(function, name);
  if (offset == kNone) d.fail("'" + name + "' is no .param variable of " + function.name);
  return offset;
}

void decodeCall(Decoder &d, Instruction &out) {
  d.ignore({"uni"});
  d.finish();
  size_t at = 0;
  std::vector<std::string> results, arguments;
  if (d.operand(0).kind == ptx::Operand::Kind::List) results = namesOf(d, d.operand(at++));
  const ptx::Operand &callee = d.operand(at++);
  if (callee.kind != ptx::Operand::Kind::Symbol) d.fail("calls through a register are not simulated");
  if (at < d.operandCount() && d.operand(at).kind == ptx::Operand::Kind::List) arguments = namesOf(d, d.operand(at));
  const ptx::Function &caller = d.builder().function();
  auto data = std::make_unique<Call>();
  data->function = callee.name;
  data->target = d.builder().firstInstructionOf(callee.name);
  if (data->target == kNone) {
    for (const std::string &name : arguments)
      data->externArguments.push_back(localOf(d, caller, name));
    if (!results.empty()) data->externResult = localOf(d, caller, results[0]);
    out.handler = callee.name == "__assertfail" ? assertionFails : callee.name == "vprintf" ? printsNothing : nullptr;
    if (!out.handler) d.fail("function '" + callee.name + "' is not in the module");
  } else {
    const ptx::Function &function = d.builder().functionNamed(callee.name);
    if (function.parameters.size() != arguments.size() || function.returns.size() != results.size())
      d.fail("'" + callee.name + "' takes " + std::to_string(function.parameters.size()) + " parameters");
    for (size_t i = 0; i < arguments.size(); ++i)
      data->arguments.push_back({localOf(d, caller, arguments[i]), localOf(d, function, function.parameters[i].name),
                                 uint32_t(function.parameters[i].bytes)});
    for (size_t i = 0; i < results.size(); ++i)
      data->results.push_back({localOf(d, function, function.returns[i].name), localOf(d, caller, results[i]),
                               uint32_t(function.returns[i].bytes)});
    out.handler = call;
  }
  out.data = std::move(data);
}

template <Handler handler> void decodePlain(Decoder &d, Instruction &out) {
  d.ignore({"uni"});
  d.finish();
  out.handler = handler;
}

} // namespace

Handler returnHandler() { return giveBack; }

void copyResults(Warp &warp, const Instruction &callInstruction) {
  copyLocal(warp, static_cast<const Call &>(*callInstruction.data).results);
}

extern const Table kControlInstructions;
const Table kControlInstructions = {
    {"bra", decodeBranch},         {"brx", decodeIndexedBranch},    {"call", decodeCall},
    {"ret", decodePlain<giveBack>}, {"exit", decodePlain<leave>},   {"trap", decodePlain<trap>},
    {"brkpt", decodePlain<nothing>},
};

} // namespace mxc::sim
