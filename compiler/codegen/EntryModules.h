// A module of entries as one module an entry, and those, or their PTX, as one again.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace mxc {

using EntryModules = std::vector<mlir::OwningOpRef<mlir::ModuleOp>>;

/// Takes all out of `module`: a module a function with the globals that it names. One module where functions
/// cannot be compiled apart: one calls another, or a symbol is not visible outside.
EntryModules takeEntries(mlir::ModuleOp module);

/// False where one calls what lowering it has declared, as of libdevice.
bool canBeApart(const EntryModules &entries);

/// What lowering them apart has made of their globals becomes what one module would have.
void shareGlobals(EntryModules &entries);

/// All of them in one module, in their order, as before they were taken.
mlir::OwningOpRef<mlir::ModuleOp> joinedModule(EntryModules entries);

/// The PTX that the backend writes for the module before it was taken apart.
std::string joinedPtx(std::vector<std::string> texts);

} // namespace mxc
