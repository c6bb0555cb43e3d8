#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/product/results/SliceSums.h"

using namespace mlir;

namespace mxc {

namespace {
// One tile of the role. Sums come in boxes of columns, by halves of the tile's rows.
struct TileBoxes {
  const ClusterTilePlan &plan;
  const ProductEntry &e;
  const ResultSink &results;
  const ValueBuilder &v;
  const TileRecord &tile;
  Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
  Value warp = v.shru(thread, 5);
  bool parted = plan.columnWarps > 1; // the columns, between warps
  Value firstInTile = v.mul(parted ? v.remu(warp, plan.rowWarps()) : warp, plan.storeRows),
        firstOfHalf = v.add(tile.row, firstInTile);
  Value firstColumnOfWarp =
      parted ? v.add(tile.column, v.mul(v.divu(warp, plan.rowWarps()), plan.storeColumns())) : tile.column;
  Value inBox = v.shru(v.bitAnd(thread, 31), 2), inEight = v.mul(v.bitAnd(thread, 3), 2);
  VectorType type = VectorType::get(plan.boxColumns() / 2, v.b.getF32Type());

  void store(int half, int box, ValueRange products) const {
    Value firstRow = v.add(firstOfHalf, int64_t(half) * plan.halfRows()), row = v.add(firstRow, inBox);
    Value firstColumn = v.add(firstColumnOfWarp, box * plan.boxColumns());
    auto hand = [&] {
      storeBox(results, v, products,
               {tile.batchOfB(e),
                row,
                v.add(firstColumn, inEight),
                tile.rows,
                firstRow,
                firstColumn,
                v.i32(int64_t(half) * plan.boxes() + box),
                {tile.row, tile.scaleRow, thread}});
    };
    if (plan.hasSpareRows()) return ifThen(v, v.less(firstInTile, v.i32(plan.ctaRows())), hand);
    leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), hand) : hand();
  }

  void forBoxes(function_ref<void(int half, int box)> body) const {
    for (int half = 0; half < plan.halves(); ++half)
      for (int box = 0; box < plan.boxes(); ++box)
        body(half, box);
  }

  Value columns(ValueRange accumulators, int half, int box, int part = 0) const {
    return mx::AccumulatorColumnsOp::create(
        v.b, v.loc, type, accumulators[half],
        v.b.getI32IntegerAttr(part * plan.storeColumns() + box * plan.boxColumns()));
  }
  SmallVector<Value> columnsOfParts(ValueRange accumulators, int half, int box) const {
    SmallVector<Value> products;
    for (int part = 0; part < plan.parts; ++part)
      products.push_back(columns(accumulators, half, box, part));
    return products;
  }

  void meet(const ProductTiles &tiles, ValueRange accumulators) const {
    const SliceSums sums(e, plan, tiles, v, tile, v.add(firstOfHalf, inBox));
    auto chunkOf = [&](int half, int box) {
      return v.i32((half * plan.boxes() + box) * type.getNumElements() / SliceSums::kChunk);
    };
    forBoxes([&](int half, int box) { sums.leave(v, chunkOf(half, box), columns(accumulators, half, box)); });
    ifThen(v, sums.isLast(v), [&] {
      forBoxes([&](int half, int box) { store(half, box, sums.sum(v, chunkOf(half, box), type)); });
    });
  }
};
} // namespace

void storeAccumulators(const ClusterTilePlan &plan, const ProductEntry &e, const ProductTiles &tiles,
                       const ResultSink &results, const ValueBuilder &v, const TileRecord &tile,
                       ValueRange accumulators) {
  const TileBoxes boxes{plan, e, results, v, tile};
  if (plan.tile.getSlices() > 1) return boxes.meet(tiles, accumulators);
  boxes.forBoxes(
      [&](int half, int box) { boxes.store(half, box, boxes.columnsOfParts(accumulators, half, box)); });
}

void drainResults(const ClusterTilePlan &plan, const ValueBuilder &v) {
  if (plan.storesBoxes()) mx::DrainStoresOp::create(v.b, v.loc);
}

} // namespace mxc
