#include "dialect/pipeline/PipelineChecks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

static constexpr int kMaxWarps = 32, kMaxColumns = 512;

LogicalResult PipelineOp::verify() {
  Operation *op = *this;
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function || (!getWithin() && op->getParentOp() != function))
    return emitOpError("expected a function ") << (function ? "directly " : "") << "around it, found none";
  PipelineOp another;
  function->walk([&](PipelineOp other) {
    if (other != *this) another = other;
  });
  if (another)
    return emitOpError("expected one a function, found another one").attachNote(another.getLoc())
           << "the other one";
  bool hasRole = false, hasUse = false;
  for (Operation &other : *op->getBlock()) {
    hasRole |= isa<RoleOp>(other);
    hasUse |= isa<UseOp>(other);
  }
  if (getWithin()) {
    if (!hasRole && !hasUse) return emitOpError("expected an mx.role or mx.use beside it, found none");
    if (getTensorColumns() || getPair() || getSharing() || getSplits() != 1 || !getRegisters().empty())
      return emitOpError("within shared memory expected warps alone, found tensor_columns, pair, sharing, "
                         "splits or registers");
  } else if (!hasRole) {
    return emitOpError("expected an mx.role in its function, found none");
  }
  int32_t columns = getTensorColumns();
  if (failed(within(op, "warps", int32_t(getWarps()), 1, kMaxWarps)) ||
      failed(within(op, "allocating_warp", int32_t(getAllocatingWarp()), 0, int64_t(getWarps()) - 1)) ||
      failed(within(op, "splits", int32_t(getSplits()), 1, 16)))
    return failure();
  if (columns && (columns < 32 || columns > kMaxColumns || !llvm::isPowerOf2_32(columns)))
    return emitOpError("tensor_columns expected 0 or a power of two from 32 to 512, found ") << columns;
  if (int(getPair()) + int(getSharing()) + int(getSplits() > 1) > 1)
    return emitOpError("expected one of pair, sharing and splits, found several");
  if (!getRegisters().empty() && getRegisters().size() * kWarpgroupWarps != getWarps())
    return emitOpError("registers expected a number a warpgroup of ")
           << getWarps() << " warps, found " << getRegisters().size();
  for (int32_t registers : getRegisters())
    if (registers < 24 || registers > 256 || registers % 8)
      return emitOpError("registers expected multiples of 8 from 24 to 256, found ") << registers;
  return success();
}

static int64_t columnsOf(RingOp ring) {
  return int64_t(ring.getStages()) * (ring.getColumns() - ring.getOverlap()) + ring.getOverlap();
}

// A role fills a ring by one engine and uses it by one: its barriers count roles.
template <class Step>
static LogicalResult verifyEngines(RingOp ring, llvm::MapVector<Operation *, Engine> &byRole) {
  for (Operation *user : ring.getRing().getUsers()) {
    auto step = dyn_cast<Step>(user);
    if (!step || step.getRing() != ring.getRing()) continue;
    FailureOr<Engine> engine = engineOf(step);
    Operation *role = step->template getParentOfType<RoleOp>();
    if (failed(engine) || !role) continue; // the step's own error
    if (byRole.insert({role, *engine}).first->second != *engine)
      return ring.emitOpError("expected every ")
             << Step::getOperationName() << " of a role to work in one way, found several";
  }
  return success();
}

// What one round without empty barriers allows.
static LogicalResult verifyOnce(RingOp ring) {
  if (ring.getStages() != 1 || ring.getColumns())
    return ring.emitOpError("filled once expected one stage of shared memory, found ")
           << int32_t(ring.getStages()) << " and " << int32_t(ring.getColumns()) << " columns";
  int fills = 0;
  for (Operation *user : ring.getRing().getUsers()) {
    if (auto hand = dyn_cast<HandOutOp>(user); hand && hand.getAnswers() == ring.getRing())
      return success(); // which waits for itself
    fills += isa<FillOp>(user);
    if (isa<HandOutOp, TilesOp>(user))
      return ring.emitOpError("filled once expected mx.fill and mx.use alone, found ") << user->getName();
    auto use = dyn_cast<UseOp>(user);
    if (!use) continue;
    FailureOr<Engine> engine = engineOf(use);
    if (succeeded(engine) && *engine != Engine::Threads)
      return ring.emitOpError("filled once expected threads to use it, found another engine");
  }
  if (fills != 1) return ring.emitOpError("filled once expected one mx.fill, found ") << fills;
  return success();
}

LogicalResult RingOp::verify() {
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(pipeline)) return failure();
  if ((*this)->getBlock() != (*pipeline)->getBlock())
    return emitOpError("expected to stand beside mx.pipeline, found it deeper");
  if (namesakeBefore(*this))
    return emitOpError("expected a name of its own, found another ring ") << getNameAttr();
  if (int32_t(getStages()) < 1)
    return emitOpError("needs at least one stage, found ") << int32_t(getStages());
  if (int32_t(getAlignment()) < 128 || !llvm::isPowerOf2_32(getAlignment()))
    return emitOpError("expected an alignment that is a power of two from 128 on, found ")
           << int32_t(getAlignment());
  if (getOverlap() && (getStages() != 2 || getOverlap() > getColumns() || !getParts().empty()))
    return emitOpError("overlap is of two stages without parts, by at most their columns (")
           << getColumns() << "), found " << getStages() << " stages that overlap by " << getOverlap();
  for (int64_t bytes : getParts())
    if (bytes <= 0 || bytes % 16) return emitOpError("parts must be multiples of 16 bytes, found ") << bytes;
  int64_t columns = 0;
  for (Operation &before : *(*this)->getBlock()) {
    if (auto ring = dyn_cast<RingOp>(before)) columns += columnsOf(ring);
    if (&before == getOperation()) break;
  }
  if (columns > pipeline->getTensorColumns())
    return emitOpError("expected at most ")
           << pipeline->getTensorColumns() << " columns of tensor memory with the rings before it, found "
           << columns;
  bool isFilled = false, isUsed = false;
  for (Operation *user : getRing().getUsers()) {
    auto hand = dyn_cast<HandOutOp>(user);
    isFilled |= isa<FillOp, HandOutOp>(user);
    isUsed |= isa<UseOp, TilesOp>(user) || (hand && hand.getAnswers() == getRing());
  }
  if (!isFilled) return emitOpError("expected a role that fills it, found none");
  if (!isUsed) return emitOpError("expected a role that uses it, found none");
  if (getOnce() && failed(verifyOnce(*this))) return failure();
  llvm::MapVector<Operation *, Engine> fillers, users;
  if (failed(verifyEngines<FillOp>(*this, fillers)) || failed(verifyEngines<UseOp>(*this, users)))
    return failure();
  // A commit arrives in both CTAs of a pair, a warp in the leader alone.
  if (pipeline->getPair())
    for (auto &[role, engine] : users)
      if (engine != users.front().second)
        return emitOpError("expected roles of a pair to use it in one way, found several");
  return success();
}

LogicalResult SharedOp::verify() {
  if (failed(pipelineBefore(*this)) || failed(verifyPointer(*this, "address", getAddress().getType())))
    return failure();
  if (int64_t(getBytes()) <= 0) return emitOpError("expected bytes above 0, found ") << int64_t(getBytes());
  if (int64_t(getAlignment()) <= 0 || !llvm::isPowerOf2_64(getAlignment()))
    return emitOpError("expected an alignment that is a power of two, found ") << int64_t(getAlignment());
  return success();
}
