#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/product/results/ResultStores.h"
#include "compiler/lowering/product/results/SliceSums.h"

using namespace mlir;

namespace mxc {

namespace {
// One tile of the role. Sums come in boxes of columns, by halves of the tile's rows.
struct TileBoxes {
  const TileEntry &e;
  const ValueBuilder &v;
  const TileRecord &tile;
  const ClusterTilePlan &plan = e.tilePlan;
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
    auto storeResults = [&] {
      storeBox(e.results, v, products,
               {tile.batchOfB(e),
                row,
                v.add(firstColumn, inEight),
                tile.rows,
                firstRow,
                firstColumn,
                v.i32(int64_t(half) * plan.boxes() + box),
                {tile.row, tile.scaleRow, thread}});
    };
    auto storeOfGroup = [&] {
      leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), storeResults) : storeResults();
    };
    plan.hasSpareRows() ? ifThen(v, v.less(firstInTile, v.i32(plan.ctaRows())), storeOfGroup)
                        : storeOfGroup();
  }

  void forBoxes(function_ref<void(int half, int box)> body) const {
    for (int half = 0; half < plan.halves(); ++half)
      for (int box = 0; box < plan.boxes(); ++box)
        body(half, box);
  }

  Value columns(ValueRange accumulators, int half, int box, int matrix = 0) const {
    return mx::AccumulatorColumnsOp::create(
        v.b, v.loc, type, accumulators[half],
        v.b.getI32IntegerAttr(matrix * plan.storeColumns() + box * plan.boxColumns()));
  }
  SmallVector<Value> columnsOfMatrices(ValueRange accumulators, int half, int box) const {
    SmallVector<Value> products;
    for (int matrix = 0; matrix < plan.matrices; ++matrix)
      products.push_back(columns(accumulators, half, box, matrix));
    return products;
  }

  void meet(ValueRange accumulators) const {
    const SliceSums sums(e, v, tile, v.add(firstOfHalf, inBox));
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

void storeAccumulators(const TileEntry &e, const ValueBuilder &v, const TileRecord &tile,
                       ValueRange accumulators) {
  const TileBoxes boxes{e, v, tile};
  if (e.tilePlan.tile.getSlices() > 1) return boxes.meet(accumulators);
  boxes.forBoxes(
      [&](int half, int box) { boxes.store(half, box, boxes.columnsOfMatrices(accumulators, half, box)); });
}

static constexpr int kWarpColumns = 16; // of c: a warp's rows of b

void storeTransposed(const TransposedBoxes &boxes, const TileEntry &e, const ValueBuilder &v,
                     const TileRecord &tile, Value accumulator) {
  Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), lane = v.bitAnd(thread, 31);
  Value firstColumn = v.add(tile.column, v.mul(v.shru(thread, 5), kWarpColumns));
  Value row = v.add(tile.row, v.mul(v.bitAnd(lane, 3), 2)), column = v.add(firstColumn, v.shru(lane, 2));
  auto type = VectorType::get(boxes.rows / 2, v.b.getF32Type());
  auto store = [&] {
    for (int box = 0; box < boxes.tileRows / boxes.rows; ++box) {
      const int first = box * boxes.rows;
      Value sums =
          mx::AccumulatorColumnsOp::create(v.b, v.loc, type, accumulator, v.b.getI32IntegerAttr(first));
      storeBox(e.results, v, sums,
               {tile.batchOfB(e), v.add(row, first), column, tile.rows, v.add(tile.row, first), firstColumn,
                v.i32(box)});
    }
  };
  leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), store) : store();
}

void drainResults(const TileEntry &e, const ValueBuilder &v) {
  if (e.tilePlan.storesBoxes()) mx::DrainStoresOp::create(v.b, v.loc);
}

} // namespace mxc
