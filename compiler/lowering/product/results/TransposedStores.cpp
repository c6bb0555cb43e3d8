#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/product/results/AccumulatorStores.h"

using namespace mlir;

namespace mxc {

static constexpr int kWarpColumns = 16; // of c: a warp's rows of b

void storeTransposed(const TransposedBoxes &boxes, const ProductEntry &e, const ResultSink &results,
                     const ValueBuilder &v, const TileRecord &tile, Value accumulator) {
  Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), lane = v.bitAnd(thread, 31);
  Value firstColumn = v.add(tile.column, v.mul(v.shru(thread, 5), kWarpColumns));
  Value row = v.add(tile.row, v.mul(v.bitAnd(lane, 3), 2)), column = v.add(firstColumn, v.shru(lane, 2));
  auto type = VectorType::get(boxes.rows / 2, v.b.getF32Type());
  auto store = [&] {
    for (int box = 0; box < boxes.tileRows / boxes.rows; ++box) {
      const int first = box * boxes.rows;
      Value sums =
          mx::AccumulatorColumnsOp::create(v.b, v.loc, type, accumulator, v.b.getI32IntegerAttr(first));
      storeBox(results, v, sums,
               {tile.batchOfB(e), v.add(row, first), column, tile.rows, v.add(tile.row, first), firstColumn,
                v.i32(box)});
    }
  };
  leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), store) : store();
}

} // namespace mxc
