#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/entry/Branch.h"

using namespace mlir;

namespace mxc {

void storeAccumulators(const ClusterTilePlan &plan, const ProductEntry &e, const ResultSink &results,
                       const ValueBuilder &v, const TileRecord &tile, ValueRange accumulators) {
  Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  Value firstInTile = v.mul(v.shru(thread, 5), plan.storeRows), firstOfHalf = v.add(tile.row, firstInTile);
  Value inBox = v.shru(v.bitAnd(thread, 31), 2), inEight = v.mul(v.bitAnd(thread, 3), 2);
  auto type = VectorType::get(plan.boxColumns() / 2, v.b.getF32Type());
  for (auto [half, accumulator] : llvm::enumerate(accumulators)) {
    Value firstRow = v.add(firstOfHalf, int64_t(half) * plan.halfRows()), row = v.add(firstRow, inBox);
    for (int box = 0; box < plan.boxes(); ++box) {
      Value values = mx::AccumulatorColumnsOp::create(v.b, v.loc, type, accumulator,
                                                      v.b.getI32IntegerAttr(box * plan.boxColumns()));
      Value firstColumn = v.add(tile.column, box * plan.boxColumns());
      auto hand = [&] {
        storeBox(results, v, values,
                 {tile.batchOfB(e),
                  row,
                  v.add(firstColumn, inEight),
                  tile.rows,
                  firstRow,
                  firstColumn,
                  v.i32(int64_t(half) * plan.boxes() + box),
                  {tile.row, tile.scaleRow, thread}});
      };
      if (plan.hasSpareRows())
        ifThen(v, v.less(firstInTile, v.i32(plan.ctaRows())), hand);
      else
        leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), hand) : hand();
    }
  }
}

void drainResults(const ClusterTilePlan &plan, const ValueBuilder &v) {
  if (plan.storesBoxes()) mx::DrainStoresOp::create(v.b, v.loc);
}

} // namespace mxc
