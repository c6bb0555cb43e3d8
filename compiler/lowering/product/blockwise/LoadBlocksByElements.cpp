// The load role where no tensor map can read the operands: four warps bring rows at any address, and a thread
// the scales of its rows.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/product/plan/ElementRows.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

using namespace mlir;

namespace mxc {

namespace {
struct BlockLoads {
  const BlockwiseEntry &e;
  const ValueBuilder &v;
  Value stage, step;
  ElementRows rows{e, v, 8};

  Value address(OperandPart part) const {
    return mx::StageAddressOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), e.operands, stage,
                                      v.b.getI32IntegerAttr(part));
  }

  // `batch`: null where the operand has none.
  void codes(Value operand, OperandPart part, Value first, Value extent, Value batch) const {
    rows.bring(operand, address(part), e.plan.operands.parts[part] / kStepBytes, step, first, extent, batch);
  }

  // `end`: of the groups' rows, where an index names a's; null: these are rows of the operand.
  void scales(Value operand, OperandPart part, Value first, Value extent, Value batch, Value end = {}) const {
    Value padded = v.toI64(v.mul(v.ceilDivu(extent, 4), 4)), blocks = v.toI64(v.ceilDivu(e.k, kStepK)),
          block = v.toI64(step);
    if (batch) block = v.add(block, v.mul(v.toI64(batch), blocks));
    Value line = v.mul(block, padded), to = address(part);
    const int64_t count = e.plan.operands.parts[part] / 4;
    for (int64_t from = 0; from < count; from += ElementRows::kThreads) {
      Value inTile = v.add(rows.thread(), from), row = v.add(first, inTile);
      auto bring = [&] {
        Value inside = v.less(row, extent), at = row;
        if (end) {
          const NamedRow named = namedRow(e, v, row, end);
          at = named.number, inside = named.isThere;
        }
        Value scale = loadWhere(v, inside, v.b.getI32Type(), e.function.pointer(e.nameOf(operand)),
                                v.mul(v.add(line, v.toI64(at)), 4), 4);
        nvvm::store(v, scale, nvvm::offsetBytes(v, to, v.toI64(v.mul(inTile, 4))), 4);
      };
      from + ElementRows::kThreads > count ? ifThen(v, v.less(inTile, v.i32(count)), bring) : bring();
    }
  }
};
} // namespace

void emitLoadBlocksByElements(const BlockwiseEntry &e) {
  emitRole(e, e.tiles, "load", e.plan.firstLoadWarp(), e.plan.loadWarps(), /*leader=*/false,
           [&](const ValueBuilder &v, const TileRecord &tile) {
             steps::forRange(v, tile.beginStep(v, kStepK), tile.endStep(v, kStepK), [&](Value step) {
               steps::fill(v, e.operands, [&](Value stage) {
                 BlockLoads loads{e, v, stage, step};
                 Value batchA = e.isBatched() ? tile.batch : Value(),
                       batchB = e.hasSeveralB() ? tile.batchOfB(e) : Value();
                 loads.codes(e.op.getA(), kPartA, tile.row, tile.rows, batchA);
                 loads.codes(e.op.getB(), kPartB, tile.column, e.n, batchB);
                 if (e.gathers())
                   loads.scales(e.op.getScalesA(), kPartScalesA, tile.row, e.rowsA, batchA, tile.rows);
                 else
                   loads.scales(e.op.getScalesA(), kPartScalesA, tile.scaleRow, e.scaleRowsA(v), batchA);
                 if (e.plan.hasScaleRowsB)
                   loads.scales(e.op.getScalesB(), kPartScalesB, tile.column, e.n, batchB);
               });
             });
           });
}

} // namespace mxc
