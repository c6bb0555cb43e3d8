#include "compiler/lowering/KernelLowering.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

AbiVariant *addVariant(KernelSignature &signature, ShapeExpression when,
                       std::vector<AbiAlignment> alignments) {
  KernelAbi &abi = signature.abi;
  auto isImplied = [&](const AbiAlignment &earlier) {
    return llvm::any_of(alignments, [&](const AbiAlignment &own) {
      return own.argument == earlier.argument && own.bytes >= earlier.bytes;
    });
  };
  for (const AbiVariant &earlier : abi.variants)
    if (earlier.when.empty() && llvm::all_of(earlier.alignments, isImplied)) return nullptr;
  size_t index = abi.variants.size();
  AbiVariant &variant = abi.variants.emplace_back();
  variant.entry =
      index == 0 ? abi.name : abi.name + "$" + std::to_string(index); // '$' is in no kernel's name
  variant.when = std::move(when);
  variant.alignments = std::move(alignments);
  return &variant;
}

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
