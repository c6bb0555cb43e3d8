// What the lowering of pipelines takes for granted, checked: operations look at what stands before and around
// them.
#include "dialect/MxOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

static constexpr int kWarpgroupWarps = 4, kMaxWarps = 32, kMaxColumns = 512, kMaxBoxRank = 5;
static constexpr int64_t kRowBytes = 128; // of an operand under the 128B swizzle

void NextOp::build(OpBuilder &, OperationState &) {}

//===--- Who fills and who uses -------------------------------------------------------------------------===//

static std::optional<Engine> fillsBy(Operation *op, Value ring) {
  if (auto copy = dyn_cast<CopyBoxOp>(op); copy && copy.getRing() == ring) return Engine::Copies;
  if (auto mma = dyn_cast<BlockMmaOp>(op); mma && mma.getAccumulator() == ring) return Engine::TensorCore;
  if (auto address = dyn_cast<StageAddressOp>(op); address && address.getRing() == ring)
    return Engine::Threads;
  return std::nullopt;
}

static std::optional<Engine> usesBy(Operation *op, Value ring) {
  auto reads = [&](auto reader) { return reader && reader.getRing() == ring; };
  if (reads(dyn_cast<CopyScalesOp>(op)) || reads(dyn_cast<BlockMmaOp>(op))) return Engine::TensorCore;
  if (reads(dyn_cast<WarpgroupMmaOp>(op)) || reads(dyn_cast<FragmentMmaOp>(op))) return Engine::Warpgroups;
  if (reads(dyn_cast<StageAddressOp>(op)) || reads(dyn_cast<LoadFragmentsOp>(op)) ||
      reads(dyn_cast<ReadAccumulatorOp>(op)))
    return Engine::Threads;
  return std::nullopt;
}

template <class Step>
static FailureOr<Engine> engineIn(Step step, std::optional<Engine> (*of)(Operation *, Value)) {
  std::optional<Engine> engine;
  bool isMixed = false;
  step.getBody().walk([&](Operation *op) {
    std::optional<Engine> its = of(op, step.getRing());
    isMixed |= its && engine && *its != *engine;
    if (its) engine = its;
  });
  if (isMixed) return failure();
  return engine.value_or(Engine::Threads);
}

FailureOr<Engine> mx::engineOf(FillOp fill) { return engineIn(fill, fillsBy); }
FailureOr<Engine> mx::engineOf(UseOp use) { return engineIn(use, usesBy); }

//===--- Where an operation stands ----------------------------------------------------------------------===//

static FailureOr<PipelineOp> pipelineBefore(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  Operation *top = op;
  while (function && top->getParentOp() != function)
    top = top->getParentOp();
  if (function)
    for (Operation &before : *top->getBlock()) {
      if (&before == top) break;
      if (auto pipeline = dyn_cast<PipelineOp>(before)) return pipeline;
    }
  op->emitOpError("expected mx.pipeline before it in its function, found none");
  return failure();
}

static FailureOr<RoleOp> roleAround(Operation *op) {
  if (auto role = op->getParentOfType<RoleOp>()) return role;
  op->emitOpError("expected mx.role around it, found none");
  return failure();
}

static FailureOr<RingOp> ringOf(Operation *op, Value ring) {
  if (auto made = ring.getDefiningOp<RingOp>()) return made;
  op->emitOpError("expected a ring that mx.ring makes, found another value");
  return failure();
}

template <class Step> static Step stepAround(Operation *op, Value ring) {
  auto step = op->getParentOfType<Step>();
  while (step && step.getRing() != ring)
    step = step->template getParentOfType<Step>();
  return step;
}

template <class Step> static LogicalResult requireStep(Operation *op, Value ring) {
  if (stepAround<Step>(op, ring)) return success();
  return op->emitOpError("expected ") << Step::getOperationName() << " of the ring around it, found none";
}

// Who uses a ring as a step must not stand in another step of it: the second would wait for itself.
template <class Step> static LogicalResult verifyStep(Step step) {
  Operation *op = step;
  if (failed(pipelineBefore(op)) || failed(roleAround(op)) || failed(ringOf(op, step.getRing())))
    return failure();
  if (stepAround<FillOp>(op, step.getRing()) || stepAround<UseOp>(op, step.getRing()))
    return op->emitOpError("expected no other step of its ring around it, found one");
  return success();
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

//===--- Numbers ----------------------------------------------------------------------------------------===//

static LogicalResult within(Operation *op, StringRef what, int64_t found, int64_t least, int64_t most) {
  if (found >= least && found <= most) return success();
  return op->emitOpError() << what << " expected " << least << " to " << most << ", found " << found;
}

static LogicalResult verifyStage(Operation *op, RingOp ring, Value stage) {
  APInt known;
  if (!matchPattern(stage, m_ConstantInt(&known))) return success();
  return within(op, "stage", known.getSExtValue(), 0, int64_t(ring.getStages()) - 1);
}

static LogicalResult verifyPart(Operation *op, RingOp ring, int64_t part, int64_t bytes = 0) {
  if (failed(within(op, "part", int32_t(part), 0, int64_t(ring.getParts().size()) - 1))) return failure();
  if (ring.getParts()[part] >= bytes) return success();
  return op->emitOpError("expected at least ")
         << bytes << " bytes in part " << part << ", found " << ring.getParts()[part];
}

static LogicalResult verifyPointer(Operation *op, StringRef what, Type type) {
  if (cast<LLVM::LLVMPointerType>(type).getAddressSpace() == 3) return success();
  return op->emitOpError() << what << " expected !llvm.ptr<3>, found " << type;
}

// Operations of whole warpgroups.
static LogicalResult verifyWarpgroups(Operation *op) {
  FailureOr<RoleOp> role = roleAround(op);
  if (failed(role)) return failure();
  if (role->getFirst() % kWarpgroupWarps == 0 && role->getWarps() % kWarpgroupWarps == 0) return success();
  return op->emitOpError("expected a role of whole warpgroups, found warps ")
         << role->getFirst() << " to " << role->getFirst() + role->getWarps() - 1;
}

static int warpgroupsAround(Operation *op) {
  return op->getParentOfType<RoleOp>().getWarps() / kWarpgroupWarps;
}

//===--- What roles share -------------------------------------------------------------------------------===//

LogicalResult PipelineOp::verify() {
  Operation *op = *this;
  if (!isa_and_present<FunctionOpInterface>(op->getParentOp()))
    return emitOpError("expected a function around it, found none");
  bool hasRole = false;
  for (Operation &other : *op->getBlock()) {
    if (isa<PipelineOp>(other) && &other != op)
      return emitOpError("expected one a function, found another one").attachNote(other.getLoc())
             << "the other one";
    hasRole |= isa<RoleOp>(other);
  }
  if (!hasRole) return emitOpError("expected an mx.role in its function, found none");
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

template <class Op> static Operation *namesakeBefore(Op op) {
  for (Operation &before : *op->getBlock()) {
    if (&before == op.getOperation()) return nullptr;
    if (auto other = dyn_cast<Op>(before); other && other.getName() == op.getName()) return other;
  }
  return nullptr;
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

LogicalResult RingOp::verify() {
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(pipeline)) return failure();
  if ((*this)->getBlock() != (*pipeline)->getBlock())
    return emitOpError("expected to stand beside mx.pipeline, found it deeper");
  if (namesakeBefore(*this))
    return emitOpError("expected a name of its own, found another ring ") << getNameAttr();
  if (int32_t(getStages()) < 1)
    return emitOpError("needs at least one stage, found ") << int32_t(getStages());
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
    isFilled |= isa<FillOp, TakeOverOp>(user);
    isUsed |= isa<UseOp, TilesOp>(user);
  }
  if (!isFilled) return emitOpError("expected a role that fills it, found none");
  if (!isUsed) return emitOpError("expected a role that uses it, found none");
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

//===--- Steps ------------------------------------------------------------------------------------------===//

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
  if (getLeader() && !pipeline->getPair()) return emitOpError("leader expected a pair, found none");
  ArrayRef<int32_t> registers = pipeline->getRegisters();
  for (int warp = first; !registers.empty() && warp < end; ++warp)
    if (registers[warp / kWarpgroupWarps] != registers[first / kWarpgroupWarps])
      return emitOpError("expected warpgroups with one number of registers, found several");
  return success();
}
LogicalResult RoleOp::verifyRegions() { return verifyBody(*this, 0, {}); }

LogicalResult TilesOp::verify() {
  if (failed(pipelineBefore(*this)) || failed(roleAround(*this))) return failure();
  if (int32_t(getSupergroup()) < 1)
    return emitOpError("supergroup expected at least 1, found ") << int32_t(getSupergroup());
  if (int32_t(getSlices()) < 1)
    return emitOpError("slices expected at least 1, found ") << int32_t(getSlices());
  if (!getQueue()) return success();
  if (failed(ringOf(*this, getQueue()))) return failure();
  if (llvm::none_of(getQueue().getUsers(), llvm::IsaPred<TakeOverOp>))
    return emitOpError("expected a ring that mx.take_over fills, found another");
  return success();
}
LogicalResult TilesOp::verifyRegions() { return verifyBody(*this, 4, {}); }

LogicalResult TakeOverOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getQueue());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(roleAround(*this)) ||
      failed(verifyPart(*this, *ring, 0, 16)))
    return failure();
  for (Operation *user : getQueue().getUsers())
    if (isa<FillOp, TakeOverOp>(user) && user != getOperation())
      return emitOpError("expected to fill its ring alone, found another role that does");
  return success();
}

LogicalResult FillOp::verify() { return verifyStep(*this); }
LogicalResult FillOp::verifyRegions() {
  if (failed(engineOf(*this)))
    return emitOpError("expected one of copies, tensor core and threads to fill the stage, found several");
  return verifyBody(*this, 1, {});
}

LogicalResult UseOp::verify() { return verifyStep(*this); }
LogicalResult UseOp::verifyRegions() {
  if (failed(engineOf(*this)))
    return emitOpError("expected one of tensor core, warpgroups and threads to use the stage, found several");
  return verifyBody(*this, 1, getResultTypes());
}

LogicalResult ReleaseOp::verify() {
  if (failed(ringOf(*this, getRing())) || failed(requireStep<UseOp>(*this, getRing()))) return failure();
  FailureOr<Engine> engine = engineOf(stepAround<UseOp>(*this, getRing()));
  if (succeeded(engine) && *engine == Engine::Warpgroups)
    return emitOpError("expected a stage that no warpgroup's product reads, found one");
  return success();
}

//===--- Copies and places ------------------------------------------------------------------------------===//

LogicalResult CopyBoxOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(ring) || failed(pipeline)) return failure();
  // Its bytes are announced once a stage.
  auto fill = dyn_cast<FillOp>((*this)->getParentOp());
  if (!fill || fill.getRing() != getRing())
    return emitOpError("expected mx.fill of the ring directly around it, found ")
           << (*this)->getParentOp()->getName();
  int64_t bytes = getBytes();
  if (bytes <= 0 || bytes % 16) return emitOpError("expected a multiple of 16 bytes, found ") << bytes;
  APInt offset(32, 0);
  if (getOffset()) matchPattern(getOffset(), m_ConstantInt(&offset));
  if (offset.isNegative()) return emitOpError("offset expected at least 0, found ") << offset.getSExtValue();
  if (failed(verifyStage(*this, *ring, getStage())) ||
      failed(verifyPart(*this, *ring, getPart(), bytes + offset.getSExtValue())) ||
      failed(within(*this, "coordinates", getCoordinates().size(), 1, kMaxBoxRank)))
    return failure();
  if (getMulticast() && !pipeline->getPair() && !pipeline->getSharing())
    return emitOpError("multicast expected two CTAs, found neither pair nor sharing");
  return success();
}

LogicalResult StageAddressOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(verifyPart(*this, *ring, getPart())))
    return failure();
  return verifyPointer(*this, "address", getAddress().getType());
}

LogicalResult CtaRankOp::verify() { return success(succeeded(pipelineBefore(*this))); }
LogicalResult RoleThreadOp::verify() {
  return success(succeeded(pipelineBefore(*this)) && succeeded(roleAround(*this)));
}

LogicalResult StoreBoxOp::verify() {
  if (failed(pipelineBefore(*this)) || failed(roleAround(*this)) ||
      failed(within(*this, "coordinates", getCoordinates().size(), 1, kMaxBoxRank)) ||
      failed(verifyPointer(*this, "staging", getStaging().getType())))
    return failure();
  if (int32_t(getBuffers()) < 1)
    return emitOpError("expected a buffer at least, found ") << int32_t(getBuffers());
  if (getRows().empty()) return emitOpError("expected rows, found none");
  int64_t bytes = 0;
  for (Type type : getRows().getTypes()) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || !vector.getElementType().isIntOrFloat() || type != getRows().front().getType())
      return emitOpError("expected vectors of one type, found ") << type;
    int64_t its = vector.getNumElements() * vector.getElementTypeBitWidth() / 8;
    if (getFragments() ? its != 4 && its != 8 : its != 16)
      return emitOpError("expected vectors of ")
             << (getFragments() ? "4 or 8" : "16") << " bytes, found " << its;
    bytes += getFragments() ? 2 * its : its; // of a row: four lanes have one, in two vectors
  }
  if (getFragments() && getRows().size() % 2)
    return emitOpError("expected fragments of two rows in turn, found ") << getRows().size();
  if (bytes > kRowBytes) return emitOpError("expected at most 128 bytes a row, found ") << bytes;
  return success();
}

LogicalResult DrainStoresOp::verify() {
  return success(succeeded(pipelineBefore(*this)) && succeeded(roleAround(*this)));
}

//===--- Tensor memory ----------------------------------------------------------------------------------===//

template <class Op> static LogicalResult verifyTensorCore(Op op) {
  FailureOr<PipelineOp> pipeline = pipelineBefore(op);
  if (failed(pipeline) || failed(roleAround(op))) return failure();
  if (op.getPair() != pipeline->getPair())
    return op.emitOpError("expected pair as its pipeline says, found it ")
           << (op.getPair() ? "here" : "there") << " alone";
  if (pipeline->getSharing()) return op.emitOpError("expected CTAs that do not share stages, found sharing");
  return requireStep<UseOp>(op, op.getRing());
}

LogicalResult CopyScalesOp::verify() {
  constexpr int64_t kTileBytes = 512, kTileColumns = 4;
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(verifyTensorCore(*this)) || failed(verifyStage(*this, *ring, getStage())))
    return failure();
  if (getParts().empty()) return emitOpError("expected parts, found none");
  int64_t columns = 0;
  for (int32_t part : getParts()) {
    if (failed(verifyPart(*this, *ring, part))) return failure();
    int64_t bytes = ring->getParts()[part];
    if (bytes % kTileBytes) return emitOpError("expected parts of whole tiles of 512 bytes, found ") << bytes;
    columns += bytes / kTileBytes * kTileColumns;
  }
  if (columns > ring->getColumns())
    return emitOpError("expected ") << columns << " columns of the stage, found " << ring->getColumns();
  return success();
}

LogicalResult BlockMmaOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing()), accumulator = ringOf(*this, getAccumulator());
  if (failed(ring) || failed(accumulator) || failed(verifyTensorCore(*this)) ||
      failed(requireStep<FillOp>(*this, getAccumulator())) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(verifyStage(*this, *accumulator, getPlace())))
    return failure();
  int ctas = getPair() ? 2 : 1;
  int32_t m = getM(), n = getN();
  if (m != 128 * ctas) return emitOpError("m expected ") << 128 * ctas << ", found " << m;
  if (n < 16 * ctas || n > 256 || n % (16 * ctas))
    return emitOpError("n expected a multiple of ") << 16 * ctas << " up to 256, found " << n;
  for (Type element : {getA(), getB()})
    if (!elementFormatOf(element)) return emitOpError("expected an element format, found ") << element;
  if (failed(verifyPart(*this, *ring, 0, m / ctas * kRowBytes)) ||
      failed(verifyPart(*this, *ring, 1, n / ctas * kRowBytes)) ||
      failed(within(*this, "scale_a", int32_t(getScaleA()), 0, int64_t(ring->getColumns()) - 1)) ||
      failed(within(*this, "scale_b", int32_t(getScaleB()), 0, int64_t(ring->getColumns()) - 1)))
    return failure();
  if (accumulator->getColumns() < getN())
    return emitOpError("expected ") << n << " columns of the accumulator, found "
                                    << accumulator->getColumns();
  return success();
}

LogicalResult ReadAccumulatorOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(roleAround(*this)) ||
      failed(requireStep<UseOp>(*this, getRing())) || failed(verifyStage(*this, *ring, getPlace())))
    return failure();
  int64_t count = cast<VectorType>(getValues().getType()).getNumElements();
  if (count < 2 || count > 128 || !llvm::isPowerOf2_64(count))
    return emitOpError("expected a power of two from 2 to 128 columns, found ") << count;
  APInt column(32, 0);
  matchPattern(getColumn(), m_ConstantInt(&column));
  return within(*this, "last column", column.getSExtValue() + count - 1, count - 1,
                int64_t(ring->getColumns()) - 1);
}

//===--- Warpgroups -------------------------------------------------------------------------------------===//

LogicalResult AccumulatorType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned n) {
  if (n >= 8 && n <= 256 && n % 8 == 0) return success();
  return emitError() << "expected an accumulator of a multiple of 8 columns up to 256, found " << n;
}

LogicalResult AccumulatorColumnsOp::verify() {
  int64_t first = int32_t(getFirst()), n = getAccumulator().getType().getN();
  if (first < 0 || first % 8) return emitOpError("expected columns from a multiple of 8 on, found ") << first;
  int64_t count =
      cast<VectorType>(getValues().getType()).getNumElements(); // of two rows, a quarter of the columns
  if (count % 4 || first + 2 * count > n)
    return emitOpError("expected a multiple of 4 values, at most ")
           << (n - first) / 2 << " of " << n << " columns from " << first << " on, found " << count;
  return success();
}

LogicalResult WarpgroupMmaOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyWarpgroups(*this)) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(within(*this, "steps", int32_t(getSteps()), 1, 4)) ||
      failed(verifyPart(*this, *ring, 0, 64 * kRowBytes * warpgroupsAround(*this))))
    return failure();
  return verifyPart(*this, *ring, 1, getAccumulator().getType().getN() * kRowBytes);
}

LogicalResult LoadFragmentsOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyWarpgroups(*this)) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(verifyPart(*this, *ring, 0, 64 * kRowBytes * warpgroupsAround(*this))) ||
      failed(verifyPart(*this, *ring, 1, 512)))
    return failure();
  std::optional<ElementFormat> format = elementFormatOf(getElement());
  if (format == ElementFormat::E4M3 || format == ElementFormat::E5M2) return success();
  return emitOpError("expected f8E4M3FN or f8E5M2, found ") << getElement();
}

LogicalResult FragmentMmaOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyWarpgroups(*this)) || failed(verifyStage(*this, *ring, getStage())))
    return failure();
  int64_t bytes = getAccumulator().getType().getN() * kRowBytes;
  return success(succeeded(verifyPart(*this, *ring, 0, bytes)) &&
                 succeeded(verifyPart(*this, *ring, 1, bytes)));
}

LogicalResult FinishOp::verify() {
  if (failed(ringOf(*this, getRing())) || failed(pipelineBefore(*this)) || failed(roleAround(*this)))
    return failure();
  Operation *role = (*this)->getParentOfType<RoleOp>();
  for (Operation *user : getRing().getUsers()) {
    auto use = dyn_cast<UseOp>(user);
    if (!use || use->getParentOfType<RoleOp>() != role) continue;
    FailureOr<Engine> engine = engineOf(use);
    if (succeeded(engine) && *engine == Engine::Warpgroups) return success();
  }
  return emitOpError("expected a warpgroup's product from the ring in its role, found none");
}

LogicalResult RoleBarrierOp::verify() {
  if (failed(pipelineBefore(*this))) return failure();
  auto role = cast<RoleOp>((*this)->getParentOp());
  if (role.getFirst() % kWarpgroupWarps == 0) return success();
  return emitOpError("expected a role that begins with a warpgroup, found one that begins with warp ")
         << role.getFirst();
}

//===--- Clusters and counters --------------------------------------------------------------------------===//

LogicalResult ClusterBarrierOp::verify() { return success(succeeded(pipelineBefore(*this))); }
LogicalResult ClusterLoadOp::verify() { return success(succeeded(pipelineBefore(*this))); }

static LogicalResult verifyCounter(Operation *op) {
  return success(succeeded(pipelineBefore(op)) && succeeded(roleAround(op)));
}

LogicalResult TicketOp::verify() { return verifyCounter(*this); }
LogicalResult PublishOp::verify() { return verifyCounter(*this); }

LogicalResult AwaitOp::verify() {
  if (failed(verifyCounter(*this))) return failure();
  if (getCounts().empty()) return emitOpError("expected counts, found none");
  if (int32_t(getComplete()) < 1)
    return emitOpError("complete expected at least 1, found ") << int32_t(getComplete());
  return success();
}

LogicalResult LastOfOp::verify() {
  if (failed(verifyCounter(*this))) return failure();
  if (int32_t(getCount()) < 1) return emitOpError("count expected at least 1, found ") << int32_t(getCount());
  return success();
}

LogicalResult LeaveOp::verify() {
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(pipeline) || failed(roleAround(*this))) return failure();
  return within(*this, "warps", int32_t(getWarps()), 1, pipeline->getWarps());
}
