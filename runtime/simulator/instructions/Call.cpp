// Calls (PTX ISA 9.7.12.3). Parameters are .param variables: bytes of a lane's local memory, copied from the
// caller's to the function's and back.
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/decode/ProgramBuilder.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/WarpSplits.h"
#include "runtime/simulator/memory/Access.h"

#include <cstring>

namespace mxc::sim {

namespace {

struct Call : InstructionData {
  const std::string *function = nullptr;      // null: by address, in rows[0]
  std::vector<LocalRange> arguments, results; // in the caller
};

const Call &callOf(const Instruction &i) { return static_cast<const Call &>(*i.data); }

std::byte *localBytes(Warp &warp, int lane, uint32_t offset) {
  return warp.local + size_t(lane) * gridOf(warp).program->localBytes + offset;
}

/// What is passed must be as large as what is taken: the bytes are copied from one to the other.
void checkSizes(const FunctionPlace &function, const std::vector<LocalRange> &passed,
                const std::vector<LocalRange> &taken, const char *what) {
  for (size_t k = 0; k < passed.size(); ++k)
    if (passed[k].bytes != taken[k].bytes)
      throw FaultError(FaultKind::Illegal, std::string(what) + " " + std::to_string(k + 1) + " of '" +
                                               function.function->name + "' has " +
                                               std::to_string(taken[k].bytes) + " bytes, found " +
                                               std::to_string(passed[k].bytes));
}

void enter(Warp &warp, const Instruction &i, const FunctionPlace &function) {
  const Call &call = callOf(i);
  if (call.arguments.size() != function.parameters.size() || call.results.size() != function.returns.size())
    throw FaultError(FaultKind::Illegal,
                     "'" + function.function->name + "' takes " + std::to_string(function.parameters.size()) +
                         " parameters and returns " + std::to_string(function.returns.size()) + ", found " +
                         std::to_string(call.arguments.size()) + " and " +
                         std::to_string(call.results.size()));
  checkSizes(function, call.arguments, function.parameters, "parameter");
  checkSizes(function, call.results, function.returns, "result");
  enterCall(warp, uint32_t(&i - gridOf(warp).program->instructions.data()), function, call.results);
  forEachLane(warp, [&](int lane) {
    for (size_t k = 0; k < call.arguments.size(); ++k)
      std::memmove(localBytes(warp, lane, function.parameters[k].offset),
                   localBytes(warp, lane, call.arguments[k].offset), function.parameters[k].bytes);
  });
}

Outcome callByName(Warp &warp, const Instruction &i) {
  for (const FunctionPlace &function : gridOf(warp).program->functions)
    if (function.function->name == *callOf(i).function) {
      enter(warp, i, function);
      return Outcome::Jump;
    }
  throw FaultError(FaultKind::Illegal, "function '" + *callOf(i).function + "' is not in the module");
}

/// One function at a time: lanes that call another one come back to the instruction.
Outcome callByAddress(Warp &warp, const Instruction &i) {
  const uint64_t *addresses = lanes<uint64_t>(warp, i.rows[0]);
  int first = __builtin_ctz(warp.mask);
  uint32_t same = 0;
  forEachLane(warp, [&](int lane) { same |= uint32_t(addresses[lane] == addresses[first]) << lane; });
  for (const FunctionPlace &function : gridOf(warp).program->functions)
    if (function.address == addresses[first]) {
      uint32_t pc = warp.split().pc;
      partLanes(warp, same, function.firstInstruction, pc, pc + 1);
      warp.mask = same;
      enter(warp, i, function);
      return Outcome::Jump;
    }
  throw FaultError(FaultKind::Illegal, "no function has the address that is called", first);
}

/// __assertfail(message, file, line, function, character size): a fault with the text.
Outcome assertionFails(Warp &warp, const Instruction &i) {
  const Call &call = callOf(i);
  int lane = __builtin_ctz(warp.mask);
  auto text = [&](size_t index) -> std::string {
    if (index >= call.arguments.size() || call.arguments[index].bytes < 8) return "";
    uint64_t address;
    std::memcpy(&address, localBytes(warp, lane, call.arguments[index].offset), 8);
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
  forEachLane(warp, [&](int lane) {
    for (LocalRange result : callOf(i).results)
      std::memset(localBytes(warp, lane, result.offset), 0, result.bytes);
  });
  return Outcome::Next;
}

std::vector<LocalRange> variablesOf(Decoder &d, const ptx::Operand &list) {
  std::vector<LocalRange> ranges;
  if (list.kind != ptx::Operand::Kind::List) d.fail("expected a list in parentheses");
  for (const ptx::Operand &part : list.parts) {
    std::optional<LocalRange> range;
    if (part.kind == ptx::Operand::Kind::Symbol)
      range = d.builder().localRange(d.builder().function(), part.name);
    if (!range) d.fail("only .param variables are passed");
    ranges.push_back(*range);
  }
  return ranges;
}

Handler handlerOf(Decoder &d, const std::string &name) {
  if (d.builder().holds(name)) return callByName;
  if (name == "__assertfail") return assertionFails;
  if (name == "vprintf") return printsNothing;
  d.fail("function '" + name + "' is not in the module");
}

void decodeCall(Decoder &d, Instruction &out) {
  d.ignore({"uni"});
  d.finish();
  auto data = std::make_unique<Call>();
  size_t at = 0;
  if (d.operand(0).kind == ptx::Operand::Kind::List) data->results = variablesOf(d, d.operand(at++));
  const ptx::Operand &callee = d.operand(at++);
  if (at < d.operandCount() && d.operand(at).kind == ptx::Operand::Kind::List)
    data->arguments = variablesOf(d, d.operand(at));
  if (callee.kind == ptx::Operand::Kind::Symbol) {
    data->function = &callee.name;
    out.handler = handlerOf(d, callee.name);
  } else {
    out.rows[0] = d.read(callee, kTypeB64).offset;
    out.handler = callByAddress;
  }
  out.data = std::move(data);
}

} // namespace

extern const Table kCallInstructions;
const Table kCallInstructions = {{"call", decodeCall}};

} // namespace mxc::sim
