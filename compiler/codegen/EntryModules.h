// A module of entries as one module an entry, and their PTX as one text again.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace mxc {

/// Takes the functions out of `module`, each with the globals that it names; the first gets all globals.
/// Empty, and nothing taken, where they cannot be compiled apart: one calls another, or a symbol is not
/// visible outside.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>> takeEntries(mlir::ModuleOp module);

/// The PTX that the backend writes for the module before it was taken apart.
std::string joinedPtx(std::vector<std::string> texts);

} // namespace mxc
