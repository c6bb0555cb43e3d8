#include "compiler/PreferredTiles.h"

#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

static LogicalResult prefer(mx::TiledOpInterface op, StringRef kernel, const Target &target,
                            ArrayRef<PreferredTile> preferred) {
  SmallVector<Attribute> tiles;
  for (const PreferredTile &chosen : preferred) {
    if (chosen.kernel != kernel) continue;
    FailureOr<SmallVector<Attribute>> parsed = mx::parseTiles(op, chosen.tile);
    if (failed(parsed)) return failure();
    tiles.append(*parsed);
  }
  auto lowering = dyn_cast<KernelLoweringInterface>(*op);
  if (tiles.empty() || op.getTilesAttr() || !lowering) return success();
  llvm::append_range(tiles, lowering.getDefaultTiles(target));
  op.setTilesAttr(ArrayAttr::get(op->getContext(), tiles));
  return success();
}

LogicalResult preferTiles(ModuleOp module, const Target &target, ArrayRef<PreferredTile> preferred) {
  for (mx::KernelOp kernel : module.getOps<mx::KernelOp>()) {
    WalkResult result = kernel.walk([&](mx::TiledOpInterface op) {
      return failed(prefer(op, kernel.getSymName(), target, preferred)) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
    });
    if (result.wasInterrupted()) return failure();
  }
  return success();
}

} // namespace mxc
