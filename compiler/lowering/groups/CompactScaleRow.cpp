#include "compiler/lowering/groups/CompactScaleRow.h"
#include "compiler/lowering/groups/GroupPlaces.h"
#include "compiler/lowering/nvvm/Memory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

Value compactScaleRow(const EntryFunction &entry, const ValueBuilder &v, StringRef ends, Value groups,
                      Value row, Value scaleRows) {
  Value first = entry.pointer(ends);
  auto loop = scf::ForOp::create(v.b, v.loc, v.i32(0), groups, v.i32(1), ValueRange{v.i32(0), v.i32(0)});
  {
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value address = nvvm::offsetBytes(v, first, v.mul(v.toI64(loop.getInductionVar()), 4));
    Value end = nvvm::load(v, v.b.getI32Type(), address, 4);
    Value group = loop.getRegionIterArg(0), begin = loop.getRegionIterArg(1);
    Value isPassed = v.cmp(ValueBuilder::Predicate::sle, end, row);
    Value natural = arith::MaxSIOp::create(v.b, v.loc, end, v.i32(0));
    scf::YieldOp::create(
        v.b, v.loc,
        ValueRange{v.select(isPassed, v.add(group, 1), group), v.select(isPassed, natural, begin)});
  }
  Value group = loop.getResult(0), begin = loop.getResult(1);
  Value tile = firstScaleTile(v, begin, group);
  return v.minu(v.add(v.mul(tile, kScaleTileRows), v.sub(row, begin)), v.sub(scaleRows, v.i32(1)));
}

} // namespace mxc
