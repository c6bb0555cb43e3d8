// The names of one function: block scopes, and the labels that branches name before or after they are
// defined.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mxc::sim::ptx {

/// Lets maps of strings be asked with views.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
template <typename T> using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

/// What a name stands for.
struct Binding {
  enum class Kind : uint8_t { None, Register, VectorRegister, Variable, Label, TargetList } kind = Kind::None;
  uint8_t count = 1; // registers of a vector register
  uint32_t index =
      0; // the (first) register; the label's instruction; the list; the variable's index for uniqueName()
  uint32_t scope = 0;
};

class Scopes {
public:
  explicit Scopes(Function &function) : function_(function) { open(); }

  void open();
  /// Ends the innermost scope: its labels are now known, so branches in it that name them get their targets.
  void close();
  uint32_t current() const { return open_.back().id; }
  size_t depth() const { return open_.size(); }

  /// Room for as many more names.
  void reserve(size_t names) { bindings_.reserve(bindings_.size() + names); }
  /// False: the innermost scope has that name already.
  bool declare(std::string_view name, Binding binding);
  Binding find(std::string_view name) const;

  /// Declares a variable. Those of many blocks share one list, so all but the first of a name (all, if the
  /// module took it) are called "name@2", "name@3", ..; `suffix` is added to that. Nothing: the innermost
  /// scope has that name already.
  std::optional<std::string> declareVariable(std::string_view name, bool isTaken, std::string_view suffix);
  const std::string &uniqueName(const Binding &binding) const { return variableNames_[binding.index]; }

  /// Lists of many blocks share one list, too.
  std::string uniqueListName(std::string_view name);

  /// Operand `operand` of the instruction (or entry `operand` of the target list) names a label or list,
  /// maybe a later one.
  struct Reference {
    enum class From : uint8_t {
      Operand,
      Branch,
      List
    } from = From::Operand; // the latter two accept labels only
    uint32_t owner = 0, operand = 0;
    Place place;
  };
  void refer(std::string_view name, Reference reference);

  /// After the last close(): the first reference, by place, that no scope around it answered.
  struct Unresolved {
    std::string name;
    Place place;
  };
  std::optional<Unresolved> firstUnresolved() const;

private:
  struct Waiting {
    uint64_t serial = 0; // of all references so far: those of a scope are the ones since it was opened
    Reference reference;
  };
  struct Shadowed {
    NameMap<Binding>::value_type *entry = nullptr; // stable: entries are never erased
    Binding previous;
  };
  struct Open {
    uint32_t id = 0;
    size_t firstShadowed = 0;
    uint64_t firstReference = 0;
  };
  std::string unique(std::string_view name, NameMap<uint32_t> &timesUsed, bool isTaken);
  void answer(const std::string &name, const Binding &binding, uint64_t firstReference);

  Function &function_;
  uint32_t nextId_ = 0;
  uint64_t references_ = 0;
  NameMap<Binding> bindings_; // the innermost of each name
  std::vector<Shadowed> shadowed_;
  std::vector<Open> open_;
  NameMap<std::vector<Waiting>> waiting_;
  std::vector<std::string> variableNames_;
  NameMap<uint32_t> variableTimes_, listTimes_;
  std::vector<Unresolved> misused_; // branches to what is no label
};

} // namespace mxc::sim::ptx
