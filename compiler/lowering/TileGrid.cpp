#include "compiler/lowering/TileGrid.h"
#include "compiler/lowering/nvvm/Launch.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

void TileGrid::cover(AbiVariant &variant, const std::string &rows, const std::string &columns) const {
  if (supergroup > 1) {
    variant.grid[0] = llvm::formatv("min({0}, {1})", rows, supergroup).str();
    variant.grid[1] = columns;
    variant.grid[2] = llvm::formatv("ceildiv({0}, {1})", rows, supergroup).str();
    return;
  }
  const bool byColumns = order == mx::TileOrder::Columns;
  const std::string &slow = byColumns ? rows : columns;
  variant.grid[0] = byColumns ? columns : rows;
  variant.grid[1] = llvm::formatv("min({0}, {1})", slow, kMaximumGridHeight).str();
  variant.grid[2] = llvm::formatv("ceildiv({0}, {1})", slow, kMaximumGridHeight).str();
}

TileGrid::Place TileGrid::place(const ValueBuilder &v, function_ref<Value(Value)> index) const {
  Value x = index(nvvm::ctaId(v, nvvm::Dim::X));
  Value y = index(nvvm::ctaId(v, nvvm::Dim::Y)), z = index(nvvm::ctaId(v, nvvm::Dim::Z));
  if (supergroup > 1) return {v.add(v.mul(z, supergroup), x), y, true};
  Value slow = v.add(y, v.mul(z, index(nvvm::gridSize(v, nvvm::Dim::Y))));
  if (order == mx::TileOrder::Columns) return {slow, x, true};
  return {x, slow, false};
}

} // namespace mxc
