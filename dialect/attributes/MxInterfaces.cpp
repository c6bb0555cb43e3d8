#include "dialect/attributes/MxInterfaces.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mxc::mx;

#include "dialect/MxAttrInterfaces.cpp.inc"
#include "dialect/MxOpInterfaces.cpp.inc"

std::string mxc::mx::printedText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

std::optional<KernelOperand> mxc::mx::kernelOperandOf(KernelOpInterface op, Value value) {
  for (KernelOperand &operand : op.getKernelOperands())
    if (operand.value == value) return operand;
  return std::nullopt;
}

AffineMap mxc::mx::matrixShape(MLIRContext *context, unsigned row, unsigned column, int64_t rowsPerScale,
                               int64_t columnsPerScale) {
  AffineExpr rows = getAffineDimExpr(row, context).ceilDiv(rowsPerScale),
             columns = getAffineDimExpr(column, context).ceilDiv(columnsPerScale);
  return AffineMap::get(std::max(row, column) + 1, 0, {rows, columns}, context);
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

static FailureOr<Attribute> parseTile(TiledOpInterface op, StringRef text) {
  if (text.trim().empty())
    return op->emitError() << "a tile is empty: expected " << kindsOf(op) << ", or what stands inside";
  bool isWhole = text.trim().starts_with("#");
  std::string whole =
      isWhole ? text.trim().str() : "#" + op.getTileKinds().front().str() + "<" + text.str() + ">";
  std::string why;
  Attribute tile;
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      if (why.empty()) why = diagnostic.str();
    });
    tile = parseAttribute(whole, op->getContext());
  }
  if (tile && isOfKind(op, tile)) return tile;
  InFlightDiagnostic error = op->emitError() << "the tile '" << text << "': ";
  if (tile || why.empty()) return error << "expected " << kindsOf(op);
  return error << why;
}

/// A semicolon inside of quotes separates nothing.
static SmallVector<StringRef> splitAtSemicolons(StringRef text) {
  SmallVector<StringRef> parts;
  bool isQuoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') isQuoted = !isQuoted;
    if (text[i] != ';' || isQuoted) continue;
    parts.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

FailureOr<SmallVector<Attribute>> mxc::mx::parseTiles(TiledOpInterface op, StringRef text) {
  SmallVector<Attribute> tiles;
  for (StringRef part : splitAtSemicolons(text)) {
    FailureOr<Attribute> tile = parseTile(op, part);
    if (failed(tile)) return failure();
    tiles.push_back(*tile);
  }
  return tiles;
}
