// Calls (PTX ISA 9.7.12.3). What is passed lies in registers, in .param variables, which are bytes of a
// lane's local memory, or is a literal; it is copied from the caller's places to the function's and back.
#include "runtime/simulator/instructions/Call.h"

#include "runtime/simulator/decode/ProgramBuilder.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/SavedFunction.h"
#include "runtime/simulator/machine/WarpSplits.h"
#include "runtime/simulator/memory/UnwrittenValues.h"

#include <algorithm>

namespace mxc::sim {

namespace {

using Places = std::vector<ParameterPlace>;

/// What is passed must be as large as what is taken: the bytes are copied from one to the other.
void checkSizes(const FunctionPlace &function, const Places &passed, const Places &taken, const char *what) {
  for (size_t k = 0; k < passed.size(); ++k)
    if (passed[k].bytes() != taken[k].bytes())
      throw FaultError(FaultKind::Illegal, std::string(what) + " " + std::to_string(k + 1) + " of '" +
                                               function.function->name + "' has " +
                                               std::to_string(taken[k].bytes()) + " bytes, found " +
                                               std::to_string(passed[k].bytes()));
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
  const std::vector<std::byte> values = takeParameters(warp, call.arguments);
  enterCall(warp, uint32_t(&i - gridOf(warp).program->instructions.data()), function, call.results);
  giveParameters(warp, function.parameters, values);
  for (const ParameterPlace &place : function.parameters)
    if (place.row.bytes) noteWritten(warp, place.row, warp.mask);
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

/// A parameter as the function, or the prototype of a call by address, declares it: literals and _ have no
/// type of their own.
struct Declared {
  ptx::Type type;
  uint32_t bytes;
};

std::vector<Declared> declared(const std::vector<ptx::Variable> &variables) {
  std::vector<Declared> all;
  for (const ptx::Variable &variable : variables) {
    all.insert(all.end(), variable.registers.size(), {variable.type, variable.type.bytes()});
    if (variable.registers.empty()) all.push_back({variable.type, uint32_t(variable.bytes)});
  }
  return all;
}

struct Signature {
  std::vector<Declared> parameters, returns;
};

Signature signatureOf(Decoder &d, const ptx::Operand &callee) {
  auto of = [](const auto &any) { return Signature{declared(any.parameters), declared(any.returns)}; };
  if (const ptx::Function *function = d.builder().functionNamed(callee.name)) return of(*function);
  const ptx::Operand &last = d.operand(d.operandCount() - 1); // of a call by address
  for (const ptx::TargetList &list : d.builder().function().targetLists) {
    if (last.kind != ptx::Operand::Kind::Symbol || list.name != last.name) continue;
    const ptx::Function *function = list.names.empty() ? nullptr : d.builder().functionNamed(list.names[0]);
    return function ? of(*function) : of(list);
  }
  return {};
}

/// The operands of a call's list: (a, {b, c}, 7, _).
class ListPlaces {
public:
  ListPlaces(Decoder &d, const std::vector<Declared> &declared, bool isWritten)
      : d_(d), declared_(declared), isWritten_(isWritten) {}

  Places of(const ptx::Operand &list) {
    if (list.kind != ptx::Operand::Kind::List) d_.fail("expected a list in parentheses");
    for (const ptx::Operand &part : list.parts)
      add(part);
    return std::move(places_);
  }

private:
  const Declared &taken() {
    if (places_.size() >= declared_.size()) d_.fail("more is passed than is declared");
    return declared_[places_.size()];
  }

  void add(const ptx::Operand &part) {
    using Kind = ptx::Operand::Kind;
    if (part.kind == Kind::Vector) {
      for (const ptx::Operand &component : part.parts)
        add(component);
    } else if (part.kind == Kind::Symbol) {
      std::optional<LocalRange> range = d_.builder().localRange(d_.builder().function(), part.name);
      if (!range) d_.fail("'" + part.name + "' is neither a register nor a .param variable");
      places_.push_back({.local = *range});
    } else if (part.kind == Kind::Register) {
      ptx::Type type = d_.builder().registerType(part.reg);
      if (type.kind == ptx::Type::Kind::Predicate) d_.fail("predicates are not passed");
      places_.push_back({.row = isWritten_ ? d_.write(part, type) : d_.read(part, type)});
    } else if (part.kind == Kind::Sink && isWritten_) {
      const uint32_t bytes = taken().bytes;
      places_.push_back({.row = {d_.scratch(bytes), bytes}});
    } else if (isWritten_) {
      d_.fail("a result needs a register or a .param variable");
    } else {
      places_.push_back({.row = d_.read(part, taken().type)});
    }
  }

  Decoder &d_;
  const std::vector<Declared> &declared_;
  const bool isWritten_;
  Places places_;
};

Handler handlerOf(Decoder &d, const std::string &name) {
  if (d.builder().holds(name)) return callByName;
  if (Handler handler = systemFunction(name)) return handler;
  d.fail("function '" + name + "' is not in the module");
}

void decodeCall(Decoder &d, Instruction &out) {
  d.ignore({"uni"});
  d.finish();
  auto data = std::make_unique<Call>();
  const bool hasResults = d.operand(0).kind == ptx::Operand::Kind::List;
  const size_t at = hasResults ? 1 : 0;
  const ptx::Operand &callee = d.operand(at);
  const Signature signature = signatureOf(d, callee);
  if (hasResults) data->results = ListPlaces(d, signature.returns, true).of(d.operand(0));
  if (at + 1 < d.operandCount() && d.operand(at + 1).kind == ptx::Operand::Kind::List)
    data->arguments = ListPlaces(d, signature.parameters, false).of(d.operand(at + 1));
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
const Table kCallInstructions = {{"call", decodeCall, Counted::Control, Unwritten::Use, Order::None}};

} // namespace mxc::sim
