#include "compiler/lowering/product/results/SliceSums.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

void addSliceSums(mx::ProductOpInterface op, KernelSignature &signature, int storeWarps) {
  const ProductExtents extents(op, signature);
  ShapeExpression sums, arrivals; // the largest of all tiles'
  for (Attribute attribute : op.getTilesAttr()) {
    auto tile = dyn_cast<mx::MatmulTileAttr>(attribute);
    if (!tile || tile.getSlices() == 1) continue;
    ShapeExpression tiles = extents.tiles(tile.getM(), tile.getN());
    sums = max(sums, 4 * tile.getSlices() * tile.getN() * tile.getM() * tiles);
    arrivals = max(arrivals, 4 * storeWarps * tile.getCtas() * tiles);
  }
  if (sums.empty()) return;
  signature.addWorkspace(kSliceSums, sums, WorkspaceZeroing::No);
  signature.addWorkspace(kSliceArrivals, arrivals, WorkspaceZeroing::Once);
}

SliceSums::SliceSums(const TileEntry &e, const ValueBuilder &v, const TileRecord &tile, Value row)
    : e_(e), plan_(e.tilePlan), tile_(tile) {
  thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  Value rowBlocks = v.mul(e.tiles.rows, plan_.ctas());
  Value block = v.add(v.mul(tile.batch, rowBlocks), v.divu(tile.row, kCtaRows));
  unit_ = v.add(v.mul(block, e.tiles.columns), v.divu(tile.column, int64_t(plan_.tile.getN())));
  isInside_ = v.less(row, tile.rows);
}

// Threads side by side: a warp's chunks are 512 consecutive bytes.
Value SliceSums::address(const ValueBuilder &v, Value slice, Value chunk) const {
  const mx::MatmulTileAttr &tile = plan_.tile;
  Value part = v.add(v.mul(v.toI64(unit_), tile.getSlices()), v.toI64(slice));
  const int64_t chunks = int64_t(tile.getN()) * kCtaRows / threads() / kChunk;
  Value index = v.add(v.mul(v.add(v.mul(part, chunks), v.toI64(chunk)), threads()), v.toI64(thread_));
  return nvvm::offsetBytes(v, e_.function.pointer(kSliceSums), v.mul(index, 4 * kChunk));
}

Value SliceSums::chunkAt(const ValueBuilder &v, Value first, int chunk) const {
  return nvvm::offsetBytes(v, first, v.i64(int64_t(chunk) * threads() * 4 * kChunk));
}

void SliceSums::leave(const ValueBuilder &v, Value chunk, Value sums) const {
  auto type = VectorType::get(kChunk, v.b.getF32Type());
  ifThen(v, isInside_, [&] {
    Value first = address(v, tile_.slice, chunk);
    for (int i = 0; i < cast<VectorType>(sums.getType()).getNumElements(); i += kChunk) {
      SmallVector<Value> elements;
      for (int j = i; j < i + kChunk; ++j)
        elements.push_back(nvvm::element(v, sums, j));
      nvvm::store(v, nvvm::fromElements(v, type, elements), chunkAt(v, first, i / kChunk), 4 * kChunk);
    }
  });
}

Value SliceSums::isLast(const ValueBuilder &v) const {
  Value index = v.add(v.mul(v.toI64(unit_), plan_.storeWarps), v.toI64(v.divu(thread_, 32)));
  Value counter = nvvm::offsetBytes(v, e_.function.pointer(kSliceArrivals), v.mul(index, 4));
  return mx::LastOfOp::create(v.b, v.loc, v.b.getI1Type(), counter, plan_.tile.getSlices());
}

Value SliceSums::loadPart(const ValueBuilder &v, Value first, VectorType type) const {
  auto chunkType = VectorType::get(kChunk, v.b.getF32Type());
  SmallVector<Value> elements;
  for (int i = 0; i < type.getNumElements(); i += kChunk) {
    Value chunk = nvvm::load(v, chunkType, chunkAt(v, first, i / kChunk), 4 * kChunk);
    for (int j = 0; j < kChunk; ++j)
      elements.push_back(nvvm::element(v, chunk, j));
  }
  return nvvm::fromElements(v, type, elements);
}

// A loop: unrolled it would ask for the registers of all slices.
Value SliceSums::sum(const ValueBuilder &v, Value chunk, VectorType type) const {
  return steps::whereElseZero(v, isInside_, type, [&] {
    Value first = loadPart(v, address(v, v.i32(0), chunk), type);
    auto loop =
        scf::ForOp::create(v.b, v.loc, v.i32(1), v.i32(plan_.tile.getSlices()), v.i32(1), ValueRange{first});
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToEnd(loop.getBody());
    Value part = loadPart(v, address(v, loop.getInductionVar(), chunk), type);
    Value sum = arith::AddFOp::create(v.b, v.loc, loop.getRegionIterArg(0), part);
    scf::YieldOp::create(v.b, v.loc, sum);
    return loop.getResult(0);
  });
}

} // namespace mxc
