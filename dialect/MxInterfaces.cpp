#include "dialect/MxInterfaces.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mxc::mx;

#include "dialect/MxAttrInterfaces.cpp.inc"
#include "dialect/MxOpInterfaces.cpp.inc"

std::optional<KernelOperand> mxc::mx::kernelOperandOf(KernelOpInterface op, Value value) {
  for (KernelOperand &operand : op.getKernelOperands())
    if (operand.value == value) return operand;
  return std::nullopt;
}

AffineMap mxc::mx::matrixShape(MLIRContext *context, unsigned row, unsigned column, int64_t columnsPerScale) {
  AffineExpr columns = getAffineDimExpr(column, context).ceilDiv(columnsPerScale);
  return AffineMap::get(std::max(row, column) + 1, 0, {getAffineDimExpr(row, context), columns}, context);
}

static bool isOfKind(TiledOpInterface op, Attribute tile) {
  return isa<TileAttrInterface>(tile) &&
         llvm::is_contained(op.getTileKinds(), tile.getAbstractAttribute().getName());
}

static std::string kindsOf(TiledOpInterface op) {
  return llvm::join(
      llvm::map_range(op.getTileKinds(), [](StringRef kind) { return "#" + kind.str() + "<...>"; }), " or ");
}

LogicalResult mxc::mx::verifyTiles(TiledOpInterface op, StringRef constraint) {
  ArrayAttr tiles = op.getTilesAttr();
  if (!tiles) return success();
  for (Attribute tile : tiles)
    if (!isOfKind(op, tile))
      return op->emitOpError("tiles must be ")
             << kindsOf(op) << ", found " << tile << " [" << constraint << "]";
  if (tiles.empty() || cast<TileAttrInterface>(tiles[tiles.size() - 1]).getWhen())
    return op->emitOpError("the last tile must have no condition: it takes what the others refuse [")
           << constraint << "]";
  return success();
}

FailureOr<TileAttrInterface> mxc::mx::parseTile(TiledOpInterface op, StringRef text) {
  ArrayRef<StringRef> kinds = op.getTileKinds();
  bool isWhole = text.trim().starts_with("#");
  std::string whole = isWhole ? text.trim().str() : "#" + kinds.front().str() + "<" + text.str() + ">";
  Attribute tile = parseAttribute(whole, op->getContext());
  if (tile && isOfKind(op, tile)) return cast<TileAttrInterface>(tile);
  return op->emitError() << "the tile '" << text << (isWhole ? "' is not " : "' is not what stands inside ")
                         << kindsOf(op);
}
