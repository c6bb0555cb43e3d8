// A module of entries as one module an entry, and their PTX as one text again.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace mxc {

using EntryModules = std::vector<mlir::OwningOpRef<mlir::ModuleOp>>;

/// Takes the functions out of `module`, each with the globals that it names; the first gets all globals.
/// Empty, and nothing taken, where they cannot be compiled apart: one calls another, or a symbol is not
/// visible outside.
EntryModules takeEntries(mlir::ModuleOp module);

/// False where one calls what lowering it has declared, as of libdevice.
bool canBeApart(const EntryModules &entries);

/// Whether a lowered module has neither loops nor calls.
bool isStraightLine(mlir::ModuleOp module);

/// What lowering them apart has made of their globals becomes what one module would have.
void shareGlobals(EntryModules &entries);

/// Into the module that they were taken from.
void putBack(EntryModules entries, mlir::ModuleOp module);

/// The PTX that the backend writes for the module before it was taken apart.
std::string joinedPtx(std::vector<std::string> texts);

} // namespace mxc
