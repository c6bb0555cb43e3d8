#include "compiler/passes/TargetOption.h"

namespace mxc {

const Target *targetOption(mlir::Operation *module, llvm::StringRef name) {
  const Target *target = targetNamed(name);
  if (!target) {
    auto error = module->emitError() << "unknown target '" << name << "', expected";
    for (const Target *known : allTargets())
      error << " " << llvm::StringRef(known->name);
  }
  return target;
}

} // namespace mxc
