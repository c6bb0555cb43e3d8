#include "runtime/simulator/machine/PlacedModule.h"

#include "runtime/simulator/machine/Program.h"

namespace mxc::sim {

std::string PlacedModule::line(uint32_t number) const {
  size_t begin = 0;
  for (uint32_t i = 1; i < number && begin != std::string::npos; ++i)
    if (begin = text.find('\n', begin); begin != std::string::npos) ++begin;
  if (begin == std::string::npos) return "";
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t\r");
  if (first == std::string::npos) return "";
  constexpr size_t kLongest = 1000;
  line = line.substr(first, last - first + 1);
  return line.size() > kLongest ? line.substr(0, kLongest) + ".." : line;
}

const Allocation *PlacedModule::variable(std::string_view name) const {
  auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

const ptx::Function *PlacedModule::function(std::string_view name) const {
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : &module.functions[found->second.definition];
}

uint64_t PlacedModule::functionAddress(std::string_view name) const {
  auto found = functions.find(name);
  return found == functions.end() ? 0 : kFunctionWindow + 16 * found->second.first;
}

std::map<std::string, PlacedModule::FunctionPlace, std::less<>> functionPlaces(const ptx::Module &module) {
  std::map<std::string, PlacedModule::FunctionPlace, std::less<>> places;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    auto [at, isNew] = places.try_emplace(module.functions[i].name, PlacedModule::FunctionPlace{i, i});
    if (module.functions[at->second.definition].isExtern) at->second.definition = i;
  }
  return places;
}

} // namespace mxc::sim
