#include "compiler/lowering/product/plan/ProductEntry.h"
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/plan/ClusterTilePlan.h"

using namespace mlir;

namespace mxc {

ProductEntry::ProductEntry(mx::ProductOpInterface op, const KernelSignature &signature,
                           EntryFunction &function, Value orders)
    : op(op), signature(signature), function(function) {
  ValueBuilder v = function.values();
  auto extent = [&](StringRef name) { return v.toI32(function.extent(name)); };
  m = extent("M"), n = extent("N"), k = extent("K");
  rowsA = op.getGather() ? extent("T") : m;
  batches = op.isBatched() ? extent("B") : v.i32(1);
  if (op.hasGroups()) groups = extent("G");
  if (op.isRaggedK()) {
    kGroups = extent("G");
    if (!orders) orders = function.pointer(kGroupOrders);
    kOrder = mx::OrderGroupsOp::create(v.b, v.loc, orders.getType(), function.pointer(nameOf(op.getEnds())),
                                       kGroups, k, kStepK, orders);
  }
  scalars = function.scalars(op->getParentOfType<mx::KernelOp>());
}

// A grid has as many CTAs as there are multiprocessors, or fewer.
void addGroupOrders(mx::ProductOpInterface op, KernelSignature &signature) {
  if (!op.isRaggedK()) return;
  signature.addWorkspace(kGroupOrders, kOrderBytes * signature.extent("G").size() * ShapeExpression("SMs"),
                         WorkspaceZeroing::No);
}

void addTileCounter(mx::ProductOpInterface op, KernelSignature &signature) {
  const bool counts = llvm::any_of(op.getTilesAttr(), [](Attribute attribute) {
    auto tile = dyn_cast<mx::MatmulTileAttr>(attribute);
    return tile && tile.getScheduler() == mx::TileScheduler::Counter;
  });
  if (counts) signature.addWorkspace(kTileCounter, "4", WorkspaceZeroing::Once);
}

Value ProductEntry::scaleRowsA(const ValueBuilder &v) const { // as ProductExtents has it
  if (!hasCompactGroups()) return m;
  Value tiles = v.add(v.ceilDivu(m, kScaleTileRows), v.sub(groups, v.i32(1)));
  return v.mul(tiles, kScaleTileRows);
}

Value ProductEntry::matrixOfB(const ValueBuilder &v, Value batch, Value part) const {
  if (parts() == 1) return hasSeveralB() ? batch : Value();
  return hasSeveralB() ? v.add(v.mul(batch, parts()), part) : part;
}

Value ProductEntry::elementsBefore(const ValueBuilder &v, Value operand, Value matrix) const {
  const std::string name = nameOf(operand);
  if (cast<MemRefType>(operand.getType()).getRank() < 4)
    return v.mul(v.toI64(matrix), function.stride(name, 0));
  Value batches = v.mul(v.toI64(v.divu(matrix, parts())), function.stride(name, 0));
  return v.add(batches, v.mul(v.toI64(v.remu(matrix, parts())), function.stride(name, 1)));
}

ResultSink ProductEntry::sink(ResultFragment fragment) const {
  return {.function = function,
          .signature = signature,
          .results = mx::productResults(op),
          .rule = op.getRule(),
          .outputs = mx::matrixResults(op),
          .inputs = op.getWith(),
          .alpha = op.getAlpha(),
          .epilogue = op.hasEpilogue() ? &op.getEpilogue().front() : nullptr,
          .scalars = scalars,
          .accumulates = op.getAccumulate(),
          .isBatched = op.isBatched() || op.isRaggedK(),
          .hasGroups = op.hasGroups(),
          .columns = n,
          .fragment = fragment};
}

void emitPlainRole(const ProductEntry &e, StringRef name, int firstWarp, int warps, bool leader,
                   function_ref<void(const ValueBuilder &)> body, bool early) {
  ValueBuilder v = e.function.values();
  OpBuilder::InsertionGuard guard(v.b);
  auto role = mx::RoleOp::create(v.b, v.loc, name, firstWarp, warps, leader, early);
  v.b.createBlock(&role.getBody());
  v.b.setInsertionPoint(mx::NextOp::create(v.b, v.loc));
  body(v);
}

static Value batchesOf(const ProductEntry &e) {
  return e.groups ? e.groups : e.kGroups ? e.kGroups : e.batches;
}

void emitHandOut(const ProductEntry &e, const ProductTiles &tiles, int warp) {
  emitPlainRole(e, "schedule", warp, 1, /*leader=*/tiles.ctas == 2, [&](const ValueBuilder &v) {
    mx::HandOutOp::create(v.b, v.loc, tiles.rows, tiles.columns, batchesOf(e), e.m, e.k, tiles.m, tiles.n,
                          tiles.stepK, cast<mx::TileScheduleAttrInterface>(tiles.schedule), tiles.groups,
                          tiles.answers ? Value() : e.function.pointer(kTileCounter), tiles.answers,
                          tiles.queue);
  });
}

void emitRole(const ProductEntry &e, const ProductTiles &tiles, StringRef name, int firstWarp, int warps,
              bool leader, function_ref<void(const ValueBuilder &, const TileRecord &)> tile,
              function_ref<void(const ValueBuilder &)> end, bool early) {
  auto walkTiles = [&](const ValueBuilder &v) {
    auto walk = mx::TilesOp::create(v.b, v.loc, tiles.rows, tiles.columns, batchesOf(e), e.m, e.k, tiles.m,
                                    tiles.n, tiles.stepK, cast<mx::TileScheduleAttrInterface>(tiles.schedule),
                                    tiles.groups, tiles.queue);
    end(v);
    OpBuilder::InsertionGuard guard(v.b);
    Block *block = v.b.createBlock(&walk.getBody(), {}, mx::TileType::get(v.b.getContext()), v.loc);
    v.b.setInsertionPoint(mx::NextOp::create(v.b, v.loc));
    auto fields = mx::TileFieldsOp::create(v.b, v.loc, block->getArgument(0));
    Value row = fields.getRow(), scaleRow = fields.getScaleRow(), column = fields.getColumn();
    if (tiles.ctas == 2) {
      Value rank = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type());
      if (tiles.sharesA) {
        column = v.add(column, v.mul(rank, tiles.n / tiles.ctas));
      } else {
        Value above = v.mul(rank, tiles.m / tiles.ctas);
        row = v.add(row, above), scaleRow = v.add(scaleRow, above);
      }
    }
    const bool isInGroupsOfK = e.kGroups && tiles.stepK > kStepK;
    tile(v, {fields.getGroup(), fields.getBatch(), row, column, fields.getRows(), scaleRow,
             fields.getKBegin(), fields.getKEnd(), fields.getSlice(),
             isInGroupsOfK ? v.remu(fields.getKBegin(), tiles.stepK) : Value()});
  };
  emitPlainRole(e, name, firstWarp, warps, leader, walkTiles, early);
}

} // namespace mxc
