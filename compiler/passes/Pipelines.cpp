#include "compiler/passes/Pipelines.h"
#include "compiler/passes/Canonicalizer.h"
#include "compiler/passes/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h" // not Conversion/Passes.h, which takes seconds
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace mxc {

void addKernelStage(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createCanonicalizer()); // presets spelled out, identity prologues dropped
  passes.addPass(createMxSelectTiles({options.target, options.tile}));
}

void addEntryFunctions(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createMxLowerKernels({options.target, options.entry}));
}

// It moves constants to the front, which mx-compute-before-waiting wants.
void addTileStage(OpPassManager &passes, const PipelineOptions &) {
  GreedyRewriteConfig once;
  once.setMaxIterations(1); // a second one finds what dead blocks leave, and there are none
  once.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  passes.addPass(createCanonicalizer(once));
}

void addNvvmStage(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createMxLowerPipelines({options.target}));
  passes.addPass(createMxLowerTileOps({options.target, options.ptx}));
  passes.addPass(createMxComputeBeforeWaiting());
  passes.addPass(createMxLowerMath());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createMxLowerToLlvm());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addNestedPass<LLVM::LLVMFuncOp>(createMxCleanUpLoops());
}

void addAbi(OpPassManager &passes, const PipelineOptions &) { passes.addPass(createMxEmbedAbi()); }

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("chip to compile for"),
                             llvm::cl::init("sm_100a")};
  Option<std::string> tile{*this, "tile", llvm::cl::desc("a tile attribute, or what stands inside it"),
                           llvm::cl::init("")};
  Option<std::string> entry{
      *this, "entry", llvm::cl::desc("the one entry point to make, -: none; empty: all"), llvm::cl::init("")};
  Option<int> ptx{*this, "ptx", llvm::cl::desc("the newest PTX to write, 91 is 9.1; 0: the target's own"),
                  llvm::cl::init(0)};
  operator PipelineOptions() const { return {target, tile, entry, ptx}; }
};
} // namespace

void registerPipelines() {
  registerMxPasses();
  registerPass([] { return createSCFToControlFlowPass(); });
  registerPass([] { return createReconcileUnrealizedCastsPass(); });
  static PassPipelineRegistration<StageOptions> kernel(
      "mx-kernel-stage", "kernel level with tiles filled in",
      [](OpPassManager &passes, const StageOptions &options) { addKernelStage(passes, options); });
  static PassPipelineRegistration<StageOptions> tile("mx-tile-stage", "kernel level to tile level",
                                                     [](OpPassManager &passes, const StageOptions &options) {
                                                       addEntryFunctions(passes, options);
                                                       addTileStage(passes, options);
                                                     });
  static PassPipelineRegistration<StageOptions> nvvm("mx-nvvm-stage", "tile level to LLVM and NVVM",
                                                     [](OpPassManager &passes, const StageOptions &options) {
                                                       addNvvmStage(passes, options);
                                                       addAbi(passes, options);
                                                     });
}

} // namespace mxc
