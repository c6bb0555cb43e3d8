// mx.fill and mx.use: whose turn it is is asked of the stage's barriers, by parity; stage and phase of a role
// are two variables that LLVM turns into registers.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Tcgen05.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace mxc {

static constexpr StringRef kReleasesItself = "mx.released"; // on a use whose body did it
static constexpr StringRef kAsksAhead = "mx.ahead";         // and asked for the next stage
static constexpr StringRef kHasInner = "mx.inner";          // on a use with another one of its ring inside

namespace {

// Where a role is in a ring: the stage, and the parity of the phase that a user waits for.
class Position {
public:
  Position(Operation *step, Value ring, Pipeline &pipeline) : place_(pipeline.place(ring)) {
    if (place_.shape.once) return; // always at the beginning
    StringRef kind = isa<mx::FillOp>(step) ? "fill" : "use";
    auto role = step->getParentOfType<mx::RoleOp>();
    Operation *function = role->getParentOfType<FunctionOpInterface>();
    auto key =
        StringAttr::get(step->getContext(), kind + " " + place_.shape.name + " " + role.getName() + " ");
    stage_ = variable(function, key, "stage", step->getLoc());
    if (place_.users.contains(role) && place_.user(step) == Engine::Warpgroups)
      kept_ = variable(function, key, "kept", step->getLoc());
    phase_ = variable(function, key, "phase", step->getLoc());
    bool asks = false; // mx.release ahead
    step->walk([&](mx::ReleaseOp release) { asks |= release.getRing() == ring && release.getAhead(); });
    if (asks || step->hasAttr(kAsksAhead)) ready_ = variable(function, key, "ready", step->getLoc());
  }

  RingPosition now(const ValueBuilder &v) const {
    if (place_.shape.once) return {v.i32(0), v.i32(0)};
    Type i32 = v.b.getI32Type();
    Value stage = place_.layout.stages == 1 ? v.i32(0) : nvvm::load(v, i32, stage_, 4);
    return {stage, nvvm::load(v, i32, phase_, 4)};
  }

  void advance(const ValueBuilder &v, const Ring &ring) const {
    if (place_.shape.once) return;
    RingPosition next = ring.next(v, now(v));
    nvvm::store(v, next.phase, phase_, 4);
    if (place_.layout.stages > 1) nvvm::store(v, next.stage, stage_, 4);
  }

  // The stage that is being read although it was used, plus 1; 0: none.
  bool keeps() const { return bool(kept_); }
  Value kept(const ValueBuilder &v) const { return nvvm::load(v, v.b.getI32Type(), kept_, 4); }
  void keep(const ValueBuilder &v, Value stagePlusOne) const { nvvm::store(v, stagePlusOne, kept_, 4); }

  // Whether the answer of a step before was that this stage is full (i1); null where none asks.
  Value ready(const ValueBuilder &v) const {
    if (!ready_) return {};
    return v.cmp(ValueBuilder::Predicate::ne, nvvm::load(v, v.b.getI32Type(), ready_, 4), v.i32(0));
  }
  void askAhead(const ValueBuilder &v, const Ring &ring) const {
    Value isFull = ring.isFull(v, ring.next(v, now(v)));
    nvvm::store(v, arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), isFull), ready_, 4);
  }

private:
  // One variable a role, ring and direction, at the function's beginning: later steps find it by its name.
  static Value variable(Operation *function, StringAttr key, StringRef name, Location loc) {
    Block &entry = function->getRegion(0).front();
    for (Operation &op : entry)
      if (op.getAttr("mx.variable") == StringAttr::get(key.getContext(), key.getValue() + name))
        return op.getResult(0);
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    ValueBuilder v{builder, loc};
    Value pointer = nvvm::variable(v, v.b.getI32Type());
    pointer.getDefiningOp()->setAttr("mx.variable", StringAttr::get(key.getContext(), key.getValue() + name));
    nvvm::store(v, v.i32(0), pointer, 4);
    return pointer;
  }

  const RingPlace &place_;
  Value stage_, phase_, kept_, ready_;
};

} // namespace

// The body knows its place: the stage, or which of two overlapping accumulators.
static Value placeOf(const RingPlace &ring, RingPosition at) {
  return ring.shape.overlap ? at.phase : at.stage;
}

// Before the role ends what it has filled has been used: no commit is under way to a barrier of a CTA that is
// gone.
static void drain(mx::FillOp op, const Position &position, Pipeline &pipeline) {
  OpBuilder builder(op->getParentOfType<mx::RoleOp>().getBody().front().getTerminator());
  ValueBuilder v{builder, op.getLoc()};
  Ring ring = pipeline.ring(op.getRing());
  for (int stage = 0; stage < pipeline.place(op.getRing()).layout.stages; ++stage) {
    ring.waitEmpty(v, position.now(v));
    position.advance(v, ring);
  }
}

// Whether this lane announces bytes: one of the warp, in a pair the leader's. Known from the role's beginning
// on.
static Value announcer(mx::FillOp op, Pipeline &pipeline) {
  OpBuilder builder = OpBuilder::atBlockBegin(&op->getParentOfType<mx::RoleOp>().getBody().front());
  ValueBuilder v{builder, op.getLoc()};
  Value elected = nvvm::electLane(v);
  if (!pipeline.isPair()) return elected;
  return v.bitAnd(elected, v.equal(v.bitAnd(pipeline.rank(), 1), v.i32(0)));
}

static void lowerFill(mx::FillOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Position position(op, op.getRing(), pipeline);
  const RingPlace &place = pipeline.place(op.getRing());
  Ring ring = pipeline.ring(op.getRing());
  RingPosition at = position.now(v);
  if (!place.shape.once) ring.waitEmpty(v, at); // what the tensor core fills it with is used after a fence
  Engine engine = place.filler(op);
  auto announce = [&] { ring.announce(v, at, pipeline.announcedBytes(op)); };
  if (engine == Engine::Copies)
    op->getParentOfType<mx::RoleOp>() ? ifThen(v, announcer(op, pipeline), announce) : announce();
  SmallVector<mx::CopyRowOp> rows(op.getBody().getOps<mx::CopyRowOp>());
  inlineBody(op, op.getBody(), placeOf(place, at));
  Value full = ring.fullBarrier(v, at);
  if (engine == Engine::TensorCore) electOne(v, [&] { nvvm::tensorCommit(v, full, pipeline.isPair()); });
  if (engine == Engine::Pieces) nvvm::arriveWhenCopied(v, full);
  if (engine == Engine::Rows) lowerRowCopies(v, rows, full, pipeline);
  if (engine == Engine::Threads) {
    nvvm::fenceProxyAsync(v);
    nvvm::syncWarp(v);
    electOne(v, [&] { nvvm::arrive(v, full); });
  }
  position.advance(v, ring);
  if (llvm::any_of(place.users, [](auto &user) { return user.second == Engine::TensorCore; }))
    drain(op, position, pipeline);
  op.erase();
}

void giveBack(const ValueBuilder &v, Value ring, Value stage, Engine engine, Pipeline &pipeline) {
  const RingPlace &place = pipeline.place(ring);
  bool isRemote = pipeline.isPair() && engine != Engine::TensorCore;
  Ring of = isRemote ? pipeline.leaderRing(ring) : pipeline.ring(ring);
  Value empty = of.emptyBarrier(v, {stage, Value()});
  if (pipeline.isSharing()) { // a lane a CTA; each lane has waited for its warp's products itself
    if (engine != Engine::Warpgroups) nvvm::syncWarp(v);
    return ifThen(v, v.cmp(ValueBuilder::Predicate::ult, pipeline.lane(), v.i32(2)),
                  [&] { nvvm::arriveInCta(v, empty, pipeline.lane()); });
  }
  if (engine == Engine::TensorCore)
    return electOne(v, [&] { nvvm::tensorCommit(v, empty, pipeline.isPair()); });
  if (place.shape.columns) nvvm::tensorFenceBefore(v); // mx.read_accumulator has waited for its loads
  nvvm::syncWarp(v);
  electOne(v, [&] { isRemote ? nvvm::arriveRemote(v, nvvm::inCluster(v, empty)) : nvvm::arrive(v, empty); });
}

static void giveBackKept(const ValueBuilder &v, Value ring, const Position &position, Pipeline &pipeline) {
  Value kept = position.kept(v);
  ifThen(v, v.cmp(ValueBuilder::Predicate::ne, kept, v.i32(0)),
         [&] { giveBack(v, ring, v.sub(kept, v.i32(1)), Engine::Warpgroups, pipeline); });
}

// A use of tensor memory or by the tensor core has a fence after its wait, which is the one after the wait
// for an accumulator, too. One by the tensor core inside of another waits for no more than copies, where
// nothing of its stage lies in tensor memory.
static bool needsFence(mx::UseOp op, Engine engine, const Pipeline &pipeline) {
  const RingPlace &place = pipeline.place(op.getRing());
  if (place.shape.columns || engine != Engine::TensorCore) return place.shape.columns;
  const bool isCopied =
      llvm::all_of(place.fillers, [](auto &filler) { return filler.second == Engine::Copies; });
  auto outer = op->getParentOfType<mx::UseOp>();
  return !isCopied || !outer || pipeline.place(outer.getRing()).user(outer) != Engine::TensorCore;
}

// Whether warpgroups' products read what threads' copies have written.
static bool readsPieces(const RingPlace &place) {
  return place.isMultiplied &&
         llvm::any_of(place.fillers, [](auto &filler) { return filler.second == Engine::Pieces; });
}

static void lowerUse(mx::UseOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Position position(op, op.getRing(), pipeline);
  const RingPlace &place = pipeline.place(op.getRing());
  Ring ring = pipeline.ring(op.getRing());
  RingPosition at = position.now(v);
  if (Value ready = position.ready(v))
    ifThen(v, v.equal(ready, v.i1(false)), [&] { ring.waitFull(v, at); });
  else
    ring.waitFull(v, at);
  Engine engine = place.user(op);
  if (needsFence(op, engine, pipeline)) nvvm::tensorFenceAfter(v);
  if (readsPieces(place)) nvvm::fenceProxyAsync(v);
  bool releases = op->hasAttr(kReleasesItself), hasInner = op->hasAttr(kHasInner);
  for (auto outer = op->getParentOfType<mx::UseOp>(); outer; outer = outer->getParentOfType<mx::UseOp>())
    if (outer.getRing() == op.getRing()) outer->setAttr(kHasInner, builder.getUnitAttr());
  if (hasInner) position.advance(v, ring); // its stage is the one after this
  SmallVector<Value> results = inlineBody(op, op.getBody(), placeOf(place, at));
  if (engine == Engine::Warpgroups) { // they read this stage, and are done with the one before
    nvvm::waitWarpgroup(v, 1);
    giveBackKept(v, op.getRing(), position, pipeline);
    position.keep(v, v.add(at.stage, 1));
  } else if (!releases && !place.shape.once) {
    giveBack(v, op.getRing(), at.stage, engine, pipeline);
  }
  if (!hasInner) position.advance(v, ring);
  op.replaceAllUsesWith(results);
  op.erase();
}

static void lowerFinish(mx::FinishOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Position position(op, op.getRing(), pipeline);
  Value product = op->getOperand(1); // registers by now
  Value result =
      position.keeps() ? nvvm::finishWarpgroup(v, product) : nvvm::awaitFullRateProduct(v, product);
  if (Attribute idle = op->getAttr(steps::kIsIdle)) result.getDefiningOp()->setAttr(steps::kIsIdle, idle);
  if (!op.getLast()) giveBackKept(v, op.getRing(), position, pipeline);
  if (position.keeps()) position.keep(v, v.i32(0));
  op->replaceAllUsesWith(ValueRange{result});
  op.erase();
}

// The use around it is not lowered yet: its argument is the stage, unless the ring hands over one at a time.
static void lowerRelease(mx::ReleaseOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  mx::UseOp use = op.getUse();
  Value stage =
      pipeline.place(op.getRing()).layout.stages == 1 ? v.i32(0) : Value(use.getBody().getArgument(0));
  giveBack(v, op.getRing(), stage, pipeline.place(op.getRing()).user(op), pipeline);
  use->setAttr(kReleasesItself, builder.getUnitAttr());
  if (op.getAhead()) {
    Position(use, op.getRing(), pipeline).askAhead(v, pipeline.ring(op.getRing()));
    use->setAttr(kAsksAhead, builder.getUnitAttr());
  }
  op.erase();
}

void populateRingLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerFill);
  lowerings.add(lowerUse);
  lowerings.add(lowerRelease);
  lowerings.add(lowerFinish);
}

} // namespace mxc
