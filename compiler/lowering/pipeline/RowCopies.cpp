// Rows that lie anywhere: a thread a row writes the zeros after it, announces as many bytes as there are, and
// has them copied.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace mxc {

static constexpr int64_t kChunkBytes = 16;

// Neighbouring lanes take their chunks in orders of their own, so that they do not meet in a bank.
static void clearAfter(const ValueBuilder &v, Value row, int64_t rowBytes, Value bytes, Value lane) {
  int64_t chunks = rowBytes / kChunkBytes;
  ifThen(v, v.less(bytes, v.i32(rowBytes)), [&] {
    Type words = VectorType::get(kChunkBytes / 4, v.b.getI32Type());
    Value zeros = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(words));
    steps::forRangeRolled(v, v.i32(0), v.i32(chunks), 1, [&](Value i) {
      Value place = v.mul(v.bitXor(i, v.bitAnd(lane, std::min<int64_t>(chunks, 32) - 1)), kChunkBytes);
      ifThen(v, v.cmp(ValueBuilder::Predicate::sge, place, bytes),
             [&] { nvvm::store(v, zeros, nvvm::offsetBytes(v, row, place), kChunkBytes); });
    });
  });
}

namespace {
struct RowCopy {
  Value to, from, bytes, isThere;
};
} // namespace

// One announcement before all copies; those of one condition share a branch.
void lowerRowCopies(const ValueBuilder &v, ArrayRef<mx::CopyRowOp> rows, Value fullBarrier,
                    Pipeline &pipeline) {
  SmallVector<RowCopy> copies;
  Value total = v.i32(0);
  for (mx::CopyRowOp row : rows) {
    int64_t rowBytes = row.getRowBytes();
    Value thread = threadIn(v, row->getParentOfType<mx::RoleOp>(), pipeline);
    Value part = pipeline.part(v, row.getRing(), row.getPart(), row.getStage());
    Value to = nvvm::offsetBytes(v, part, v.mul(thread, rowBytes));
    Value bytes = v.select(row.getThere(), row.getBytes(), v.i32(0));
    clearAfter(v, to, rowBytes, bytes, pipeline.lane());
    total = v.add(total, bytes);
    copies.push_back({to, row.getSource(), bytes, row.getThere()});
  }
  nvvm::arriveExpectBytes(v, fullBarrier, total);
  for (ArrayRef<RowCopy> left = copies; !left.empty();) {
    ArrayRef<RowCopy> together =
        left.take_while([&](const RowCopy &copy) { return copy.isThere == left.front().isThere; });
    ifThen(v, left.front().isThere, [&] {
      for (const RowCopy &copy : together)
        nvvm::copyBytes(v, copy.to, copy.from, copy.bytes, fullBarrier);
    });
    left = left.drop_front(together.size());
  }
  for (mx::CopyRowOp row : rows)
    row.erase();
}

} // namespace mxc
