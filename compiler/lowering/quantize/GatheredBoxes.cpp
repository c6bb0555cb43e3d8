// The boxes of a bulk tile whose rows lie anywhere: a thread a row has it copied by itself, as many bytes as
// the matrix has, and writes zeros where there is none.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/quantize/ColumnPlan.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kChunkBytes = 16;

struct RowCopy {
  Value destination, source, bytes; // shared; global; i32, a multiple of 16
  int64_t boxBytes;                 // of a row of the box
};

// Neighbouring lanes take their chunks in orders of their own, so that they do not meet in a bank.
void clearBehind(const ValueBuilder &v, const RowCopy &row, Value lane) {
  int64_t chunks = row.boxBytes / kChunkBytes;
  ifThen(v, v.less(row.bytes, v.i32(row.boxBytes)), [&] {
    Type words = VectorType::get(kChunkBytes / 4, v.b.getI32Type());
    Value zeros = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(words));
    steps::forRangeRolled(v, v.i32(0), v.i32(chunks), 1, [&](Value i) {
      Value place = v.mul(v.bitXor(i, v.bitAnd(lane, std::min<int64_t>(chunks, 32) - 1)), kChunkBytes);
      ifThen(v, v.cmp(ValueBuilder::Predicate::sge, place, row.bytes),
             [&] { nvvm::store(v, zeros, nvvm::offsetBytes(v, row.destination, place), kChunkBytes); });
    });
  });
}

} // namespace

void loadGatheredBoxes(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared,
                       const GatheredRow &mine) {
  ValueBuilder v = entry.values();
  Ring ring({.fillArrivals = kColumnTileRows, .barriers = plan.ring.barriers}, shared);
  RingPosition only = ring.first(v);
  ifThen(v, v.equal(at.thread, v.i32(0)), [&] {
    ring.init(v);
    nvvm::fenceMbarrierInit(v);
  });
  nvvm::syncThreads(v); // nobody meets a barrier that is not initialized
  ifThen(v, v.less(at.thread, v.i32(kColumnTileRows)), [&] {
    SmallVector<RowCopy> copies;
    Value total = v.i32(0);
    for (auto [input, offset] : llvm::zip(plan.op.getInputs(), plan.inputOffsets)) {
      std::string name = plan.nameOf(input);
      int64_t bytes = mx::storageBytes(elementTypeOf(input), 1), boxBytes = plan.tile.getColumns() * bytes;
      Value inRow = v.mul(at.ctaColumn, bytes), stride = v.mul(entry.rowStride(name), bytes);
      RowCopy copy{nvvm::offsetBytes(v, shared, v.add(v.mul(at.thread, boxBytes), offset)),
                   nvvm::offsetBytes(v, entry.pointer(name), v.add(v.mul(mine.source, stride), inRow)),
                   v.select(mine.isThere, v.mul(at.columnsLeft, bytes), v.i32(0)), boxBytes};
      clearBehind(v, copy, at.lane);
      total = v.add(total, copy.bytes);
      copies.push_back(copy);
    }
    Value barrier = ring.fullBarrier(v, only);
    nvvm::arriveExpectBytes(v, barrier, total);
    ifThen(v, mine.isThere, [&] {
      for (const RowCopy &copy : copies)
        nvvm::copyBytes(v, copy.destination, copy.source, copy.bytes, barrier);
    });
  });
  nvvm::launchDependents(v);
  ring.waitFull(v, only);
}

} // namespace mxc
