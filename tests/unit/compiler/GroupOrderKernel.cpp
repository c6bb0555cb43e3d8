#include "tests/unit/compiler/GroupOrderKernel.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "tests/unit/compiler/BuiltKernel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mxc;

std::string groupOrderKernel(int groups, int k, int slabs) {
  return ptxOfKernel(64, [&](OpBuilder &b, Operation *function) {
    ValueBuilder v{b, function->getLoc()};
    Value ends = function->getRegion(0).getArgument(0), order = function->getRegion(0).getArgument(1);
    Value thread = nvvm::threadIdX(v), count = v.i32(groups);
    writeGroupOrder(v, {ends, count, v.i32(k), 128}, order, thread, v.i32(64));
    nvvm::syncThreads(v);
    ifThen(v, v.less(thread, v.i32(32)), [&] {
      auto loop = scf::ForOp::create(v.b, v.loc, v.i32(0), v.i32(slabs), v.i32(1));
      OpBuilder::InsertionGuard guard(v.b);
      v.b.setInsertionPoint(loop.getBody()->getTerminator());
      Value number = loop.getInductionVar();
      const SlabRun run = slabRunOf(v, order, count, 128, v.i32(slabs), number, thread);
      Value slab = v.add(run.first, v.sub(number, run.before));
      Value at = nvvm::offsetBytes(v, order, v.toI64(v.add(v.mul(number, 4), groups * kOrderBytes)));
      ifThen(v, v.equal(thread, v.i32(0)), [&] { nvvm::store(v, slab, at, 4); });
    });
  });
}
