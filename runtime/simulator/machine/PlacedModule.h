// A module as its kernels see it while they run: the parsed text, and where its variables and functions lie.
#pragma once

#include "dialect/formats/TargetName.h"
#include "runtime/simulator/machine/GlobalMemory.h"
#include "runtime/simulator/ptx/Ast.h"

namespace mxc::sim {

struct PlacedModule {
  ptx::Module module;
  std::string text;
  TargetName chip;                                          // that runs it
  std::map<std::string, Allocation, std::less<>> variables; // of .global and .const, in device memory

  std::string line(uint32_t number) const; // of the text, trimmed; for reports
  /// A module variable's allocation; null if there is none.
  const Allocation *variable(std::string_view name) const;
  const ptx::Function *function(std::string_view name) const; // its definition, if it has one; null: none
  uint64_t functionAddress(std::string_view name) const;      // 0: no such function

  struct FunctionPlace { // indices into Module::functions
    size_t first, definition;
  };
  std::map<std::string, FunctionPlace, std::less<>> functions; // by name
};

/// The places of the module's functions: PlacedModule::functions.
std::map<std::string, PlacedModule::FunctionPlace, std::less<>> functionPlaces(const ptx::Module &module);

} // namespace mxc::sim
