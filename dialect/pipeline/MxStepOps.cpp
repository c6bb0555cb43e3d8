#include "dialect/pipeline/PipelineChecks.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

void NextOp::build(OpBuilder &, OperationState &) {}

// A step of one thread, or of all, in a pipeline within a kernel.
static LogicalResult verifyOutsideOfRoles(Operation *op, PipelineOp pipeline, RingOp ring) {
  if (!pipeline.getWithin()) return roleAround(op);
  if (!ring.getOnce())
    return op->emitOpError("outside of roles expected a ring that is filled once, found ")
           << ring.getNameAttr();
  if (op->getBlock() == pipeline->getBlock()) return success();
  return op->emitOpError("outside of roles expected to stand beside mx.pipeline, found it deeper");
}

// Whether the stage that `use` stands for is given back somewhere inside it.
static bool givesBackInside(UseOp use) {
  bool gives = false;
  use.getBody().walk([&](ReleaseOp release) { gives |= release.getStage() == use.getBody().getArgument(0); });
  return gives;
}

// A step must not stand in another one of its ring, where it would wait for itself: but a use of the tensor
// core in one that gives its own stage back inside.
static LogicalResult verifyAlone(Operation *op, Value ring) {
  auto around = stepAround<UseOp>(op, ring);
  if (stepAround<FillOp>(op, ring) || (around && !isa<UseOp>(op)))
    return op->emitOpError("expected no other step of its ring around it, found one");
  if (!around) return success();
  if (succeeded(engineOf(around)) && *engineOf(around) == Engine::TensorCore && givesBackInside(around))
    return success();
  return op->emitOpError(
      "expected no other step of its ring around it but a use by the tensor core that names "
      "its stage in an mx.release inside, found one");
}

template <class Step> static LogicalResult verifyStep(Step step) {
  Operation *op = step;
  FailureOr<PipelineOp> pipeline = pipelineBefore(op);
  if (failed(pipeline)) return failure();
  FailureOr<RingOp> ring = ringOf(op, step.getRing());
  if (failed(ring)) return failure();
  if (!op->getParentOfType<RoleOp>() && failed(verifyOutsideOfRoles(op, *pipeline, *ring))) return failure();
  return verifyAlone(op, step.getRing());
}

static LogicalResult verifyBody(Operation *op, int arguments, TypeRange handedOn) {
  Block &body = op->getRegion(0).front();
  if (int(body.getNumArguments()) != arguments ||
      llvm::any_of(body.getArgumentTypes(), [](Type type) { return !type.isInteger(32); }))
    return op->emitOpError("expected a body with ")
           << arguments << " arguments of type i32, found (" << body.getArgumentTypes() << ")";
  TypeRange found = body.getTerminator()->getOperandTypes();
  if (found != handedOn)
    return op->emitOpError("expected mx.next to hand on (") << handedOn << "), found (" << found << ")";
  return success();
}

LogicalResult RoleOp::verify() {
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(pipeline)) return failure();
  if ((*this)->getBlock() != (*pipeline)->getBlock())
    return emitOpError("expected to stand beside mx.pipeline, found it deeper");
  int first = getFirst(), end = first + int(getWarps()), warps = pipeline->getWarps();
  if (first < 0 || end <= first || end > warps)
    return emitOpError("expected warps of the pipeline's ")
           << warps << ", found " << int(getWarps()) << " from " << first << " on";
  if (namesakeBefore(*this))
    return emitOpError("expected a name of its own, found another role ") << getNameAttr();
  for (Operation &before : *(*this)->getBlock()) {
    if (&before == getOperation()) break;
    auto other = dyn_cast<RoleOp>(before);
    if (other && first < int(other.getFirst() + other.getWarps()) && int(other.getFirst()) < end)
      return emitOpError("expected warps that no other role has, found those of ") << other.getNameAttr();
  }
  if (getEarly() && pipeline->getWithin())
    return emitOpError("early expected a pipeline that waits for earlier grids, found one within a kernel");
  if (getLeader() && !pipeline->getPair() && !pipeline->getSharing())
    return emitOpError("leader expected a pair, or CTAs that share, found none");
  ArrayRef<int32_t> registers = pipeline->getRegisters();
  for (int warp = first; !registers.empty() && warp < end; ++warp)
    if (registers[warp / kWarpgroupWarps] != registers[first / kWarpgroupWarps])
      return emitOpError("expected warpgroups with one number of registers, found several");
  return success();
}
LogicalResult RoleOp::verifyRegions() { return verifyBody(*this, 0, {}); }

LogicalResult RoleThreadOp::verify() {
  return success(succeeded(pipelineBefore(*this)) && succeeded(roleAround(*this)));
}

LogicalResult RoleBarrierOp::verify() {
  if (failed(pipelineBefore(*this))) return failure();
  auto role = cast<RoleOp>((*this)->getParentOp());
  if (role.getFirst() % kWarpgroupWarps == 0) return success();
  return emitOpError("expected a role that begins with a warpgroup, found one that begins with warp ")
         << role.getFirst();
}

LogicalResult FillOp::verify() {
  if (failed(verifyStep(*this))) return failure();
  if (!getRing().getDefiningOp<RingOp>().getOnce()) return success();
  if ((*this)->getParentOfType<RoleOp>() && !isa<RoleOp>((*this)->getParentOp()))
    return emitOpError("of a ring that is filled once expected mx.role directly around it, found ")
           << (*this)->getParentOp()->getName();
  return success();
}
LogicalResult FillOp::verifyRegions() {
  FailureOr<Engine> engine = engineOf(*this);
  if (failed(engine))
    return emitOpError("expected one of copies, tensor core and threads to fill the stage, found several");
  if (!(*this)->getParentOfType<RoleOp>()) {
    if (*engine != Engine::Copies)
      return emitOpError("outside of roles expected copies of boxes, found none");
    for (Operation &before : *(*this)->getBlock()) {
      if (&before == getOperation()) break;
      if (isa<RoleOp, UseOp>(before))
        return emitOpError("outside of roles expected to stand before roles and uses, found ")
               << before.getName() << " before it";
    }
  }
  return verifyBody(*this, 1, {});
}

LogicalResult UseOp::verify() { return verifyStep(*this); }
LogicalResult UseOp::verifyRegions() {
  if (failed(engineOf(*this)))
    return emitOpError("expected one of tensor core, warpgroups and threads to use the stage, found several");
  return verifyBody(*this, 1, getResultTypes());
}

UseOp ReleaseOp::getUse() {
  UseOp use = stepAround<UseOp>(*this, getRing());
  while (use && getStage() && use.getBody().getArgument(0) != getStage())
    use = stepAround<UseOp>(use, getRing());
  return use;
}

LogicalResult ReleaseOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(requireStep<UseOp>(*this, getRing()))) return failure();
  if (ring->getOnce()) return emitOpError("expected a ring that is filled again, found one filled once");
  if (getStage() && !getUse())
    return emitOpError(
        "stage expected what an mx.use of the ring around it hands its body, found another value");
  FailureOr<Engine> engine = engineOf(stepAround<UseOp>(*this, getRing()));
  if (succeeded(engine) && *engine == Engine::Warpgroups)
    return emitOpError("expected a stage that no warpgroup's product reads, found one");
  return success();
}

LogicalResult StageAddressOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(verifyPart(*this, *ring, getPart())))
    return failure();
  return verifyPointer(*this, "address", getAddress().getType());
}
