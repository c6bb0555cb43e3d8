#include "compiler/lowering/product/plan/ProductEntry.h"
#include "compiler/lowering/product/plan/ClusterTilePlan.h"

using namespace mlir;

namespace mxc {

ProductEntry::ProductEntry(mx::MatmulOp op, const KernelSignature &signature, EntryFunction &function)
    : op(op), signature(signature), function(function) {
  ValueBuilder v = function.values();
  auto extent = [&](StringRef name) { return v.toI32(function.extent(name)); };
  m = extent("M"), n = extent("N"), k = extent("K");
  batches = op.isBatched() ? extent("B") : v.i32(1);
  scalars = function.scalars(op->getParentOfType<mx::KernelOp>());
}

ResultSink ProductEntry::sink(ResultFragment fragment) const {
  return {.function = function,
          .signature = signature,
          .outputs = op.getOuts(),
          .inputs = op.getWith(),
          .alpha = op.getAlpha(),
          .epilogue = op.hasEpilogue() ? &op.getEpilogue().front() : nullptr,
          .scalars = scalars,
          .accumulates = op.getAccumulate(),
          .isBatched = op.isBatched(),
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

void emitRole(const ProductEntry &e, const ProductTiles &tiles, StringRef name, int firstWarp, int warps,
              bool leader, function_ref<void(const ValueBuilder &, const TileRecord &)> tile,
              function_ref<void(const ValueBuilder &)> end) {
  emitPlainRole(e, name, firstWarp, warps, leader, [&](const ValueBuilder &v) {
    auto walk =
        mx::TilesOp::create(v.b, v.loc, tiles.rows, tiles.columns, e.batches, e.m, e.k, tiles.m, tiles.n,
                            tiles.stepK, cast<mx::TileScheduleAttrInterface>(tiles.schedule), tiles.queue);
    end(v);
    OpBuilder::InsertionGuard guard(v.b);
    Block *block = v.b.createBlock(&walk.getBody(), {}, mx::TileType::get(v.b.getContext()), v.loc);
    v.b.setInsertionPoint(mx::NextOp::create(v.b, v.loc));
    auto fields = mx::TileFieldsOp::create(v.b, v.loc, block->getArgument(0));
    Value row = fields.getRow();
    if (tiles.ctas == 2)
      row = v.add(row, v.mul(mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type()), kCtaRows));
    tile(v, {fields.getGroup(), fields.getBatch(), row, fields.getColumn(), fields.getRows(),
             fields.getKBegin(), fields.getKEnd(), fields.getSlice()});
  });
}

} // namespace mxc
