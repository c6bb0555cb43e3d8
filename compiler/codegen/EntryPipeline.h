// The one pipeline of every entry, to PTX or to a stage on the way there, entries side by side.
#pragma once

#include "compiler/codegen/Stage.h"
#include "compiler/passes/Pipelines.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mxc {

using Progress = decltype(CompileOptions::progress);

/// The text at `stage`, tile to PTX, of what addEntryFunctions gives, or failure after errors, those of
/// earlier entries first. Each entry is lowered, optimized and written on one of as many threads as there are
/// processors; those that cannot be apart are one module on the caller's. What a stage shows is what the
/// later ones are made of, joined. `progress` counts entries. `module` is used up, its context may have
/// several threads from then on, and the text does not depend on their number. To be run under fatalErrorOf.
mlir::FailureOr<std::string> entriesAt(Stage stage, mlir::ModuleOp module, const PipelineOptions &options,
                                       const Target &target, const Progress &progress = {});

} // namespace mxc
