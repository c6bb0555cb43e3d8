#include "compiler/lowering/quantize/TilePosition.h"
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Threads.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

// The warps that a 128-row block takes: four rows of each lie 32 apart.
static int warpsPerBlock(mx::QuantizeTileAttr tile) {
  return tile.getRowsPerWarp() == 4 ? 32 : kScaleTileRows;
}

void setLaunchShape(AbiVariant &variant, const KernelSignature &signature, mx::QuantizeTileAttr tile,
                    StringRef tileRows) {
  std::string columns = llvm::formatv("ceildiv({0}, {1})", signature.columns().text(), tile.getColumns());
  std::string rows = llvm::formatv("{0} * {1}", tileRows, warpsPerBlock(tile) / tile.getWarps());
  TileGrid{tile.getOrder()}.cover(variant, rows, columns);
  variant.block[0] = 32 * tile.getWarps();
}

// Values that count rows and columns: i32 with vector access, else i64.
static bool isNarrow(mx::QuantizeTileAttr tile) { return tile.getAccess() == mx::TileAccess::Vector; }

CtaPosition ctaPosition(EntryFunction &entry, mx::QuantizeTileAttr tile, bool asksForWarps) {
  ValueBuilder v = entry.values();
  auto index = [&](Value i32) { return isNarrow(tile) ? i32 : v.toI64(i32); };
  auto extent = [&](Value i64) { return isNarrow(tile) ? v.toI32(i64) : i64; };
  CtaPosition at;
  Value thread = nvvm::threadIdX(v);
  at.lane = v.bitAnd(thread, 31);
  at.warp = v.shru(thread, 5);
  at.columnCount = extent(entry.columns());
  at.rowCount = at.scaleRowCount = extent(entry.rows());

  TileGrid::Place place = TileGrid{tile.getOrder()}.place(v, index);
  at.ctaColumn = v.mul(place.column, tile.getColumns());
  Value firstWarp =
      asksForWarps ? v.mul(place.row, index(v.shru(nvvm::ctaSize(v), 5))) : v.mul(place.row, tile.getWarps());
  Value rowBlock = v.mul(v.divu(firstWarp, warpsPerBlock(tile)), kScaleTileRows);
  at.rowBlock = rowBlock;
  at.ctaRow = v.add(rowBlock, v.remu(firstWarp, warpsPerBlock(tile)));
  auto isBelow = [&](Value x, Value y) { return v.cmp(ValueBuilder::Predicate::ult, x, y); };
  at.hasWork = place.mayBeBelow ? isBelow(rowBlock, at.rowCount) : isBelow(at.ctaColumn, at.columnCount);
  return at;
}

TilePosition tilePosition(const ValueBuilder &v, mx::QuantizeTileAttr tile, const BlockFormatInfo &format,
                          const CtaPosition &cta, int rowsApart) {
  auto index = [&](Value i32) { return isNarrow(tile) ? i32 : v.toI64(i32); };
  TilePosition at;
  static_cast<CtaPosition &>(at) = cta;
  at.column = v.add(at.ctaColumn, index(v.mul(at.lane, tile.getLaneElements())));
  at.columnValid = v.less(at.column, at.columnCount);
  at.rowsApart = rowsApart;
  Value firstRow = v.bitOr(at.ctaRow, index(at.warp)); // multiples of the CTA's warps, and less than them
  if (rowsApart == 1)
    firstRow = v.add(at.rowBlock, v.mul(v.sub(firstRow, at.rowBlock), int64_t(tile.getRowsPerWarp())));
  for (unsigned j = 0; j < tile.getRowsPerWarp(); ++j) {
    at.rows.push_back(v.add(firstRow, rowsApart * int64_t(j)));
    at.rowValid.push_back(v.less(at.rows.back(), at.rowCount));
  }
  at.scaleRows = at.rows;
  at.block = v.divu(at.column, format.blockColumns);
  at.blocks = v.divu(v.add(at.columnCount, format.blockColumns - 1), format.blockColumns);
  return at;
}

} // namespace mxc
