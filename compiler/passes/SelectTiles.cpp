#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/TargetOption.h"
#include "compiler/targets/Target.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXSELECTTILES
#include "compiler/passes/Passes.h.inc"

namespace {

struct SelectTiles : impl::MxSelectTilesBase<SelectTiles> {
  using MxSelectTilesBase::MxSelectTilesBase;

  void runOnOperation() override {
    const Target *chip = targetOption(getOperation(), target);
    if (!chip) return signalPassFailure();
    WalkResult result = getOperation().walk([&](mx::TiledOpInterface op) {
      FailureOr<SmallVector<Attribute>> tiles = select(*chip, op);
      if (failed(tiles)) return WalkResult::interrupt();
      addFallback(*chip, op, *tiles);
      op.setTilesAttr(ArrayAttr::get(&getContext(), *tiles));
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) signalPassFailure();
  }

  // --tile before what is written, and that before the heuristics.
  FailureOr<SmallVector<Attribute>> select(const Target &chip, mx::TiledOpInterface op) {
    if (!tile.empty()) return mx::parseTiles(op, tile);
    if (ArrayAttr written = op.getTilesAttr()) return llvm::to_vector(written);
    SmallVector<Attribute> tiles;
    if (auto lowering = dyn_cast<KernelLoweringInterface>(*op))
      llvm::append_range(tiles, lowering.getDefaultTiles(chip));
    if (tiles.empty()) return notCompiled(chip, op);
    return tiles;
  }

  static LogicalResult notCompiled(const Target &chip, mx::TiledOpInterface op) {
    InFlightDiagnostic error = op->emitOpError("is not compiled for ")
                               << StringRef(chip.name) << ", expected one of ";
    auto lowering = dyn_cast<KernelLoweringInterface>(*op);
    auto takes = [&](const Target *other) { return lowering && !lowering.getDefaultTiles(*other).empty(); };
    llvm::interleaveComma(llvm::make_filter_range(allTargets(), takes), error,
                          [&](const Target *other) { error << StringRef(other->name); });
    return error;
  }

  // Every shape and alignment is launched: by the last tile, or by the general one after it, which is the
  // chip's own where it names one.
  void addFallback(const Target &chip, mx::TiledOpInterface op, SmallVector<Attribute> &tiles) {
    auto last = cast<mx::TileAttrInterface>(tiles.back());
    mx::TileAttrInterface general = last.getFallback();
    if (!general || last.takesEverything()) return;
    if (auto lowering = dyn_cast<KernelLoweringInterface>(*op))
      if (const Tiles own = lowering.getDefaultTiles(chip); !own.empty())
        if (mx::TileAttrInterface tile = own.back();
            tile.getTypeID() == general.getTypeID() && tile.takesEverything())
          general = tile;
    tiles.push_back(general);
  }
};

} // namespace
} // namespace mxc
