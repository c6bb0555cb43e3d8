#include "compiler/lowering/product/plan/OperandBox.h"
#include "compiler/lowering/product/plan/OperandCopies.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

using namespace mlir;

namespace mxc {

int64_t OperandBox::bytes() const {
  switch (content) {
  case BoxContent::Rows:
  case BoxContent::PaddedRows:
    return int64_t(rows) * rowBytes();
  case BoxContent::ScaleTiles:
    return rows * kScaleTileBytes / kScaleTileRows * along();
  case BoxContent::ScaleLines:
    return int64_t(rows) * along() * int64_t(sizeof(float));
  }
  llvm_unreachable("a box's content");
}

int64_t OperandBox::pitch() const {
  const int64_t placed = content == BoxContent::PaddedRows ? int64_t(rows) * along() : bytes();
  return owner == BoxOwner::HalfToBoth ? 2 * placed : placed;
}

OperandRing::OperandRing(std::string name, int stages, ArrayRef<OperandBox> boxes) : boxes(boxes) {
  this->name = std::move(name), this->stages = stages;
  for (const OperandBox &box : boxes)
    regions.push_back(box.regionBytes());
}

// Rows of an operand; of fewer than 128 bytes unswizzled and as bytes: not every chip's maps know elements of
// 4 bits.
static TensorMapRecipe operandMap(const OperandBox &box, const KernelSignature &signature,
                                  const ProductExtents &at) {
  const bool isPadded = box.content == BoxContent::PaddedRows;
  TensorMapRecipe map =
      box.isB ? matrixMap(box.argument, signature, at, at.n, at.k, box.rowsOfMatrix(), box.matrices, isPadded)
              : rowsMap(box.argument, signature, at, at.k, box.rows, isPadded);
  if (!isPadded && box.rowBytes() < kStepBytes) {
    map.type = TensorMapType::U8, map.swizzle = TensorMapSwizzle::None;
    map.sizes.front() = ceilDiv(box.bits() * at.k, 8);
    map.box.front() = box.rowBytes();
  }
  return map;
}

// Whole tiles of scales, as units of two bytes: [rows / 128][K / tileK][256]. A box of fewer than 128 rows
// has as much of a tile.
static TensorMapRecipe scaleTilesMap(const OperandBox &box, const KernelSignature &signature,
                                     const ProductExtents &at, const ShapeExpression &rows, int tileK) {
  constexpr uint32_t kUnits = kScaleTileBytes / 2;
  ShapeExpression steps = ceilDiv(at.k, tileK), tiles = ceilDiv(rows, kScaleTileRows);
  const int boxRows = box.rowsOfMatrix(), tileRows = int(kScaleTileRows);
  SmallVector<MapDimension> dimensions = {
      {kUnits, {}, uint32_t(std::min(boxRows, tileRows) * kUnits / tileRows)},
      {steps, kScaleTileBytes, uint32_t(box.along())},
      {tiles, kScaleTileBytes * steps, uint32_t(llvm::divideCeil(boxRows, tileRows))}};
  ShapeExpression matrix = kScaleTileBytes * steps * tiles;
  if (box.matrices) {
    dimensions.push_back({at.matrices, matrix, uint32_t(box.matrices)});
    matrix = matrix * at.matrices;
  }
  if (at.isBatched) dimensions.push_back({at.batches, matrix, 1});
  return tensorMapRecipe(signature.argument(box.argument).name, TensorMapType::U16, TensorMapSwizzle::None,
                         dimensions);
}

// Scales of rows that lie MN-major: lines of rows, one a block of K.
static TensorMapRecipe scaleLinesMap(const OperandBox &box, const KernelSignature &signature,
                                     const ProductExtents &at, const ShapeExpression &rows) {
  constexpr int kScaleBytes = 4;
  ShapeExpression padded = 4 * ceilDiv(rows, 4), blocks = ceilDiv(at.k, kStepK);
  SmallVector<MapDimension> dimensions = {{padded, {}, uint32_t(box.rows)},
                                          {blocks, kScaleBytes * padded, uint32_t(box.along())}};
  if (at.isBatched) dimensions.push_back({at.batches, kScaleBytes * padded * blocks, 1});
  return tensorMapRecipe(signature.argument(box.argument).name, TensorMapType::F32, TensorMapSwizzle::None,
                         dimensions);
}

int scaleTileK(mx::ProductOpInterface op, bool isB) {
  return info(isB ? op.getFormatB() : op.getFormatA()).blockColumns * int(kScaleTileBlocks);
}

TensorMapRecipe mapOf(const OperandBox &box, mx::ProductOpInterface op, const KernelSignature &signature) {
  const ProductExtents at(op, signature), of = box.isB ? at.ofB() : at;
  const ShapeExpression &scaleRows = box.isB ? at.n : at.scaleRowsA();
  switch (box.content) {
  case BoxContent::Rows:
  case BoxContent::PaddedRows:
    return box.copied ? copiesMap(box, op, signature) : operandMap(box, signature, of);
  case BoxContent::ScaleTiles:
    return scaleTilesMap(box, signature, of, scaleRows, scaleTileK(op, box.isB));
  case BoxContent::ScaleLines:
    return scaleLinesMap(box, signature, of, scaleRows);
  }
  llvm_unreachable("a box's content");
}

} // namespace mxc
