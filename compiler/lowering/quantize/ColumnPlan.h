// A tile of 128 rows in which blocks lie along columns: what it takes of shared memory, and who works where.
//
//   warps of 64 columns x 32 rows; a lane has two adjacent columns' blocks
//             columns ->   0 .. 63      64 .. 127
//   rows   0 ..  31        warp 0       warp 4
//         32 ..  63        warp 1       warp 5
//         64 ..  95        warp 2       warp 6
//         96 .. 127        warp 3       warp 7
//
// A maximum is of a warp's 32 rows, of 16 of them, or of the tile's 128: then four warps agree on those of
// their columns through shared memory, and with blocks of 128x128 eight on one. With 16x16 eight lanes do.
#pragma once

#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/pipeline/RingShape.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"

namespace mxc {

inline constexpr int kColumnTileRows = kScaleTileRows, kLaneColumns = 2, kWarpColumns = 32 * kLaneColumns,
                     kColumnBlocks = kScaleTileBlocks; // of a column in a tile: each is a lane's
inline constexpr int kColumnBlockRows = kColumnTileRows / kColumnBlocks;

struct ColumnPlan {
  ColumnPlan(mx::QuantizeOp op, mx::ColumnTileAttr tile, const Target &target,
             const KernelSignature &signature);

  mx::QuantizeOp op;
  BlockFormat block; // of both copies
  mx::ColumnTileAttr tile;
  const Target &target;
  const KernelSignature &signature;
  std::optional<mx::QuantizedCopy> rowCopy, columnCopy; // at least one

  SharedLayout shared;
  RingShape ring;            // bulk: the inputs' boxes, and what the values take more
  mlir::Type valueType;      // of what is quantized: the input's, or f32 after a prologue
  int64_t values = 0;        // offset of the tile's values, row-major, where rowCopy needs them
  int64_t codes = 0;         // offset of the column copy's codes, lines of them
  bool isCompact = false;    // groups with align = 1
  bool spreadsNan = false;   // to rows past a group's end, which are +0
  bool clearsScales = false; // of blocks outside the matrix, which have others than padding's 0
  bool isClustered = false;  // launches of its code are, some or all
  int64_t scales = 0;        // offset of its scales, 1 byte each: [blocks][columns]
  int64_t blockMaxima = 0;   // offset of what becomes the maxima of 128 rows, f32 bits: [4][columns], or of
                             // 128x128 [warps], of 16x16 [8][columns / 16]
  int64_t sums = 0;          // offset of the columns' sums: [4 blocks][columns], f32
  int64_t maxima = 0;        // offset of the warps' largest magnitudes, of each tensor [warps]

  const BlockFormatInfo &format() const { return info(block); }
  int elementBits() const { return info(format().element).bits(); }
  int threads() const { return kColumnBlocks * 32 * (tile.getColumns() / kWarpColumns); }
  /// The alignment of a store of the column copy: groups that lie side by side begin anywhere in the rows of
  /// a transposed one.
  int64_t columnStoreBytes() const { return hasLooseLines() ? 1 : tile.getStoreBytes(); }
  bool hasLooseLines() const { return isCompact && columnCopy && columnCopy->isTransposed; }
  /// The block of one maximum. Its scale may be for several blocks of the format.
  BlockShape maximumBlock() const { return mx::QuantizeOp(op).getRule().maximumBlock(); }
  bool hasSquareBlocks() const { return maximumBlock().rows == kColumnTileRows; }
  bool hasSmallSquares() const { return mx::QuantizeOp(op).hasSmallSquares(); }
  /// Maxima of some copy are those of the tile's 128 rows.
  bool joinsRows() const {
    return hasSquareBlocks() || (columnCopy && maximumBlock().columns == kColumnTileRows);
  }
  /// A scale of the column copy is a lane's block's, and leaves through shared memory; else the tile's.
  bool keepsScales() const { return columnCopy && format().blockColumns <= kColumnBlockRows; }
  /// Blocks of the column copy that a lane has of a column, and that the tile has.
  int laneBlocks() const { return std::max(1, kColumnBlockRows / format().blockColumns); }
  int columnScales() const { return kColumnBlocks * laneBlocks(); }
  /// What a copy is made of: results of the transform along its blocks.
  bool isTransformed(mx::Axis copy) const { return mx::QuantizeOp(op).isTransformed(copy); }
  /// The row copy's largest magnitude is known where its values are.
  bool takesAmaxOfRows() const {
    return mx::QuantizeOp(op).getAmax() && rowCopy && isTransformed(mx::Axis::Row);
  }
  /// The number of tensors that have a largest magnitude.
  int tensors() const { return mx::QuantizeOp(op).hasTwoTensors() ? 2 : 1; }
  bool isBulk() const { return tile.getLoad() == mx::ColumnLoad::Bulk; }
  /// Lanes write the values to shared memory: they do not lie there as they came.
  bool keepsValues() { return rowCopy && !(isBulk() && !op.hasPrologue()); }
  std::string nameOf(mlir::Value argument) const { return signature.argument(argument).name; }
  mx::ScaleLayoutKind layoutOf(mlir::Value scales) const;
};

mlir::Type elementTypeOf(mlir::Value argument);

/// A line of the column copy's codes in shared memory: 128 rows of a column, or untransposed a row of the
/// tile.
struct CodeLines {
  int64_t bytes;     // of a line
  int64_t pairBytes; // from a line to the next but one
  int64_t count;

  explicit CodeLines(const ColumnPlan &plan);
};

struct ColumnPosition {
  mlir::Value thread, lane, warp;    // i32
  mlir::Value ctaRow, ctaColumn;     // i64, of the tile in the matrix
  mlir::Value rowsLeft, columnsLeft; // i32, of the tile in the matrix: 1 to 128, 1 to its columns
  mlir::Value rowsStored;  // i32: of a copy along columns: rowsLeft, and rows of zeros after a group
  mlir::Value scaleRow;    // i64: the first row's among the scales
  mlir::Value hasWork;     // i1: a grid may overshoot in its third dimension
  mlir::Value row, column; // i32, in the tile: the first of the lane's blocks
};

void setLaunchShape(AbiVariant &variant, const ColumnPlan &plan);
ColumnPosition columnPosition(EntryFunction &entry, const ColumnPlan &plan);
/// Moves the CTA to its group's rows; whether it has any (i1).
mlir::Value placeInGroup(EntryFunction &entry, ColumnPlan &plan, ColumnPosition &at);

/// The rows of the lane's blocks, vectors of two elements: the inputs, or what the prologue makes of them;
/// zeros outside the matrix. `body` is all that follows: it uses the ring that bulk copies fill.
void loadColumnBlocks(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, mlir::Value shared,
                      llvm::function_ref<void(llvm::ArrayRef<mlir::Value> rows)> body);

/// Blocks of the tile's 128 rows: what the lane knows of their maxima (i32, of its columns) to shared memory;
/// then, after a barrier, the maxima from there: one a column, or of blocks of 128x128 the one of warp
/// `warp`.
void keepBlockMaxima(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at,
                     mlir::Value shared, llvm::ArrayRef<mlir::Value> maxima);
llvm::SmallVector<mlir::Value> joinedMaxima(const ValueBuilder &v, const ColumnPlan &plan,
                                            const ColumnPosition &at, mlir::Value shared);
mlir::Value squareMaximum(const ValueBuilder &v, const ColumnPlan &plan, mlir::Value warp,
                          mlir::Value shared);
/// For 16x16: makes of the lane's maxima, of each block its columns', those of its squares, and keeps them
/// for a row copy; the one of (row, column), i32, of the tile.
void joinSmallSquares(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at,
                      mlir::Value shared, llvm::MutableArrayRef<mlir::Value> maxima);
mlir::Value smallSquareMaximum(const ValueBuilder &v, const ColumnPlan &plan, mlir::Value row,
                               mlir::Value column, mlir::Value shared);

/// The column copy: codes, and scales of blocks of 32, to shared memory; then, after a barrier, from there
/// to their places.
void keepColumnCopy(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at,
                    mlir::Value shared, const EncodedBlocks &blocks);
void storeColumnCopy(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at,
                     mlir::Value shared, const EncodedBlocks &blocks);
void storeColumnScales(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at,
                       mlir::Value shared, const EncodedBlocks &blocks);

/// Whether the row copy's lanes can share blocks of that many elements, and store their scales.
bool takesRowBlocks(int blockColumns, bool hasTiledScales);
/// The row copy: values to shared memory, where they are not; then, after a barrier, quantized from there.
void keepValues(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, mlir::Value shared,
                llvm::ArrayRef<mlir::Value> rows);
void quantizeTileRows(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, mlir::Value shared,
                      mlir::Value tensorScale);
/// A warp's largest magnitude (i32, of each lane) of tensor `tensor` to shared memory.
void keepMaximum(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, mlir::Value shared,
                 int tensor, mlir::Value ofLane);

} // namespace mxc
