#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/nvvm/Conversions.h"

using namespace mlir;

namespace mxc {

static bool isGenerated(const BlockFormatInfo &format) {
  return nvvm::converts(format.element) && hasQuantizeRule(format.format);
}

LogicalResult requireGenerated(Operation *op, BlockFormat format, const Target &target) {
  if (isGenerated(info(format))) return success();
  auto text = [](const BlockFormatInfo &block) {
    return (StringRef(block.name) + " (" + StringRef(info(block.element).mlirType) + ")").str();
  };
  InFlightDiagnostic error = op->emitOpError("block format ")
                             << text(info(format)) << " is not yet on this target (" << StringRef(target.name)
                             << "): code is generated for ";
  llvm::interleaveComma(llvm::make_filter_range(blockFormats(), isGenerated), error,
                        [&](const BlockFormatInfo &known) { error << text(known); });
  return error;
}

SmallVector<mx::QuantizeTileAttr> tilesOf(ArrayAttr tiles) {
  SmallVector<mx::QuantizeTileAttr> result;
  if (tiles)
    for (Attribute tile : tiles)
      result.push_back(cast<mx::QuantizeTileAttr>(tile));
  return result;
}

} // namespace mxc
