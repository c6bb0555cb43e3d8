// The plan of a column tile, its grid, and where its lanes work.
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/quantize/ColumnPlan.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"
#include "compiler/lowering/quantize/InputRing.h"
#include "compiler/lowering/quantize/Totals.h"

#include "dialect/formats/PackedCodes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace mxc {

Type elementTypeOf(Value argument) { return cast<MemRefType>(argument.getType()).getElementType(); }

mx::ScaleLayoutKind ColumnPlan::layoutOf(Value scales) const {
  return scaleLayoutKindOf(signature.argument(scales));
}

ColumnPlan::ColumnPlan(mx::QuantizeOp op, mx::ColumnTileAttr tile, const Target &target,
                       const KernelSignature &signature)
    : op(op), block(op.getFormat()), tile(tile), target(target), signature(signature) {
  SmallVector<mx::QuantizedCopy> copies = op.getCopies();
  for (const mx::QuantizedCopy &copy : copies)
    (copy.axis == mx::Axis::Row ? rowCopy : columnCopy) = copy;
  isCompact = op.hasCompactGroups();
  spreadsNan = op.hasGroups() && !isCompact && countsNan(op.getRule().special);
  clearsScales = joinsRows() || hasSmallSquares() || mustClear(op.getRule());
  valueType = op.hasPrologue() ? Float32Type::get(op.getContext()) : elementTypeOf(op.getInputs().front());

  int64_t elements = int64_t(kColumnTileRows) * tile.getColumns(),
          valueBytes = elements * mx::storageBytes(valueType, 1);
  if (isBulk()) {
    SmallVector<int64_t> parts;
    for (Value input : op.getInputs())
      parts.push_back(elements * mx::storageBytes(elementTypeOf(input), 1));
    // Values take the inputs' place once every lane has read its own.
    int64_t inputBytes = std::accumulate(parts.begin(), parts.end(), int64_t(0));
    if (keepsValues() && valueBytes > inputBytes) parts.push_back(valueBytes - inputBytes);
    ring = inputRing(parts);
    values = placeRings(shared, {ring}).front().layout.memory;
  } else if (keepsValues()) {
    values = shared.add("values", valueBytes, /*alignment=*/128);
  }
  if (columnCopy) {
    const CodeLines lines(*this);
    codes = shared.add("codes", lines.count / 2 * lines.pairBytes, /*alignment=*/128);
    if (keepsScales())
      scales = shared.add("scales", int64_t(columnScales()) * tile.getColumns(), /*alignment=*/16);
  }
  if (joinsRows())
    blockMaxima = shared.add("block maxima",
                             4 * (hasSquareBlocks() ? threads() / 32 : kColumnBlocks * tile.getColumns()),
                             /*alignment=*/16);
  if (hasSmallSquares() && rowCopy)
    blockMaxima = shared.add("block maxima", 4 * elements / (kSmallSquare.rows * kSmallSquare.columns),
                             /*alignment=*/16);
  if (op.getColumnSum()) sums = shared.add("sums", 4 * kColumnBlocks * tile.getColumns(), /*alignment=*/16);
  if (op.getAmax()) maxima = shared.add("maxima", 4 * tensors() * threads() / 32, /*alignment=*/16);
}

// Between pairs of lines that are no power of two long lies a piece, so that those who write a line each meet
// few conflicts.
CodeLines::CodeLines(const ColumnPlan &plan) {
  const int64_t columns = plan.tile.getColumns();
  const bool isTransposed = plan.columnCopy->isTransposed;
  bytes = isTransposed ? storageBytes(plan.elementBits(), kColumnTileRows) : columns;
  pairBytes = 2 * bytes + (llvm::isPowerOf2_64(bytes) ? 0 : 16);
  count = isTransposed ? columns : kColumnTileRows;
}

static TileGrid gridOf(mx::ColumnTileAttr tile) {
  return {tile.getOrder(), tile.getClusterRows(), tile.getClusterColumns()};
}

void setLaunchShape(AbiVariant &variant, const ColumnPlan &plan) {
  std::string columns =
      llvm::formatv("ceildiv({0}, {1})", plan.signature.columns().text(), plan.tile.getColumns());
  std::string rows = tileRowsText(plan.op, plan.signature);
  if (hasTotals(plan.op) && plan.tile.takesEverything()) // of nothing, too
    for (std::string *tiles : {&columns, &rows})
      *tiles = "max(" + *tiles + ", 1)";
  variant.block[0] = plan.threads();
  gridOf(plan.tile).cover(variant, rows, columns);
}

ColumnPosition columnPosition(EntryFunction &entry, const ColumnPlan &plan) {
  ValueBuilder v = entry.values();
  ColumnPosition at;
  at.thread = nvvm::threadIdX(v);
  at.lane = v.bitAnd(at.thread, 31);
  at.warp = v.shru(at.thread, 5);

  // Bulk tiles have narrow extents; tiles of groups side by side go beyond them.
  bool isNarrow = plan.isBulk() && !plan.isCompact;
  auto index = [&](Value i) { return isNarrow ? v.toI32(i) : v.toI64(i); };
  TileGrid::Place place = gridOf(plan.tile).place(v, index);
  Value column = v.mul(place.column, plan.tile.getColumns()), row = v.mul(place.row, kColumnTileRows);
  Value rowEnd = plan.isCompact ? v.mul(tileRows(entry, plan.op), kColumnTileRows) : index(entry.rows());
  auto isBelow = [&](Value x, Value y) { return v.cmp(ValueBuilder::Predicate::ult, x, y); };
  Value isAbove = isBelow(row, rowEnd), isInside = isBelow(column, index(entry.columns()));
  at.hasWork = plan.isClustered ? v.bitAnd(isAbove, isInside) : place.mayBeBelow ? isAbove : isInside;
  auto left = [&](Value extent, Value begin, int64_t limit) {
    return v.toI32(v.minu(v.sub(index(extent), begin), v.like(begin, limit)));
  };
  at.rowsLeft = left(entry.rows(), row, kColumnTileRows);
  at.columnsLeft = left(entry.columns(), column, plan.tile.getColumns());
  at.ctaColumn = v.toI64(column);
  at.ctaRow = v.toI64(row);
  at.rowsStored = at.rowsLeft;
  at.scaleRow = at.ctaRow;
  at.row = v.mul(v.bitAnd(at.warp, kColumnBlocks - 1), kColumnBlockRows);
  at.column = v.add(v.mul(v.shru(at.warp, 2), kWarpColumns), v.mul(at.lane, kLaneColumns));
  return at;
}

Value placeInGroup(EntryFunction &entry, ColumnPlan &plan, ColumnPosition &at) {
  ValueBuilder v = entry.values();
  GroupedRows rows = groupedRows(entry, plan.op, plan.nameOf(plan.op.getEnds()),
                                 v.divu(at.ctaRow, kColumnTileRows), at.lane);
  at.ctaRow = rows.first;
  at.rowsLeft = rows.count;
  at.rowsStored = rows.stored;
  at.scaleRow = rows.scaleRow;
  return rows.hasRows;
}

} // namespace mxc
