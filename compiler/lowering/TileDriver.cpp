#include "compiler/lowering/TileDriver.h"
#include "compiler/lowering/Branch.h"
#include "compiler/lowering/KernelLowering.h"
#include "compiler/lowering/LaunchCondition.h"

using namespace mlir;

namespace mxc {

// Lanes with vector access take whole pieces of a row and count in 32 bits.
static SmallVector<std::string> needsOf(mx::QuantizeTileAttr tile, const KernelSignature &signature) {
  if (tile.getAccess() != mx::TileAccess::Vector) return {};
  SmallVector<std::string> needs = {signature.columns().name + " % " +
                                    std::to_string(tile.getLaneElements()) + " == 0"};
  for (const Extent &extent : signature.extents)
    if (extent.name == "G") // scales have up to 128 rows more a group
      needs.push_back(signature.rows().name + " + 128 * G <= " + std::to_string(kNarrowExtent));
  for (const Extent &extent : signature.extents)
    if (extent.name == "N") needs.push_back("N > 0"); // gathered: where there is no row, the first is read
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
    std::string matrixRows = "ceildiv(" + signature.rows().text() + ", 128)";
    setLaunchShape(entry.variant, signature, tile,
                   planned->tileRows.empty() ? matrixRows : planned->tileRows);
    entry.maps = std::move(planned->maps);
    entry.shared = std::move(planned->shared);
    LogicalResult emitted =
        emitEntry(op, module, target, signature, std::move(entry), [&](EntryFunction &function) {
          ValueBuilder v = function.values();
          CtaPosition cta = ctaPosition(function, tile);
          auto body = [&] { planned->body(function, tilePosition(v, tile, format, cta)); };
          whereWork(v, cta.hasWork, [&] {
            if (!planned->place) return body();
            Value hasRows = planned->place(function, cta);
            ifThen(v, hasRows, body);
          });
        });
    if (failed(emitted)) return failure();
  }
  return success();
}

} // namespace mxc
