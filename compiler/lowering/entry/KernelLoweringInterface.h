// The interface through which passes reach a family's lowering. KernelLoweringInterface.td is the reference.
#pragma once

#include "compiler/lowering/entry/KernelSignature.h"
#include "compiler/lowering/entry/TileTable.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

#include <string>
#include <vector>

namespace mxc {

/// A tile that was thought of; what speaks for it, and why a tuner need not try it ("": it may).
struct TileChoice {
  mx::TileAttrInterface tile;
  std::string estimate = {}, refusal = {};
};

} // namespace mxc

#include "compiler/lowering/entry/KernelLoweringInterface.h.inc"

namespace mxc {

/// Attaches the lowerings of every family (KernelFamilies.def, which CMake writes) to their operations.
void registerKernelLowerings(mlir::DialectRegistry &registry);

/// Attaches `Model`, an external model of KernelLoweringInterface, to `Op` where the mx dialect is loaded.
template <typename Op, typename Model> void attachLowering(mlir::DialectRegistry &registry) {
  registry.addExtension(
      +[](mlir::MLIRContext *context, mx::MxDialect *) { Op::template attachInterface<Model>(*context); });
}

} // namespace mxc
