// What instructions ask of the chip: data beside the tables' rows, as the manual's "Target ISA Notes" say it.
// What every simulated chip has (sm_90 and up) is not asked for.
#pragma once

#include "dialect/formats/TargetName.h"
#include "runtime/simulator/ptx/Ast.h"

#include <span>

namespace mxc::sim {

struct Requirement {
  TargetName target;          // PTX for it runs on the chips that have this: "sm_100", "sm_100f", "sm_90a"
  std::string_view form = {}; // of instructions with these modifiers: "v2.b128", "v4.*64"; "": all
  size_t operands = 0;        // and so many operands or more
  /// PTX has it on earlier chips too, but how they compute it is not known.
  bool isOfModel = false;
};

/// What the chip lacks for `source`, by the first requirement that it does not meet: ".cp_mask needs sm_100
/// or later, this is sm_90a". "": nothing.
std::string lackOf(std::span<const Requirement> requirements, const ptx::Instruction &source,
                   TargetName chip);

} // namespace mxc::sim
