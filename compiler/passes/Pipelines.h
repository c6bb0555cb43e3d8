// Every pass in order, one function a stage: what makes the PTX, what `--emit` shows, and what mxc-opt runs.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace mxc {

struct PipelineOptions {
  std::string target = "sm_100a";
  std::string tile;  // tile attributes, or what stands inside them, by semicolons; empty: the heuristics
  std::string entry; // the one entry point to make, "-": none; empty: all
  int ptx = 0;       // the newest version that may be written, 91 is 9.1; 0: the target's own
};

/// Kernel level, tiles filled in.
void addKernelStage(mlir::OpPassManager &passes, const PipelineOptions &options);
/// A function an entry point in place of every kernel, or that of the one alone, and the record of the ABI,
/// of all, as an attribute.
void addEntryFunctions(mlir::OpPassManager &passes, const PipelineOptions &options);

// These look at no function but the one that they work on: entries may be apart in modules of their own.

/// Tile level: functions as addEntryFunctions makes them, constants first.
void addTileStage(mlir::OpPassManager &passes, const PipelineOptions &options);
/// Only operations of the dialects LLVM and NVVM.
void addNvvmStage(mlir::OpPassManager &passes, const PipelineOptions &options);

/// The record of the ABI as a constant of the image: in one module of those that become one image.
void addAbi(mlir::OpPassManager &passes, const PipelineOptions &options);

/// Registers the passes that stand in the stages, and these as pipelines of whole modules: mx-kernel-stage,
/// mx-tile-stage (with addEntryFunctions) and mx-nvvm-stage (with addAbi).
void registerPipelines();

} // namespace mxc
