#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/nvvm/Launch.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int64_t kMaximumGridHeight = 65535; // of y and of z

void TileGrid::cover(AbiVariant &variant, const std::string &rows, const std::string &columns) const {
  const bool byColumns = order == mx::TileOrder::Columns;
  const unsigned fastTiles = byColumns ? clusterColumns : clusterRows,
                 slowTiles = byColumns ? clusterRows : clusterColumns;
  auto whole = [](const std::string &tiles, unsigned cluster) {
    return cluster == 1 ? tiles : llvm::formatv("ceildiv({0}, {1}) * {1}", tiles, cluster).str();
  };
  const std::string &slow = byColumns ? rows : columns;
  const int64_t height = kMaximumGridHeight / slowTiles * slowTiles;
  variant.grid[0] = whole(byColumns ? columns : rows, fastTiles);
  variant.grid[1] = llvm::formatv("min({0}, {1})", whole(slow, slowTiles), height).str();
  variant.grid[2] = llvm::formatv("ceildiv({0}, {1})", slow, height).str();
  variant.cluster[0] = fastTiles;
  variant.cluster[1] = slowTiles;
}

TileGrid::Place TileGrid::place(const ValueBuilder &v, function_ref<Value(Value)> index) const {
  Value x = index(nvvm::ctaId(v, nvvm::Dim::X));
  Value y = index(nvvm::ctaId(v, nvvm::Dim::Y)), z = index(nvvm::ctaId(v, nvvm::Dim::Z));
  Value slow = v.add(y, v.mul(z, index(nvvm::gridSize(v, nvvm::Dim::Y))));
  if (order == mx::TileOrder::Columns) return {slow, x, true};
  return {x, slow, false};
}

} // namespace mxc
