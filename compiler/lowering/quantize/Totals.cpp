#include "compiler/lowering/quantize/Totals.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

// Of "mxc.amax": the largest magnitude, how many CTAs have brought theirs, and of a second tensor the same.
constexpr int64_t kCountPlace = 4, kSecondPlace = 8;
constexpr StringRef kMaximum = "mxc.amax", kParts = "mxc.sums", kCounts = "mxc.sums_done";
constexpr int kInFlight = 16; // loads of the last warp

Value zero(const ValueBuilder &v) {
  return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(0)).getResult();
}

Value word(const ValueBuilder &v, Value base, Value index) {
  return nvvm::offsetBytes(v, base, v.mul(index, 4));
}

Value sumOf(const ValueBuilder &v, Value sum, Value next) {
  return arith::AddFOp::create(v.b, v.loc, sum, next);
}

} // namespace

void declareTotals(mx::QuantizeOp op, KernelSignature &signature) {
  const ShapeExpression rows = signature.rows().size(), columns = signature.columns().size();
  if (op.getAmax()) signature.addWorkspace(kMaximum, op.hasTwoTensors() ? "12" : "8", WorkspaceZeroing::Once);
  if (!op.getColumnSum()) return;
  signature.addWorkspace(kParts, 4 * columns * ceilDiv(rows, kColumnTileRows), WorkspaceZeroing::No);
  signature.addWorkspace(kCounts, 4 * ceilDiv(columns, 32), WorkspaceZeroing::Once);
}

static Value placeOfMaximum(const ValueBuilder &v, const ColumnPlan &plan, Value shared, int tensor,
                            Value warp) {
  const int64_t first = plan.maxima + 4 * tensor * (plan.threads() / 32);
  return nvvm::offsetBytes(v, shared, v.add(v.mul(warp, 4), first));
}

void keepMaximum(const ValueBuilder &v, const ColumnPlan &plan, const ColumnPosition &at, Value shared,
                 int tensor, Value ofLane) {
  Value ofWarp = nvvm::largestOfWarp(v, ofLane);
  ifThen(v, v.equal(at.lane, v.i32(0)),
         [&] { nvvm::store(v, ofWarp, placeOfMaximum(v, plan, shared, tensor, at.warp), 4); });
}

static Value largestOf(const ValueBuilder &v, ArrayRef<Value> maxima) {
  Value largest = maxima.front();
  for (Value maximum : maxima.drop_front())
    largest = arith::MaxUIOp::create(v.b, v.loc, largest, maximum);
  return largest;
}

void keepTotals(const ValueBuilder &v, ColumnPlan &plan, const ColumnPosition &at, Value shared,
                ArrayRef<Value> rows, ArrayRef<Value> maxima) {
  if (plan.op.getColumnSum()) {
    SmallVector<Value> sums(kLaneColumns, zero(v));
    for (Value row : rows)
      for (auto [i, sum] : llvm::enumerate(sums)) {
        Value element = nvvm::element(v, row, i);
        if (!element.getType().isF32())
          element = arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), element);
        sum = sumOf(v, sum, element);
      }
    Value place = v.add(v.mul(v.shru(at.row, 5), plan.tile.getColumns()), at.column);
    Value pair = nvvm::fromElements(v, VectorType::get(kLaneColumns, v.b.getF32Type()), sums);
    nvvm::store(v, pair, nvvm::offsetBytes(v, shared, v.add(v.mul(place, 4), plan.sums)), 4 * kLaneColumns);
  }
  if (!plan.op.getAmax()) return;
  const bool areTwo = plan.tensors() == 2, isOfColumns = !areTwo && !maxima.empty();
  if (areTwo) keepMaximum(v, plan, at, shared, 1, largestOf(v, maxima));
  if (plan.takesAmaxOfRows()) return; // the first one
  const SmallVector<Value> columns =
      isOfColumns ? SmallVector<Value>(maxima) : columnMaxima(v, plan.op.getRule(), rows);
  keepMaximum(v, plan, at, shared, 0, largestOf(v, columns));
}

namespace {

// One thread of each CTA that has a tile; the last one of all writes the output, and leaves zeros behind.
void passMaxima(EntryFunction &entry, ColumnPlan &plan, ArrayRef<Value> largest) {
  ValueBuilder v = entry.values();
  Value first = entry.pointer(kMaximum), count = nvvm::offsetBytes(v, first, v.i64(kCountPlace));
  SmallVector<Value> maxima = {first};
  if (largest.size() > 1) maxima.push_back(nvvm::offsetBytes(v, first, v.i64(kSecondPlace)));
  for (auto [maximum, its] : llvm::zip(maxima, largest))
    nvvm::raiseTo(v, maximum, its);
  Value columnTiles = v.divu(v.add(entry.columns(), plan.tile.getColumns() - 1), plan.tile.getColumns());
  Value tiles = v.toI32(v.mul(tileRows(entry, plan.op), columnTiles));
  Value before = nvvm::countUp(v, count, /*orders=*/true);
  ifThen(v, v.equal(before, v.sub(tiles, v.i32(1))), [&] {
    for (auto [i, maximum] : llvm::enumerate(maxima)) {
      Value bits = nvvm::takeAway(v, maximum);
      Value isNan = v.cmp(ValueBuilder::Predicate::ugt, bits, v.i32(0x7F800000));
      Value place = word(v, entry.pointer(plan.nameOf(plan.op.getAmax())), v.i64(int64_t(i)));
      nvvm::store(v, v.select(isNan, v.i32(0x7FFFFFFF), bits), place, 4);
    }
    nvvm::store(v, v.i32(0), count, 4);
  });
}

// The sums of a column's tiles in their order: i32 `tiles` of them.
Value sumOfTiles(EntryFunction &entry, Value column, Value tiles) {
  ValueBuilder v = entry.values();
  auto loop = scf::ForOp::create(v.b, v.loc, v.i32(0), tiles, v.i32(kInFlight), ValueRange{zero(v)});
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(loop.getBody());
  Value last = v.sub(tiles, v.i32(1)), sum = loop.getRegionIterArg(0);
  SmallVector<Value> parts;
  for (int i = 0; i < kInFlight; ++i) { // past the last one: zeros, which change no sum that began at +0
    Value tile = v.add(loop.getInductionVar(), i);
    Value index = v.add(v.mul(v.toI64(v.minu(tile, last)), entry.columns()), column);
    Value part = nvvm::load(v, v.b.getF32Type(), word(v, entry.pointer(kParts), index), 4);
    parts.push_back(v.select(v.cmp(ValueBuilder::Predicate::ule, tile, last), part, zero(v)));
  }
  for (Value part : parts)
    sum = sumOf(v, sum, part);
  scf::YieldOp::create(v.b, v.loc, sum);
  return loop.getResult(0);
}

void addColumnSums(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared) {
  ValueBuilder v = entry.values();
  Value warpColumn = v.bitAnd(at.thread, ~int64_t(31)), width = v.i32(plan.tile.getColumns());
  Value hasColumns = v.bitAnd(v.less(warpColumn, width), v.less(warpColumn, at.columnsLeft));
  ifThen(v, hasColumns, [&] { // whole warps
    SmallVector<Value> blocks;
    for (int block = 0; block < kColumnBlocks; ++block) {
      Value place = v.add(v.mul(at.thread, 4), plan.sums + 4 * block * int64_t(plan.tile.getColumns()));
      blocks.push_back(nvvm::load(v, v.b.getF32Type(), nvvm::offsetBytes(v, shared, place), 4));
    }
    Value sum = blocks.front();
    for (Value block : ArrayRef(blocks).drop_front())
      sum = sumOf(v, sum, block);
    Value column = v.add(at.ctaColumn, v.toI64(at.thread)), isColumn = v.less(at.thread, at.columnsLeft);
    Value tile = v.divu(at.ctaRow, kColumnTileRows), tiles = v.toI32(tileRows(entry, plan.op));
    ifThen(v, isColumn, [&] {
      nvvm::store(v, sum, word(v, entry.pointer(kParts), v.add(v.mul(tile, entry.columns()), column)), 4);
    });
    nvvm::syncWarp(v);
    Value isFirst = v.equal(at.lane, v.i32(0));
    Value count = word(v, entry.pointer(kCounts), v.divu(v.add(at.ctaColumn, v.toI64(warpColumn)), 32));
    auto counted = scf::IfOp::create(v.b, v.loc, v.b.getI32Type(), isFirst, /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(v.b);
      v.b.setInsertionPointToStart(counted.thenBlock());
      scf::YieldOp::create(v.b, v.loc, nvvm::countUp(v, count, /*orders=*/true));
      v.b.setInsertionPointToStart(counted.elseBlock());
      scf::YieldOp::create(v.b, v.loc, v.i32(0));
    }
    Value before = nvvm::uniform(v, counted.getResult(0));
    nvvm::syncWarp(v);
    ifThen(v, v.bitAnd(v.equal(before, v.sub(tiles, v.i32(1))), isColumn), [&] {
      nvvm::store(v, sumOfTiles(entry, column, tiles),
                  word(v, entry.pointer(plan.nameOf(plan.op.getColumnSum())), column), 4);
      ifThen(v, isFirst, [&] { nvvm::store(v, v.i32(0), count, 4); });
    });
  });
}

} // namespace

void addTotals(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared) {
  ValueBuilder v = entry.values();
  if (plan.op.getColumnSum()) addColumnSums(entry, plan, at, shared);
  if (!plan.op.getAmax()) return;
  ifThen(v, v.equal(at.thread, v.i32(0)), [&] {
    SmallVector<Value> maxima;
    for (int tensor = 0; tensor < plan.tensors(); ++tensor) {
      Value largest = v.i32(0);
      for (int warp = 0; warp < plan.threads() / 32; ++warp) {
        Value its = nvvm::load(v, v.b.getI32Type(), placeOfMaximum(v, plan, shared, tensor, v.i32(warp)), 4);
        largest = arith::MaxUIOp::create(v.b, v.loc, largest, its);
      }
      maxima.push_back(largest);
    }
    passMaxima(entry, plan, maxima);
  });
}

void passTotals(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at) {
  ValueBuilder v = entry.values();
  ifThen(v, v.equal(at.thread, v.i32(0)),
         [&] { passMaxima(entry, plan, SmallVector<Value>(plan.tensors(), v.i32(0))); });
}

Value emitEmptyTotals(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at) {
  ValueBuilder v = entry.values();
  auto isNone = [&](Value extent) { return v.equal(extent, v.i64(0)); };
  Value isEmpty = v.bitOr(isNone(entry.rows()), isNone(entry.columns()));
  if (plan.op.hasGroups()) isEmpty = v.bitOr(isEmpty, isNone(entry.extent("G")));
  Value cta = v.bitOr(nvvm::ctaId(v, nvvm::Dim::X),
                      v.bitOr(nvvm::ctaId(v, nvvm::Dim::Y), nvvm::ctaId(v, nvvm::Dim::Z)));
  whereWork(v, v.bitAnd(isEmpty, v.equal(cta, v.i32(0))), [&] {
    if (plan.op.getAmax())
      ifThen(v, v.less(at.thread, v.i32(plan.tensors())), [&] {
        nvvm::store(v, v.i32(0), word(v, entry.pointer(plan.nameOf(plan.op.getAmax())), v.toI64(at.thread)),
                    4);
      });
    if (!plan.op.getColumnSum()) return;
    auto loop = scf::ForOp::create(v.b, v.loc, v.toI64(at.thread), entry.columns(), v.i64(plan.threads()));
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    nvvm::store(v, v.i32(0),
                word(v, entry.pointer(plan.nameOf(plan.op.getColumnSum())), loop.getInductionVar()), 4);
  });
  return v.bitAnd(at.hasWork, v.equal(isEmpty, v.i1(false)));
}

} // namespace mxc
