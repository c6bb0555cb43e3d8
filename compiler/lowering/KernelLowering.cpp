#include "compiler/lowering/KernelLowering.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

LogicalResult requireFp8(Operation *op, Type element, const Target &target) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) return success();
  return op->emitOpError("element format ")
         << element << " is not yet on this target (" << StringRef(target.name)
         << "): code is generated for f8E4M3FN and f8E5M2";
}

std::string tileText(mx::QuantizeTileAttr tile) {
  std::string text = llvm::formatv(
      "variant = {0}, warps = {1}, rows_per_warp = {2}, lane_elements = {3}, access = {4}, order = {5}",
      stringifyTileVariant(tile.getVariant()), tile.getWarps(), tile.getRowsPerWarp(), tile.getLaneElements(),
      stringifyTileAccess(tile.getAccess()), stringifyTileOrder(tile.getOrder()));
  if (tile.getWhen()) text += llvm::formatv(", when = \"{0}\"", tile.getWhen().getValue());
  return text;
}

SmallVector<mx::QuantizeTileAttr> tilesOf(ArrayAttr tiles) {
  SmallVector<mx::QuantizeTileAttr> result;
  if (tiles)
    for (Attribute tile : tiles)
      result.push_back(cast<mx::QuantizeTileAttr>(tile));
  return result;
}

} // namespace mxc
