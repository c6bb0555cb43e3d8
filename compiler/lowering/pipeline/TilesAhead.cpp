// What a tile's work begins with, fetched a tile ahead: where the tile lies, and the loads that its first
// step waits for. Between two tiles a warp has nothing under way, and both take longer than a step.
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mxc {

// The operations of `block` that `values` are made of, in their order.
static SmallVector<Operation *> madeOf(Block &block, ValueRange values) {
  llvm::SmallPtrSet<Operation *, 32> needed;
  auto need = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && op->getBlock() == &block) needed.insert(op);
  };
  llvm::for_each(values, need);
  SmallVector<Operation *> found;
  for (Operation &op : llvm::reverse(block)) {
    if (!needed.contains(&op)) continue;
    found.push_back(&op);
    op.walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), need); });
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// Where in the body of a loop over steps something may be computed that no step needs.
static Operation *idlePlace(scf::ForOp steps) {
  for (Operation &op : *steps.getBody())
    if (op.hasAttr(steps::kIsIdle)) return &op;
  return nullptr;
}

// The loop over a tile's steps, whose first one also makes `next` of what is handed in; returns them.
static SmallVector<Value> inFirstStep(scf::ForOp steps, ValueRange here,
                                      function_ref<SmallVector<Value>(OpBuilder &)> next) {
  IRRewriter rewriter(steps.getContext());
  const size_t before = steps.getNumResults();
  auto yields = [&](OpBuilder &, Location loc, ArrayRef<BlockArgument> carried) {
    Operation *idle = idlePlace(steps);
    OpBuilder builder(idle);
    ValueBuilder v{builder, loc};
    auto first =
        scf::IfOp::create(builder, loc, TypeRange(ValueRange(carried)),
                          v.equal(steps.getInductionVar(), steps.getLowerBound()), /*withElseRegion=*/true);
    builder.setInsertionPointToStart(first.thenBlock());
    scf::YieldOp::create(builder, loc, next(builder));
    builder.setInsertionPointToStart(first.elseBlock());
    scf::YieldOp::create(builder, loc, ValueRange(carried));
    return SmallVector<Value>(first.getResults());
  };
  auto loop = cast<scf::ForOp>(
      *steps.replaceWithAdditionalYields(rewriter, here, /*replaceInitOperandUsesInLoop=*/false, yields));
  return SmallVector<Value>(loop.getResults().drop_front(before));
}

void fetchAhead(scf::ForOp tiles, ArrayRef<Value> fields) {
  Block *body = tiles.getBody();
  scf::ForOp steps;
  for (auto loop : body->getOps<scf::ForOp>())
    if (idlePlace(loop)) steps = loop;
  llvm::SmallSetVector<Value, 8> carried;
  for (Value field : fields)
    if (Operation *op = field.getDefiningOp(); op && op->getBlock() == body) carried.insert(field);
  for (Operation &op : *body)
    if (op.hasAttr(steps::kIsFetched)) carried.insert(op.result_begin(), op.result_end());
  const SmallVector<Operation *> sources = madeOf(*body, carried.getArrayRef());
  auto copyFor = [&](OpBuilder &b, Value number) {
    IRMapping map;
    map.map(tiles.getInductionVar(), number);
    for (Operation *op : sources)
      b.clone(*op, map);
    return llvm::map_to_vector(carried, [&](Value value) { return map.lookup(value); });
  };
  OpBuilder builder(tiles);
  auto walk = scf::ForOp::create(builder, tiles.getLoc(), tiles.getLowerBound(), tiles.getUpperBound(),
                                 tiles.getStep(), copyFor(builder, tiles.getLowerBound()));
  const Value number = walk.getInductionVar();
  SmallVector<Value> ahead = inFirstStep(steps, walk.getRegionIterArgs(), [&](OpBuilder &b) {
    ValueBuilder v{b, tiles.getLoc()};
    // After the last tile it is fetched once more: another one may lie outside of the tensors.
    Value next = v.add(number, walk.getStep());
    next = v.select(v.less(next, walk.getUpperBound()), next, number);
    // Known here alone: LLVM would compute it in front of the steps, which wait for it then.
    return copyFor(b, nvvm::volatileAssembly(v, next.getType(), "", "=r,0", next));
  });
  for (auto [of, here] : llvm::zip(carried, walk.getRegionIterArgs()))
    Value(of).replaceAllUsesWith(here);
  for (Operation *op : llvm::reverse(sources))
    if (op->use_empty()) op->erase();
  tiles.getInductionVar().replaceAllUsesWith(number);
  body->getTerminator()->erase();
  walk.getBody()->getOperations().splice(walk.getBody()->end(), body->getOperations());
  builder.setInsertionPointToEnd(walk.getBody());
  scf::YieldOp::create(builder, tiles.getLoc(), ahead);
  tiles.erase();
}

} // namespace mxc
