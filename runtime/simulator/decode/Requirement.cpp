#include "runtime/simulator/decode/Requirement.h"

#include "runtime/simulator/decode/Form.h"

namespace mxc::sim {

static std::string chipsOf(TargetName target) {
  if (target.suffix == 'f') return target.text() + " (" + std::to_string(target.major()) + ".x)";
  return target.suffix ? target.text() : target.text() + " or later";
}

std::string lackOf(std::span<const Requirement> requirements, const ptx::Instruction &source,
                   TargetName chip) {
  for (const Requirement &requirement : requirements) {
    if (requirement.target.ptxRunsOn(chip) || source.operands.size() < requirement.operands ||
        !hasForm(source, requirement.form))
      continue;
    std::string subject;
    if (!requirement.form.empty()) subject = "." + std::string(requirement.form) + " ";
    if (requirement.operands) subject += "with " + std::to_string(requirement.operands) + " operands ";
    return subject + (requirement.isOfModel ? "is modelled for " : "needs ") + chipsOf(requirement.target) +
           ", this is " + chip.text();
  }
  return "";
}

} // namespace mxc::sim
