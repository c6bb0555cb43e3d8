#include "compiler/lowering/product/plan/MatmulRoles.h"

using namespace mlir;

namespace mxc {

void emitPlainRole(const MatmulEntry &e, StringRef name, int firstWarp, int warps, bool leader,
                   function_ref<void(const ValueBuilder &)> body) {
  ValueBuilder v = e.entry.values();
  OpBuilder::InsertionGuard guard(v.b);
  auto role = mx::RoleOp::create(v.b, v.loc, name, firstWarp, warps, leader);
  v.b.createBlock(&role.getBody());
  v.b.setInsertionPoint(mx::NextOp::create(v.b, v.loc));
  body(v);
}

void emitRole(const MatmulEntry &e, StringRef name, int firstWarp, int warps, bool leader,
              function_ref<void(const ValueBuilder &, const MatmulTile &)> tile,
              function_ref<void(const ValueBuilder &)> end) {
  emitPlainRole(e, name, firstWarp, warps, leader, [&](const ValueBuilder &v) {
    const mx::MatmulTileAttr &shape = e.plan.tile;
    auto tiles = mx::TilesOp::create(v.b, v.loc, e.tileRows, e.tileColumns, e.batches, shape.getSupergroup(),
                                     shape.getSlices(), e.queue);
    end(v);
    OpBuilder::InsertionGuard guard(v.b);
    Type i32 = v.b.getI32Type();
    Block *block = v.b.createBlock(&tiles.getBody(), {}, {i32, i32, i32, i32}, {v.loc, v.loc, v.loc, v.loc});
    v.b.setInsertionPoint(mx::NextOp::create(v.b, v.loc));
    Value row = v.mul(block->getArgument(1), shape.getM());
    if (e.plan.ctas() == 2) row = v.add(row, v.mul(mx::CtaRankOp::create(v.b, v.loc, i32), kCtaRows));
    Value slice = block->getArgument(3);
    auto stepOf = [&](Value slice) { return v.divu(v.mul(slice, e.steps), int64_t(shape.getSlices())); };
    bool isWhole = shape.getSlices() == 1;
    tile(v, {block->getArgument(0), row, v.mul(block->getArgument(2), shape.getN()), slice,
             isWhole ? v.i32(0) : stepOf(slice), isWhole ? e.steps : stepOf(v.add(slice, 1))});
  });
}

} // namespace mxc
