// mxc simulate --list-unsupported
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/decode/LoadedModule.h"
#include "runtime/simulator/decode/ProgramBuilder.h"

namespace mxc::sim {

std::vector<std::string> unsupportedInstructions(const LoadedModule &module) {
  std::vector<std::string> found;
  for (const ptx::Function &function : module.module().functions) {
    if (!function.isEntry || function.isExtern) continue;
    std::unique_ptr<Program> program = decode(module.placed(), function);
    for (const Instruction &instruction : program->instructions)
      if (std::string why = refusalOf(instruction); !why.empty())
        found.push_back(function.name + ", line " + std::to_string(instruction.source->place.line) + ": " +
                        why);
  }
  return found;
}

} // namespace mxc::sim
