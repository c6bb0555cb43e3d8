#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/entry/Branch.h"

using namespace mlir;

namespace mxc {

void storeAccumulator(const ProductEntry &e, const ClusterTilePlan &plan, const ResultSink &results,
                      const ValueBuilder &v, const TileRecord &tile, Value accumulator) {
  Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  Value firstRow = v.add(tile.row, v.mul(v.shru(thread, 5), plan.storeRows));
  Value row = v.add(firstRow, v.shru(v.bitAnd(thread, 31), 2));
  Value inEight = v.mul(v.bitAnd(thread, 3), 2);
  auto type = VectorType::get(plan.boxColumns() / 2, v.b.getF32Type());
  for (int box = 0; box < plan.boxes(); ++box) {
    Value values = mx::AccumulatorColumnsOp::create(v.b, v.loc, type, accumulator,
                                                    v.b.getI32IntegerAttr(box * plan.boxColumns()));
    Value firstColumn = v.add(tile.column, box * plan.boxColumns());
    auto hand = [&] {
      storeBox(
          results, v, values,
          {tile.batchOfB(e), row, v.add(firstColumn, inEight), tile.rows, firstRow, firstColumn, v.i32(box)});
    };
    leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), hand) : hand();
  }
}

} // namespace mxc
