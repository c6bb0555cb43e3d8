#include "compiler/lowering/TilePosition.h"
#include "compiler/lowering/TileGrid.h"
#include "compiler/lowering/nvvm/Threads.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

// Row tiles of CTAs in a 128-row block: with four rows a warp (32 apart) the warps share out 32 rows, else
// all 128.
static int tilesPerBlock(mx::QuantizeTileAttr tile) {
  return (tile.getRowsPerWarp() == 4 ? 32 : kScaleTileRows) / tile.getWarps();
}

void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile,
                    StringRef tileRows) {
  std::string columns = llvm::formatv("ceildiv({0}, {1})", signature.columns().text(), tile.getColumns());
  std::string rows = llvm::formatv("{0} * {1}", tileRows, tilesPerBlock(tile));
  TileGrid{tile.getOrder()}.cover(variant, rows, columns);
  variant.block[0] = 32 * tile.getWarps();
}

// Values that count rows and columns: i32 with vector access, else i64.
static bool isNarrow(mx::QuantizeTileAttr tile) { return tile.getAccess() == mx::TileAccess::Vector; }

CtaPosition ctaPosition(EntryFunction &entry, mx::QuantizeTileAttr tile) {
  ValueBuilder v = entry.values();
  auto index = [&](Value i32) { return isNarrow(tile) ? i32 : v.toI64(i32); };
  auto extent = [&](Value i64) { return isNarrow(tile) ? v.toI32(i64) : i64; };
  CtaPosition at;
  Value thread = nvvm::threadIdX(v);
  at.lane = v.bitAnd(thread, 31);
  at.warp = v.shru(thread, 5);
  at.columnCount = extent(entry.columns());
  at.rowCount = extent(entry.rows());

  TileGrid::Place place = TileGrid{tile.getOrder()}.place(v, index);
  at.ctaColumn = v.mul(place.column, tile.getColumns());
  int perBlock = tilesPerBlock(tile);
  Value rowBlock = v.mul(v.divu(place.row, perBlock), kScaleTileRows);
  at.rowBlock = rowBlock;
  at.ctaRow = v.add(rowBlock, v.mul(v.remu(place.row, perBlock), tile.getWarps()));
  auto isBelow = [&](Value x, Value y) { return v.cmp(ValueBuilder::Predicate::ult, x, y); };
  at.hasWork = place.mayBeBelow ? isBelow(rowBlock, at.rowCount) : isBelow(at.ctaColumn, at.columnCount);
  return at;
}

TilePosition tilePosition(const ValueBuilder &v, mx::QuantizeTileAttr tile, const BlockFormatInfo &format,
                          const CtaPosition &cta) {
  auto index = [&](Value i32) { return isNarrow(tile) ? i32 : v.toI64(i32); };
  TilePosition at;
  static_cast<CtaPosition &>(at) = cta;
  at.column = v.add(at.ctaColumn, index(v.mul(at.lane, tile.getLaneElements())));
  at.columnValid = v.less(at.column, at.columnCount);
  Value firstRow = v.add(at.ctaRow, index(at.warp));
  for (unsigned j = 0; j < tile.getRowsPerWarp(); ++j) {
    at.rows.push_back(v.add(firstRow, 32 * j));
    at.rowValid.push_back(v.less(at.rows.back(), at.rowCount));
  }
  at.scaleRows = at.rows;
  at.block = v.divu(at.column, format.blockColumns);
  at.blocks = v.divu(v.add(at.columnCount, format.blockColumns - 1), format.blockColumns);
  return at;
}

} // namespace mxc
