#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/TargetOption.h"
#include "dialect/MxOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXLOWERTILEOPS
#include "compiler/passes/Passes.h.inc"

namespace {

struct LowerTileOps : impl::MxLowerTileOpsBase<LowerTileOps> {
  using MxLowerTileOpsBase::MxLowerTileOpsBase;

  void runOnOperation() override {
    const Target *chip = targetOption(getOperation(), target);
    if (!chip) return signalPassFailure();
    const nvvm::ConversionForms forms{.packedBf16 =
                                          chip->packedConversionPtx && ptx >= chip->packedConversionPtx,
                                      .narrow = chip->hasNarrowConversions,
                                      .stochastic = chip->hasStochasticConversions};
    if (chip->scaledConversionPtx && ptx >= chip->scaledConversionPtx) lowerScaledConversions(getOperation());
    RewritePatternSet maxima(&getContext()), patterns(&getContext());
    populateBlockAmaxPatterns(maxima);
    populateColumnAmaxPatterns(maxima, forms.packedBf16);
    walkAndApplyPatterns(getOperation(), std::move(maxima));
    markNanByMultiplier(getOperation());
    pairScales(getOperation());
    populateScaleCodePatterns(patterns);
    populateScaleStorePatterns(patterns);
    populateConvertPatterns(patterns, forms);
    populateBlockErrorPatterns(patterns, forms);
    populateHadamardPatterns(patterns);
    populateRandomWordsPatterns(patterns);
    populateConvertColumnsPatterns(patterns, forms);
    populateSharedMemoryPatterns(patterns);
    GreedyRewriteConfig config; // blocks are the canonicalizer's
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!isa_and_nonnull<mx::MxDialect>(op->getDialect())) return WalkResult::advance();
      op->emitOpError("was not lowered: mx-lower-tile-ops has no pattern for it");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted()) signalPassFailure();
  }
};

} // namespace
} // namespace mxc
