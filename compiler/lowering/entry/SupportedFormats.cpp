#include "compiler/lowering/entry/SupportedFormats.h"

using namespace mlir;

namespace mxc {

LogicalResult requireMxfp8(Operation *op, BlockFormat format, const Target &target) {
  if (format == BlockFormat::MXFP8_E4M3 || format == BlockFormat::MXFP8_E5M2) return success();
  return op->emitOpError("block format ")
         << StringRef(info(format).name) << " is not yet on this target (" << StringRef(target.name)
         << "): code is generated for mxfp8_e4m3 and mxfp8_e5m2";
}

SmallVector<mx::QuantizeTileAttr> tilesOf(ArrayAttr tiles) {
  SmallVector<mx::QuantizeTileAttr> result;
  if (tiles)
    for (Attribute tile : tiles)
      result.push_back(cast<mx::QuantizeTileAttr>(tile));
  return result;
}

} // namespace mxc
