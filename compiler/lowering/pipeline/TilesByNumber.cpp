#include "compiler/lowering/pipeline/TilesByNumber.h"
#include "compiler/lowering/groups/GroupOrder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mxc {

Supergroups::Supergroups(const ValueBuilder &v, Value rows, Value columns, int size)
    : size_(size), group_(Divisor::of(v, v.mul(columns, size))), full_(Divisor::of(v, v.i32(size))) {
  groups_ = v.divu(rows, size);
  Value rest = v.remu(rows, size);
  last_ = Divisor::of(v, v.select(v.equal(rest, v.i32(0)), v.i32(size), rest));
}

std::pair<Value, Value> Supergroups::tile(const ValueBuilder &v, Value i) const {
  auto [group, within] = group_.divide(v, i);
  Value isFull = v.cmp(ValueBuilder::Predicate::ult, group, groups_);
  Divisor height = {v.select(isFull, full_.number, last_.number),
                    v.select(isFull, full_.inverse, last_.inverse)};
  auto [column, row] = height.divide(v, within);
  return {v.add(v.mul(group, size_), row), column};
}

static int supergroupOf(mx::TileScheduleAttrInterface schedule) {
  if (auto ofK = dyn_cast<mx::KGroupScheduleAttr>(schedule)) return int(ofK.getSupergroup());
  return int(cast<mx::StaticScheduleAttr>(schedule).getSupergroup());
}

NumberedTiles::NumberedTiles(const ValueBuilder &v, const TileCut &cut)
    : cut_(cut), slices_(int(cut.schedule.getSlices())),
      supergroups_(v, cut.rows, cut.columns, supergroupOf(cut.schedule)) {
  Value perBatch = v.mul(cut.rows, cut.columns);
  batch_ = Divisor::of(v, perBatch);
  isBatched_ = !matchPattern(cut.batches, m_One());
  if (slices_ > 1) steps_ = v.ceilDivu(cut.k, cut.tileK);
}

Value NumberedTiles::count(const ValueBuilder &v) const {
  return v.mul(v.mul(batch_.number, cut_.batches), slices_);
}

TileFields NumberedTiles::fields(const ValueBuilder &v, Value number) const {
  Value slice = slices_ == 1 ? v.i32(0) : v.remu(number, slices_);
  std::pair<Value, Value> inBatch = {v.i32(0), v.divu(number, slices_)};
  if (isBatched_) inBatch = batch_.divide(v, inBatch.second);
  auto [row, column] = supergroups_.tile(v, inBatch.second);
  bool isWhole = slices_ == 1;
  Value firstRow = v.mul(row, cut_.tileM), firstColumn = v.mul(column, cut_.tileN);
  Value batch = inBatch.first, begin = isWhole ? v.i32(0) : beginOf(v, slice),
        end = isWhole ? cut_.k : beginOf(v, v.add(slice, 1));
  if (isa<mx::KGroupScheduleAttr>(cut_.schedule)) {
    const OrderedGroup group = groupOfRank(v, cut_.groups, batch);
    batch = group.group, begin = group.begin, end = group.end;
  }
  return {v.i32(0), batch, firstRow, firstColumn, cut_.m, firstRow, begin, end, slice};
}

// Where a slice begins along K, in elements.
Value NumberedTiles::beginOf(const ValueBuilder &v, Value slice) const {
  Value step = v.divu(v.mul(slice, steps_), slices_);
  return arith::MulIOp::create(v.b, v.loc, step, v.i32(cut_.tileK), arith::IntegerOverflowFlags::nuw);
}

} // namespace mxc
