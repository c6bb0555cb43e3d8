// The compiler's passes; Passes.td says what each does, one file a pass holds it.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mxc {

#define GEN_PASS_DECL
#include "compiler/passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/passes/Passes.h.inc"

} // namespace mxc
