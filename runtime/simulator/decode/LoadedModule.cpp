#include "runtime/simulator/decode/LoadedModule.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/decode/ProgramBuilder.h"

#include <cstring>

namespace mxc::sim {

/// The chip of that name. Throws mxc::Error (InvalidInput) if it does not run code for `target`.
static TargetName chipFor(const std::string &target, const std::string &chip, std::string_view name) {
  std::optional<TargetName> wanted = TargetName::parse(target), own = TargetName::parse(chip);
  if (!wanted || !own || !wanted->ptxRunsOn(*own))
    throw Error(ErrorKind::InvalidInput, std::string(name) + ": its .target is " + target +
                                             ", which a simulated " + chip + " does not run");
  return *own;
}

LoadedModule::LoadedModule(std::string_view ptx, std::string_view name, GlobalMemory &memory,
                           const Options &options)
    : placed_{.module = ptx::parse(ptx, name),
              .text = std::string(ptx),
              .chip = {},
              .variables = {},
              .functions = {}},
      memory_(memory) {
  placed_.functions = functionPlaces(module());
  placed_.chip = chipFor(module().target, options.target, name);
  uint64_t left = memoryBudget(options); // what is written takes the host's memory
  for (const ptx::Variable &variable : module().variables) {
    if (variable.space != ptx::Space::Global && variable.space != ptx::Space::Const) continue;
    if (variable.bytes > left)
      throw Error(ErrorKind::Device, "variable " + variable.name + " of " + std::to_string(variable.bytes) +
                                         " bytes exceeds the budget for the host's memory (MXC_SIM_MEMORY)");
    uint64_t address =
        memory_.allocate(std::max<uint64_t>(variable.bytes, 1), "variable " + variable.name,
                         std::max(16u, variable.alignment), variable.space == ptx::Space::Const);
    if (!address) throw Error(ErrorKind::Device, "no device memory for variable " + variable.name);
    left -= variable.bytes;
    placed_.variables[variable.name] = {address, variable.bytes, variable.name,
                                        variable.space == ptx::Space::Const};
    memory_.markWritten(address, variable.bytes); // zeros, which fresh memory holds
  }
  for (const ptx::Variable &variable : module().variables)
    initialize(variable);
}

void LoadedModule::initialize(const ptx::Variable &variable) {
  const Allocation *place = placed_.variable(variable.name);
  if (!place) return;
  for (const ptx::Initializer &part : variable.initializers) {
    std::byte *to = memory_.host(place->address + part.offset);
    if (part.symbol.empty()) {
      std::memcpy(to, part.bytes.data(), part.bytes.size());
      continue;
    }
    const Allocation *other = placed_.variable(part.symbol);
    uint64_t address =
        (other ? other->address : placed_.functionAddress(part.symbol)) + uint64_t(part.addend);
    if (!address)
      throw Error(ErrorKind::InvalidInput, "variable " + variable.name +
                                               " is initialized with the address of " + part.symbol +
                                               ", which has none");
    std::memcpy(to, &address, 8);
  }
}

LoadedModule::~LoadedModule() {
  for (const auto &[name, variable] : placed_.variables)
    memory_.release(variable.address);
}

const Program *LoadedModule::kernel(std::string_view name) {
  if (auto found = programs_.find(name); found != programs_.end()) return found->second.get();
  for (const ptx::Function &function : module().functions)
    if (function.isEntry && !function.isExtern && function.name == name)
      return programs_.emplace(std::string(name), decode(placed_, function)).first->second.get();
  return nullptr;
}

} // namespace mxc::sim
