#include "runtime/simulator/decode/LoadedModule.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/machine/Program.h"

#include <cstring>

namespace mxc::sim {

/// "sm_90a" runs "sm_90a", and plain "sm_80", "sm_90"; "sm_103a" runs "sm_100f" too.
static bool runsOn(const std::string &moduleTarget, const std::string &chip) {
  auto number = [](const std::string &target) {
    return target.size() > 3 ? std::atoi(target.c_str() + 3) : 0;
  };
  auto suffix = [](const std::string &target) { return target.empty() ? '\0' : target.back(); };
  if (moduleTarget == chip) return true;
  int wanted = number(moduleTarget), own = number(chip);
  if (suffix(moduleTarget) == 'a') return false;
  if (suffix(moduleTarget) == 'f') return wanted / 10 == own / 10 && wanted <= own;
  return wanted <= own;
}

LoadedModule::LoadedModule(std::string_view ptx, std::string_view name, GlobalMemory &memory,
                           const Options &options)
    : module_(ptx::parse(ptx, name)), memory_(memory), target_(options.target), text_(ptx) {
  std::string moduleTarget = module_.target.substr(0, module_.target.find(','));
  if (!runsOn(moduleTarget, target_))
    throw Error(ErrorKind::InvalidInput, std::string(name) + ": its .target is " + moduleTarget +
                                             ", which a simulated " + target_ + " does not run");
  for (size_t i = 0; i < module_.functions.size(); ++i) {
    auto [at, isNew] = functions_.try_emplace(module_.functions[i].name, FunctionPlace{i, i});
    if (module_.functions[at->second.definition].isExtern) at->second.definition = i;
  }
  for (const ptx::Variable &variable : module_.variables) {
    if (variable.space != ptx::Space::Global && variable.space != ptx::Space::Const) continue;
    uint64_t address =
        memory_.allocate(std::max<uint64_t>(variable.bytes, 1), "variable " + variable.name,
                         std::max(16u, variable.alignment), variable.space == ptx::Space::Const);
    if (!address) throw Error(ErrorKind::Device, "no device memory for variable " + variable.name);
    variables_[variable.name] = {address, variable.bytes, variable.name, variable.space == ptx::Space::Const};
    std::memset(memory_.host(address), 0, variable.bytes);
    memory_.markWritten(address, variable.bytes);
  }
  for (const ptx::Variable &variable : module_.variables)
    for (const ptx::Initializer &part : variable.initializers) {
      auto at = variables_.find(variable.name);
      if (at == variables_.end()) continue;
      std::byte *to = memory_.host(at->second.address + part.offset);
      if (part.symbol.empty()) {
        std::memcpy(to, part.bytes.data(), part.bytes.size());
        continue;
      }
      const Allocation *other = this->variable(part.symbol);
      uint64_t address = (other ? other->address : functionAddress(part.symbol)) + uint64_t(part.addend);
      if (!address)
        throw Error(ErrorKind::InvalidInput, "variable " + variable.name +
                                                 " is initialized with the address of " + part.symbol +
                                                 ", which has none");
      std::memcpy(to, &address, 8);
    }
}

LoadedModule::~LoadedModule() {
  for (const auto &[name, variable] : variables_)
    memory_.release(variable.address);
}

const Allocation *LoadedModule::variable(std::string_view name) const {
  auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

const ptx::Function *LoadedModule::function(std::string_view name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &module_.functions[found->second.definition];
}

uint64_t LoadedModule::functionAddress(std::string_view name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? 0 : kFunctionWindow + 16 * found->second.first;
}

const Program *LoadedModule::kernel(std::string_view name) {
  if (auto found = programs_.find(name); found != programs_.end()) return found->second.get();
  for (const ptx::Function &function : module_.functions)
    if (function.isEntry && !function.isExtern && function.name == name)
      return programs_.emplace(std::string(name), decode(*this, function)).first->second.get();
  return nullptr;
}

std::string LoadedModule::line(uint32_t number) const {
  size_t begin = 0;
  for (uint32_t i = 1; i < number && begin != std::string::npos; ++i)
    if (begin = text_.find('\n', begin); begin != std::string::npos) ++begin;
  if (begin == std::string::npos) return "";
  std::string line = text_.substr(begin, text_.find('\n', begin) - begin);
  size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

} // namespace mxc::sim
