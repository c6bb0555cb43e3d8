#include "runtime/simulator/ptx/Scopes.h"

#include <tuple>

namespace mxc::sim::ptx {

void Scopes::open() { open_.push_back({nextId_++, shadowed_.size(), references_}); }

void Scopes::close() {
  const Open scope = open_.back();
  open_.pop_back();
  while (shadowed_.size() > scope.firstShadowed) {
    auto &[entry, previous] = shadowed_.back();
    const Binding &binding = entry->second;
    if (binding.kind == Binding::Kind::Label || binding.kind == Binding::Kind::TargetList)
      answer(entry->first, binding, scope.firstReference);
    entry->second = previous;
    shadowed_.pop_back();
  }
}

void Scopes::answer(const std::string &name, const Binding &binding, uint64_t firstReference) {
  auto found = waiting_.find(name);
  if (found == waiting_.end()) return;
  std::vector<Waiting> &waiting = found->second;
  // What an inner scope left unanswered stands at the end: each reference is looked at once, whatever the
  // nesting.
  for (; !waiting.empty() && waiting.back().serial >= firstReference; waiting.pop_back()) {
    const auto &[from, owner, operand, place] = waiting.back().reference;
    const bool isLabel = binding.kind == Binding::Kind::Label;
    if (!isLabel && from != Reference::From::Operand)
      misused_.push_back({name, place});
    else if (from == Reference::From::List)
      function_.targetLists[owner].targets[operand] = binding.index;
    else if (isLabel)
      function_.instructions[owner].operands[operand].target = binding.index;
    else {
      Operand &list = function_.instructions[owner].operands[operand];
      list.name = function_.targetLists[binding.index].name, list.target = binding.index;
    }
  }
}

bool Scopes::declare(std::string_view name, Binding binding) {
  binding.scope = current();
  auto found = bindings_.try_emplace(std::string(name)).first;
  if (found->second.kind != Binding::Kind::None && found->second.scope == binding.scope) return false;
  shadowed_.push_back({&*found, found->second});
  found->second = binding;
  return true;
}

Binding Scopes::find(std::string_view name) const {
  auto found = bindings_.find(name);
  return found == bindings_.end() ? Binding() : found->second;
}

std::optional<std::string> Scopes::declareVariable(std::string_view name, bool isTaken,
                                                   std::string_view suffix) {
  Binding binding{Binding::Kind::Variable, 1, uint32_t(variableNames_.size())};
  if (!declare(name, binding)) return std::nullopt;
  return variableNames_.emplace_back(unique(name, variableTimes_, isTaken).append(suffix));
}

std::string Scopes::uniqueListName(std::string_view name) { return unique(name, listTimes_, false); }

std::string Scopes::unique(std::string_view name, NameMap<uint32_t> &timesUsed, bool isTaken) {
  std::string unique(name);
  uint32_t &times = timesUsed.try_emplace(unique, isTaken ? 1 : 0).first->second;
  if (++times > 1) unique += "@" + std::to_string(times); // '@' is in no PTX name
  return unique;
}

void Scopes::refer(std::string_view name, Reference reference) {
  auto found = waiting_.find(name);
  if (found == waiting_.end()) found = waiting_.emplace(name, std::vector<Waiting>()).first;
  found->second.push_back({references_++, reference});
}

std::optional<Scopes::Unresolved> Scopes::firstUnresolved() const {
  std::optional<Unresolved> first;
  const auto order = [](Place place) { return std::tuple(place.line, place.column); };
  const auto consider = [&](const std::string &name, Place place) {
    if (!first || order(place) < order(first->place)) first = {name, place};
  };
  for (const Unresolved &misused : misused_)
    consider(misused.name, misused.place);
  for (const auto &[name, waiting] : waiting_)
    for (const Waiting &entry : waiting)
      consider(name, entry.reference.place);
  return first;
}

} // namespace mxc::sim::ptx
