// The store role: four warps take their rows of an accumulator out of tensor memory, box of columns by box,
// give it back as soon as the next product needs the place, and hand the epilogue's results on.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ScalarRegion.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/results/AccumulatorStores.h"
#include "compiler/lowering/product/results/ResultStores.h"
#include "compiler/lowering/product/results/SliceSums.h"
#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

using namespace mlir;

namespace mxc {

// Where two accumulators overlap, the first one's last columns are the second one's first: they are read
// first.
static Value boxNumber(const TensorMemoryPlan &plan, const ValueBuilder &v, Value place, Value turn) {
  if (!plan.accumulators.overlap) return turn;
  return v.select(v.equal(place, v.i32(0)), v.sub(v.i32(plan.boxes() - 1), turn), turn);
}

static int lastTurnBeforeRelease(const TensorMemoryPlan &plan) {
  if (!plan.accumulators.overlap) return plan.boxes() - 1;
  return llvm::divideCeil(plan.accumulators.overlap, plan.boxColumns()) - 1;
}

// The columns of box `turn` of an accumulator, of each matrix; after the last ones that the next product
// waits for it is given back.
static SmallVector<Value> readBox(const TensorMemoryEntry &e, const ValueBuilder &v, const TileRecord &tile,
                                  Value place, Value turn, Value column) {
  auto type = VectorType::get(e.plan.boxColumns(), v.b.getF32Type());
  auto read = [&](int matrix) -> Value {
    Value first = matrix ? v.add(column, int64_t(matrix) * e.plan.columns()) : column;
    return mx::ReadAccumulatorOp::create(v.b, v.loc, type, e.accumulators, place, first);
  };
  // Without steps along K nothing wrote there.
  Value any = e.plan.loadsBoxes() ? Value() : v.cmp(ValueBuilder::Predicate::ne, e.steps, v.i32(0));
  if (e.kGroups) any = tile.hasSteps(v);
  SmallVector<Value> products;
  for (int matrix = 0; matrix < e.plan.matrices; ++matrix)
    products.push_back(any ? steps::whereElseZero(v, any, type, [&] { return read(matrix); }) : read(matrix));
  ifThen(v, v.equal(turn, v.i32(lastTurnBeforeRelease(e.plan))),
         [&] { mx::ReleaseOp::create(v.b, v.loc, e.accumulators); });
  return products;
}

namespace {
// One tile of the role.
struct TileStore {
  const TensorMemoryEntry &e;
  const ValueBuilder &v;
  const TileRecord &tile;
  Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), row = v.add(tile.row, thread);

  // The warp's first row: with groups a tile begins anywhere.
  Value firstRow() const {
    constexpr int64_t kOfWarp = ~int64_t(31);
    return e.hasGroups() ? v.add(tile.row, v.bitAnd(thread, kOfWarp)) : v.bitAnd(row, kOfWarp);
  }
  void forBoxes(function_ref<void(Value turn)> body) const {
    steps::forRange(v, v.i32(0), v.i32(e.plan.boxes()), body);
  }
  void store(ValueRange products, Value turn, Value inTile) const {
    Value column = v.add(tile.column, inTile);
    auto storeResults = [&] {
      storeBox(e.results, v, products,
               {tile.batchOfB(e),
                row,
                column,
                tile.rows,
                firstRow(),
                column,
                turn,
                {tile.row, tile.scaleRow, thread}});
    };
    leavesEmptyGroups(e) ? ifThen(v, tile.hasSteps(v), storeResults) : storeResults();
  }

  void whole() const {
    steps::use(v, e.accumulators, [&](Value place) {
      forBoxes([&](Value turn) {
        Value inTile = v.mul(boxNumber(e.plan, v, place, turn), e.plan.boxColumns());
        store(readBox(e, v, tile, place, turn, inTile), turn, inTile);
      });
    });
  }

  void slice() const {
    SliceSums sums(e, v, tile, row);
    auto chunkOf = [&](Value column) { return v.divu(column, int64_t(SliceSums::kChunk)); };
    steps::use(v, e.accumulators, [&](Value place) {
      forBoxes([&](Value turn) {
        Value inTile = v.mul(boxNumber(e.plan, v, place, turn), e.plan.boxColumns());
        sums.leave(v, chunkOf(inTile), readBox(e, v, tile, place, turn, inTile).front());
      });
    });
    auto type = VectorType::get(e.plan.boxColumns(), v.b.getF32Type());
    ifThen(v, sums.isLast(v), [&] {
      forBoxes([&](Value turn) {
        Value inTile = v.mul(turn, e.plan.boxColumns());
        store(sums.sum(v, chunkOf(inTile), type), turn, inTile);
      });
    });
  }
};
} // namespace

void emitStore(const TensorMemoryEntry &e) {
  auto storeTile = [&](const ValueBuilder &v, const TileRecord &tile) {
    TileStore store{e, v, tile};
    e.plan.tile.getSlices() == 1 ? store.whole() : store.slice();
  };
  auto drain = [&](const ValueBuilder &v) { drainResults(e, v); };
  emitRole(e, e.tiles, "store", 0, e.plan.storeWarps, /*leader=*/false, storeTile, drain);
}

} // namespace mxc
