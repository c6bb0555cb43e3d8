// A program under construction: rows, constants, the places of variables.
#pragma once

#include "runtime/simulator/machine/PlacedModule.h"
#include "runtime/simulator/machine/Program.h"

#include <map>
#include <memory>
#include <optional>

namespace mxc::sim {

class ProgramBuilder {
public:
  ProgramBuilder(const PlacedModule &module, const ptx::Function &kernel);

  /// Decodes everything. Once.
  std::unique_ptr<Program> build();

  TargetName chip() const { return module_.chip; }
  const ptx::Function &function() const { return *current_; } // whose instructions are being decoded

  Row registerRow(uint32_t reg) const;
  ptx::Type registerType(uint32_t reg) const { return current_->registers[reg].type; }
  uint32_t constant(uint64_t bits, uint32_t bytes); // bytes 0: a predicate's mask
  uint32_t special(const std::string &name, uint32_t bytes);
  uint32_t symbol(const ptx::Operand &operand,
                  uint32_t bytes); // its address; throws Unsupported if it has none
  uint32_t scratch(uint32_t bytes) { return allocate(bytes); }
  uint32_t carryRow();
  const ptx::Function *functionNamed(const std::string &name) const { return module_.function(name); }
  bool holds(const std::string &function) const { return placeOf(function) != nullptr; }
  uint32_t firstInstructionOf(const std::string &function) const; // kNone: not in this module
  std::optional<LocalRange> localRange(const ptx::Function &function, const std::string &variable) const;

private:
  struct Local {
    LocalRange range;
    bool isParameter; // in the param space
  };
  struct Place { // of a function in the program
    const ptx::Function *function;
    uint32_t firstInstruction = 0;
    std::vector<uint32_t> rows; // of registers
    std::map<std::string, Local, std::less<>>
        locals; // .local and .param variables, parameters of a called function
  };

  void collect(const ptx::Function &first);
  void placeParameters();
  void placeShared();
  void placeLocals(Place &place, bool isKernel);
  FunctionPlace functionPlace(const Place &place, uint32_t localBegin) const;
  uint32_t opcodeNumber(const Instruction &instruction); // into Program::opcodes
  void decodeFunction(const Place &place);
  [[noreturn]] void refuse(const std::string &why) const;
  uint32_t allocate(uint32_t bytes);
  void fill(uint32_t row, uint64_t bits, uint32_t bytes);
  const Place *placeOf(std::string_view name) const;

  const PlacedModule &module_;
  const ptx::Function &kernel_, *current_;
  std::unique_ptr<Program> program_;
  std::vector<Place> places_;
  const Place *currentPlace_ = nullptr;
  std::map<std::string_view, size_t> placeNumbers_; // by the function's name
  std::vector<std::byte> image_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constants_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> specials_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> sharedAddresses_; // by offset and bytes
  using Scoped = std::pair<const ptx::Function *, std::string_view>;  // null: the module's
  std::map<Scoped, uint32_t> sharedOffsets_;
  std::map<std::string_view, uint64_t> parameterOffsets_; // the kernel's
  std::map<std::string, uint32_t, std::less<>> opcodes_;
  uint32_t carry_ = kNone;
};

/// Decodes a kernel. Instructions without a handler become ones that fault when executed.
std::unique_ptr<Program> decode(const PlacedModule &module, const ptx::Function &kernel);

} // namespace mxc::sim
