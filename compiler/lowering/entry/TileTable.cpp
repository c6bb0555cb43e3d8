#include "compiler/lowering/entry/TileTable.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace mxc {

Tiles tilesOf(std::span<const std::string_view> table, MLIRContext *context) {
  Tiles tiles;
  for (std::string_view text : table)
    tiles.push_back(cast<mx::TileAttrInterface>(parseAttribute(text, context)));
  return tiles;
}

} // namespace mxc
