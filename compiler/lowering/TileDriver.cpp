#include "compiler/lowering/TileDriver.h"
#include "compiler/lowering/KernelLowering.h"
#include "compiler/lowering/LaunchCondition.h"

using namespace mlir;

namespace mxc {

// Lanes with vector access take whole pieces of a row and count in 32 bits.
static SmallVector<std::string> needsOf(mx::QuantizeTileAttr tile, const KernelSignature &signature) {
  if (tile.getAccess() != mx::TileAccess::Vector) return {};
  SmallVector<std::string> needs = {signature.columns().name + " % " +
                                    std::to_string(tile.getLaneElements()) + " == 0"};
  for (const Extent *extent : {&signature.rows(), &signature.columns()})
    needs.push_back(extent->name + " <= " + std::to_string(kNarrowExtent));
  return needs;
}

LogicalResult emitTiles(Operation *op, ArrayAttr tiles, ModuleOp module, const Target &target,
                        KernelSignature &signature, const BlockFormatInfo &format,
                        llvm::function_ref<FailureOr<TilePlan>(mx::QuantizeTileAttr tile)> planTile) {
  for (mx::QuantizeTileAttr tile : tilesOf(tiles)) {
    FailureOr<std::optional<ShapeExpression>> when =
        launchCondition(op, signature, tile, needsOf(tile, signature));
    if (failed(when)) return failure();
    if (!*when) continue;
    FailureOr<TilePlan> planned = planTile(tile);
    if (failed(planned)) return failure();
    EntryPlan entry;
    entry.variant.tile = tile.getText();
    entry.variant.when = **when;
    entry.variant.alignments = std::move(planned->alignments);
    setLaunchShape(entry.variant, signature, tile);
    entry.maps = std::move(planned->maps);
    entry.shared = std::move(planned->shared);
    LogicalResult emitted =
        emitEntry(op, module, target, signature, std::move(entry), [&](EntryFunction &function) {
          CtaPosition cta = ctaPosition(function, tile);
          whereWork(function.values(), cta.hasWork,
                    [&] { planned->body(function, tilePosition(function.values(), tile, format, cta)); });
        });
    if (failed(emitted)) return failure();
  }
  return success();
}

} // namespace mxc
