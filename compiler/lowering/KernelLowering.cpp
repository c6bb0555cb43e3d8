#include "compiler/lowering/KernelLowering.h"

using namespace mlir;

namespace mxc {

LogicalResult requireFp8(Operation *op, Type element, const Target &target) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) return success();
  return op->emitOpError("element format ")
         << element << " is not yet on this target (" << StringRef(target.name)
         << "): code is generated for f8E4M3FN and f8E5M2";
}

SmallVector<mx::QuantizeTileAttr> tilesOf(ArrayAttr tiles) {
  SmallVector<mx::QuantizeTileAttr> result;
  if (tiles)
    for (Attribute tile : tiles)
      result.push_back(cast<mx::QuantizeTileAttr>(tile));
  return result;
}

} // namespace mxc
