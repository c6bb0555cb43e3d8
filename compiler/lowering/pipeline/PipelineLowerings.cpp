#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

PipelineLowerings pipelineLowerings(const Target &target) {
  PipelineLowerings lowerings;
  for (auto populate : {populateRoleLowerings, populateTileLowerings, populateRingLowerings,
                        populateCopyLowerings, populateCounterLowerings, populateClusterLowerings})
    populate(lowerings, target);
  if (target.tensorCore == TensorCore::TensorMemory) populateTcgen05Lowerings(lowerings, target);
  if (target.tensorCore == TensorCore::Warpgroups)
    for (auto populate :
         {populateWarpgroupLowerings, populateAccumulatorLowerings, populateFragmentLowerings})
      populate(lowerings, target);
  if (target.tensorCore == TensorCore::Warps)
    for (auto populate : {populateWarpLowerings, populateAccumulatorLowerings})
      populate(lowerings, target);
  return lowerings;
}

LogicalResult PipelineLowerings::lowerTiles(mx::TilesOp op, Pipeline &pipeline) const {
  auto walk = schedules_.find(op.getSchedule().getTypeID());
  if (walk == schedules_.end())
    return op.emitOpError("has a schedule that nothing lowers: ") << op.getSchedule();
  OpBuilder builder(op);
  (op.getQueue() ? walkHandedOut : walk->second)({builder, op.getLoc()}, op, pipeline);
  op.erase();
  return success();
}

LogicalResult PipelineLowerings::lower(Operation *function) const {
  Pipeline pipeline(function);
  if (failed(pipeline.requireMemory())) return failure();
  mx::PipelineOp start = pipeline.operation();
  OpBuilder builder(start);
  pipeline.begin(builder, start.getLoc());
  if (!pipeline.isWithin()) {
    Operation *last = nullptr;
    function->walk([&](mx::RoleOp op) { last = op; });
    builder.setInsertionPointAfter(last);
    pipeline.end(builder, last->getLoc());
    pipeline.setRegisters(function);
  }

  convertAccumulators(function);
  SmallVector<Operation *> inside; // an operation after those of its body
  SmallVector<mx::RingOp> rings;
  function->walk([&](Operation *op) {
    if (auto ring = dyn_cast<mx::RingOp>(op)) rings.push_back(ring);
    if (operations_.contains(op->getName().getStringRef()) || isa<mx::TilesOp>(op)) inside.push_back(op);
  });
  for (Operation *op : inside) {
    if (auto tiles = dyn_cast<mx::TilesOp>(op)) {
      if (failed(lowerTiles(tiles, pipeline))) return failure();
    } else {
      operations_.find(op->getName().getStringRef())->second(op, pipeline);
    }
  }
  for (mx::RingOp ring : rings)
    if (!ring->use_empty()) return (*ring->user_begin())->emitOpError("has no lowering on this target");
  for (mx::RingOp ring : rings)
    ring.erase();
  start.erase();
  return success();
}

} // namespace mxc
