// PTX to machine code: nvJitLink in this process, or ptxas as a program; and several cubins to a fatbin.
#pragma once

#include "compiler/targets/Target.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxc {

enum class Assembler {
  Auto, // nvJitLink if it can be loaded, else ptxas; the other way round for setmaxnreg (docs/decisions/0004)
  NvJitLink,
  Ptxas,
};

struct AssembledCode {
  std::string cubin; // empty on failure
  std::string tool;  // "nvJitLink 13.0" or ptxas' path; empty where it is missing or crashed
  std::string log;   // warnings; on failure the whole message: log and a command that reproduces it
  bool ok() const { return !cubin.empty(); }
};

/// `record` is the ABI record that the machine code must hold with every entry of the PTX: what an assembler
/// gives is looked at before it is believed.
AssembledCode assemble(const std::string &ptx, const Target &target, Assembler assembler,
                       std::string_view record = {});

struct TargetCode {
  const Target *target;
  std::string ptx, cubin;
};
/// One fatbin, uncompressed, of PTX (for the simulator) and machine code of each target, by the toolkit's
/// fatbinary. Fails as assemble does.
AssembledCode makeFatbin(const std::vector<TargetCode> &codes);

} // namespace mxc
