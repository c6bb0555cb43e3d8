#include "compiler/lowering/TilePosition.h"
#include "compiler/lowering/NvvmBuild.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

// Row tiles of CTAs in a 128-row block: with four rows a warp (32 apart) the warps share out 32 rows, else
// all 128.
static int tilesPerBlock(mx::QuantizeTileAttr tile) {
  return (tile.getRowsPerWarp() == 4 ? 32 : kScaleTileRows) / tile.getWarps();
}

void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile) {
  std::string columns = llvm::formatv("ceildiv({0}, {1})", signature.columns.text(), tile.getColumns());
  std::string rows = llvm::formatv("ceildiv({0}, 128) * {1}", signature.rows.text(), tilesPerBlock(tile));
  bool byColumns = tile.getOrder() == mx::TileOrder::Columns;
  const std::string &first = byColumns ? columns : rows, &second = byColumns ? rows : columns;
  // y and z are limited to 65,535 each: together they hold the slower direction.
  variant.grid[0] = first;
  variant.grid[1] = "min(" + second + ", 65535)";
  variant.grid[2] = "ceildiv(" + second + ", 65535)";
  variant.block[0] = 32 * tile.getWarps();
}

void atTilePosition(EntryFunction &entry, mx::QuantizeTileAttr tile,
                    const std::function<void(const TilePosition &)> &body) {
  ValueBuilder v = entry.values();
  bool narrow = tile.getAccess() == mx::TileAccess::Vector;
  auto index = [&](Value i32) { return narrow ? i32 : v.toI64(i32); };
  auto extent = [&](Value i64) { return narrow ? v.toI32(i64) : i64; };
  TilePosition at;
  nvvm::launchDependents(v);
  Value thread = nvvm::threadIdX(v);
  at.lane = v.bitAnd(thread, 31);
  at.warp = v.shru(thread, 5);
  at.columnCount = extent(entry.columns());
  Value rowCount = extent(entry.rows());

  Value x = index(nvvm::ctaId(v, nvvm::Dim::X));
  Value y = index(nvvm::ctaId(v, nvvm::Dim::Y)), z = index(nvvm::ctaId(v, nvvm::Dim::Z));
  Value slow = v.add(y, v.mul(z, index(nvvm::gridSize(v, nvvm::Dim::Y))));
  bool byColumns = tile.getOrder() == mx::TileOrder::Columns;
  Value columnTile = byColumns ? x : slow, rowTile = byColumns ? slow : x;

  at.ctaColumn = v.mul(columnTile, tile.getColumns());
  int perBlock = tilesPerBlock(tile);
  Value rowBlock = v.mul(v.divu(rowTile, perBlock), kScaleTileRows);
  at.ctaRow = v.add(rowBlock, v.mul(v.remu(rowTile, perBlock), tile.getWarps()));
  // The grid is exact in x and may overshoot in y and z.
  Value exists = byColumns ? v.less(rowBlock, rowCount) : v.less(at.ctaColumn, at.columnCount);
  auto inside = scf::IfOp::create(v.b, v.loc, exists, /*withElseRegion=*/false);

  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(inside.thenBlock());
  nvvm::waitForPrerequisites(v);
  at.column = v.add(at.ctaColumn, index(v.mul(at.lane, tile.getLaneElements())));
  at.columnValid = v.less(at.column, at.columnCount);
  Value firstRow = v.add(at.ctaRow, index(at.warp));
  for (unsigned j = 0; j < tile.getRowsPerWarp(); ++j) {
    at.rows.push_back(v.add(firstRow, 32 * j));
    at.rowValid.push_back(v.less(at.rows.back(), rowCount));
  }
  at.block = v.divu(at.column, kBlockSize);
  at.blocks = v.divu(v.add(at.columnCount, kBlockSize - 1), kBlockSize);
  body(at);
}

} // namespace mxc
