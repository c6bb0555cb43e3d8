#include "compiler/lowering/product/tensormemory/SliceSums.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static constexpr int kChunk = 4; // columns in 16 bytes
static constexpr int kWarps = kCtaRows / 32;

void addSliceSums(mx::ProductOpInterface op, KernelSignature &signature) {
  const ProductExtents extents(op, signature);
  ShapeExpression parts, arrivals; // the largest of all tiles'
  for (Attribute attribute : op.getTilesAttr()) {
    auto tile = dyn_cast<mx::MatmulTileAttr>(attribute);
    if (!tile || tile.getSlices() == 1) continue;
    ShapeExpression tiles = extents.tiles(tile.getM(), tile.getN());
    parts = max(parts, 4 * tile.getSlices() * tile.getN() * tile.getM() * tiles);
    arrivals = max(arrivals, 4 * kWarps * tile.getCtas() * tiles);
  }
  if (parts.empty()) return;
  signature.addWorkspace(kParts, parts, WorkspaceZeroing::No);
  signature.addWorkspace(kArrivals, arrivals, WorkspaceZeroing::Once);
}

SliceSums::SliceSums(const TensorMemoryEntry &e, const ValueBuilder &v, const TileRecord &tile)
    : e_(e), tile_(tile) {
  thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  Value rowBlocks = v.mul(e.tiles.rows, e.plan.ctas());
  Value row = v.add(v.mul(tile.batch, rowBlocks), v.divu(tile.row, kCtaRows));
  unit_ = v.add(v.mul(row, e.tiles.columns), v.divu(tile.column, int64_t(e.plan.tile.getN())));
  isInside_ = v.less(v.add(tile.row, thread_), tile.rows);
}

// Threads side by side: a warp's chunks of 4 columns are 512 consecutive bytes.
Value SliceSums::address(const ValueBuilder &v, Value slice, Value column) const {
  const mx::MatmulTileAttr &tile = e_.plan.tile;
  Value part = v.add(v.mul(v.toI64(unit_), tile.getSlices()), v.toI64(slice));
  Value chunk = v.add(v.mul(part, tile.getN() / kChunk), v.toI64(v.divu(column, kChunk)));
  Value index = v.add(v.mul(chunk, kCtaRows), v.toI64(thread_));
  return nvvm::offsetBytes(v, e_.function.pointer(kParts), v.mul(index, 4 * kChunk));
}

static Value chunkAt(const ValueBuilder &v, Value first, int chunk) {
  return nvvm::offsetBytes(v, first, v.i64(int64_t(chunk) * kCtaRows * 4 * kChunk));
}

void SliceSums::leave(const ValueBuilder &v, Value column, Value product) const {
  auto type = VectorType::get(kChunk, v.b.getF32Type());
  ifThen(v, isInside_, [&] {
    Value first = address(v, tile_.slice, column);
    for (int i = 0; i < cast<VectorType>(product.getType()).getNumElements(); i += kChunk) {
      SmallVector<Value> elements;
      for (int j = i; j < i + kChunk; ++j)
        elements.push_back(nvvm::element(v, product, j));
      nvvm::store(v, nvvm::fromElements(v, type, elements), chunkAt(v, first, i / kChunk), 4 * kChunk);
    }
  });
}

Value SliceSums::isLast(const ValueBuilder &v) const {
  Value index = v.add(v.mul(v.toI64(unit_), kWarps), v.toI64(v.divu(thread_, 32)));
  Value counter = nvvm::offsetBytes(v, e_.function.pointer(kArrivals), v.mul(index, 4));
  return mx::LastOfOp::create(v.b, v.loc, v.b.getI1Type(), counter, e_.plan.tile.getSlices());
}

static Value loadPart(const ValueBuilder &v, Value first, VectorType type) {
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
Value SliceSums::sum(const ValueBuilder &v, Value column, VectorType type) const {
  return steps::whereElseZero(v, isInside_, type, [&] {
    Value first = loadPart(v, address(v, v.i32(0), column), type);
    auto loop = scf::ForOp::create(v.b, v.loc, v.i32(1), v.i32(e_.plan.tile.getSlices()), v.i32(1),
                                   ValueRange{first});
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToEnd(loop.getBody());
    Value part = loadPart(v, address(v, loop.getInductionVar(), column), type);
    Value sum = arith::AddFOp::create(v.b, v.loc, loop.getRegionIterArg(0), part);
    scf::YieldOp::create(v.b, v.loc, sum);
    return loop.getResult(0);
  });
}

} // namespace mxc
