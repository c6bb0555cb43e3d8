#include "runtime/simulator/decode/LoadedModule.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/decode/ProgramBuilder.h"

#include <algorithm>
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

static constexpr uint64_t kLeastBytes = uint64_t(16) << 20; // for what any kernel needs

static bool isInMemory(const ptx::Variable &variable) {
  return variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
}

LoadedModule::LoadedModule(std::string_view ptx, std::string_view name, GlobalMemory &memory,
                           const Options &options)
    : placed_{.module = ptx::parse(ptx, name, std::max(kLeastBytes, memoryBudget(options) / 2)),
              .text = std::string(ptx),
              .chip = {},
              .variables = {},
              .functions = {}},
      memory_(memory), decodeLeft_(std::max(kLeastBytes, memoryBudget(options) / 4)) {
  placed_.functions = functionPlaces(module());
  placed_.chip = chipFor(module().target, options.target, name);
  checkBudget(memoryBudget(options));
  try {
    placeVariables(memoryBudget(options));
    for (const ptx::Variable &variable : module().variables)
      initialize(variable);
  } catch (...) {
    releaseVariables();
    throw;
  }
}

void LoadedModule::placeVariables(uint64_t budget) {
  for (const ptx::Variable &variable : module().variables) {
    if (!isInMemory(variable)) continue;
    uint64_t address =
        memory_.allocate(std::max<uint64_t>(variable.bytes, 1), "variable " + variable.name,
                         std::max(16u, variable.alignment), variable.space == ptx::Space::Const);
    if (!address) throw Error(ErrorKind::Device, "no device memory for variable " + variable.name);
    placed_.variables[variable.name] = {address, variable.bytes, variable.name,
                                        variable.space == ptx::Space::Const};
    memory_.requireRoom(address, variable.bytes, budget);
    memory_.markWritten(address, variable.bytes); // zeros, which fresh memory holds
  }
}

/// Variables are written, with zeros at least, and that takes the host's memory: twice, with what is known of
/// each byte.
void LoadedModule::checkBudget(uint64_t bytes) const {
  uint64_t left = bytes / 2;
  for (const ptx::Variable &variable : module().variables) {
    if (!isInMemory(variable)) continue;
    if (variable.bytes > left)
      throw Error(ErrorKind::Device, "variable " + variable.name + " of " + std::to_string(variable.bytes) +
                                         " bytes exceeds the budget for the host's memory (MXC_SIM_MEMORY)");
    left -= variable.bytes;
  }
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

void LoadedModule::releaseVariables() {
  for (const auto &[name, variable] : placed_.variables)
    memory_.release(variable.address);
}

LoadedModule::~LoadedModule() { releaseVariables(); }

const Program *LoadedModule::kernel(std::string_view name) {
  if (auto found = programs_.find(name); found != programs_.end()) return found->second.get();
  for (const ptx::Function &function : module().functions) {
    if (!function.isEntry || function.isExtern || function.name != name) continue;
    std::unique_ptr<Program> program = decode(placed_, function);
    constexpr uint64_t kBytesOfInstruction = 512;
    uint64_t bytes = program->instructions.size() * kBytesOfInstruction + program->registerImage.size();
    if (bytes > decodeLeft_) // each kernel has functions of its own that it calls
      throw Error(ErrorKind::Device,
                  "kernel " + function.name +
                      ": the module's kernels exceed the budget for the host's memory (MXC_SIM_MEMORY)");
    decodeLeft_ -= bytes;
    return programs_.emplace(std::string(name), std::move(program)).first->second.get();
  }
  return nullptr;
}

} // namespace mxc::sim
