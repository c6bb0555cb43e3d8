// The passes' --target option.
#pragma once

#include "compiler/targets/Target.h"

#include "mlir/IR/Operation.h"

namespace mxc {

/// The target of that name; null after an error that lists the known ones.
const Target *targetOption(mlir::Operation *module, llvm::StringRef name);

} // namespace mxc
