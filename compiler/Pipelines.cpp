#include "compiler/Pipelines.h"
#include "compiler/passes/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace mxc {

// MLIR's canonicalization takes truncf(sitofp(x)) for one conversion; it rounds once where the source rounds
// twice.
static std::unique_ptr<Pass> canonicalizer(const GreedyRewriteConfig &config = {}) {
  std::vector<std::string> unsound;
  for (const char *space : {"(anonymous namespace)::", "{anonymous}::"}) // as clang and as GCC name it
    for (const char *pattern : {"TruncFSIToFPToSIToFP", "TruncFUIToFPToUIToFP"})
      unsound.push_back(std::string(space) + pattern);
  return createCanonicalizerPass(config, unsound);
}

void addKernelStage(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(canonicalizer()); // presets spelled out, identity prologues dropped
  passes.addPass(createMxSelectTiles({options.target, options.tile}));
}

void addCleanUp(OpPassManager &passes, const PipelineOptions &) {
  passes.addPass(canonicalizer());
  passes.addPass(createCSEPass());
}

void addEntryFunctions(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createMxLowerKernels({options.target}));
}

void addTileStage(OpPassManager &passes, const PipelineOptions &options) {
  addEntryFunctions(passes, options);
  addCleanUp(passes, options);
}

static void addTileToNvvm(OpPassManager &passes, const PipelineOptions &options) {
  passes.addPass(createMxLowerPipelines());
  passes.addPass(createMxLowerTileOps({options.target, options.ptx}));
  passes.addPass(createMxComputeBeforeWaiting());
  passes.addPass(createMxLowerMath());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createMxLowerToLlvm());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addEntryToNvvm(OpPassManager &passes, const PipelineOptions &options) {
  GreedyRewriteConfig once;
  once.setMaxIterations(1); // a second one finds what dead blocks leave, and there are none
  once.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  passes.addPass(canonicalizer(once));
  addTileToNvvm(passes, options);
}

void addAbi(OpPassManager &passes, const PipelineOptions &) { passes.addPass(createMxEmbedAbi()); }

void addNvvmStage(OpPassManager &passes, const PipelineOptions &options) {
  addTileToNvvm(passes, options);
  addCleanUp(passes, options);
  addAbi(passes, options);
}

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("chip to compile for"),
                             llvm::cl::init("sm_100a")};
  Option<std::string> tile{*this, "tile", llvm::cl::desc("a tile attribute, or what stands inside it"),
                           llvm::cl::init("")};
  Option<int> ptx{*this, "ptx", llvm::cl::desc("the newest PTX to write, 91 is 9.1; 0: the target's own"),
                  llvm::cl::init(0)};
  operator PipelineOptions() const { return {target, tile, ptx}; }
};
} // namespace

void registerPipelines() {
  registerMxPasses();
  static PassPipelineRegistration<StageOptions> kernel(
      "mx-kernel-stage", "kernel level with tiles filled in",
      [](OpPassManager &passes, const StageOptions &options) { addKernelStage(passes, options); });
  static PassPipelineRegistration<StageOptions> tile(
      "mx-tile-stage", "kernel level to tile level",
      [](OpPassManager &passes, const StageOptions &options) { addTileStage(passes, options); });
  static PassPipelineRegistration<StageOptions> nvvm(
      "mx-nvvm-stage", "tile level to LLVM and NVVM",
      [](OpPassManager &passes, const StageOptions &options) { addNvvmStage(passes, options); });
}

} // namespace mxc
