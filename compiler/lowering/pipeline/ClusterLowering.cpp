// What the CTAs of a cluster exchange through their shared memories.
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

static void lowerClusterBarrier(mx::ClusterBarrierOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  pipeline.isCluster() ? nvvm::syncCluster(v) : nvvm::syncThreads(v);
  op.erase();
}

static void lowerClusterLoad(mx::ClusterLoadOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  bool isRemote = pipeline.isCluster();
  Value from = isRemote ? nvvm::inCta(v, op.getAddress(), op.getRank()) : Value(op.getAddress());
  op.replaceAllUsesWith(nvvm::loadFourInPlace(v, from, isRemote));
  op.erase();
}

void populateClusterLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerClusterBarrier);
  lowerings.add(lowerClusterLoad);
}

} // namespace mxc
