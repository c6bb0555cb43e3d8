// Every pass in order, one function a stage.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace mxc {

struct PipelineOptions {
  std::string target = "sm_100a";
  std::string tile; // tile attributes, or what stands inside them, by semicolons; empty: the heuristics
  int ptx = 0;      // the newest version that may be written, 91 is 9.1; 0: the target's own
};

void addKernelStage(mlir::OpPassManager &passes,
                    const PipelineOptions &options); // kernel level, tiles filled in
void addTileStage(mlir::OpPassManager &passes,
                  const PipelineOptions &options); // tile level, one function an entry
void addNvvmStage(mlir::OpPassManager &passes, const PipelineOptions &options); // LLVM and NVVM dialects only

/// The tile and the NVVM stage once more, in the parts that entries compiled apart take: what makes the
/// entries' functions, what lowers each without looking at others, canonicalization and CSE behind that, and
/// the record of the ABI.
void addEntryFunctions(mlir::OpPassManager &passes, const PipelineOptions &options);
void addEntryToNvvm(mlir::OpPassManager &passes, const PipelineOptions &options);
void addCleanUp(mlir::OpPassManager &passes, const PipelineOptions &options);
void addAbi(mlir::OpPassManager &passes, const PipelineOptions &options);

/// Registers this project's passes and the stages as pipelines mx-kernel-stage, mx-tile-stage and
/// mx-nvvm-stage.
void registerPipelines();

} // namespace mxc
