#include "compiler/lowering/pipeline/Pipeline.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"

#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Tcgen05.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Wgmma.h"

using namespace mlir;

namespace mxc {

Pipeline::Pipeline(Operation *function) {
  function->walk([&](mx::PipelineOp op) { op_ = op; });
  isPair_ = op_.getPair(), isSharing_ = op_.getSharing(), splits_ = op_.getSplits();
  isWithin_ = bool(op_.getWithin());
  tensorColumns_ = op_.getTensorColumns();
  function->walk([&](mx::RoleOp role) { hasEarlyRoles_ |= role.getEarly(); });
  function->walk([&](mx::RingOp ring) {
    rings_[ring].shape = {
        ring.getName().str(),        int(ring.getStages()),  llvm::to_vector(ring.getParts()),
        int(ring.getColumns()),      int(ring.getOverlap()), ring.getOnce(),
        int64_t(ring.getAlignment())};
  });
  findEngines(function);
  layOut(function);
}

// Of all CTAs of the cluster.
int Pipeline::warpsIn(mx::RoleOp role) const {
  return role.getWarps() * (isTwo() && !role.getLeader() ? 2 : 1);
}

void Pipeline::findEngines(Operation *function) {
  auto role = [](Operation *op) { return op->getParentOfType<mx::RoleOp>(); };
  function->walk([&](mx::FillOp fill) {
    rings_[fill.getRing()].fillers[role(fill)] = *mx::engineOf(fill); // verified
    int64_t &bytes = announced_[fill];
    fill.walk([&](mx::CopyBoxOp copy) {
      if (copy.getRing() == fill.getRing())
        bytes += copy.getBytes() * (isPair_ ? 2 : 1) * (copy.getMulticast() ? 2 : 1);
    });
  });
  function->walk([&](mx::UseOp use) { rings_[use.getRing()].users[role(use)] = *mx::engineOf(use); });
  function->walk([&](mx::FullRateProductOp product) { rings_[product.getRing()].isMultiplied = true; });
  function->walk([&](mx::HandOutOp hand) {
    rings_[hand.getQueue()].fillers[role(hand)] = Engine::Copies;
    if (Value answers = hand.getAnswers()) rings_[answers].fillers[role(hand)] = Engine::Copies;
  });
  function->walk([&](mx::TilesOp tiles) {
    if (tiles.getQueue()) rings_[tiles.getQueue()].users[role(tiles)] = Engine::Threads;
  });
}

// Every role that fills a stage completes its full barrier, every one that uses it the empty one. Outside of
// roles one thread fills by copies, and nobody gives anything back.
int Pipeline::arrivals(const EnginesByRole &roles, bool full) const {
  int count = 0;
  for (auto [operation, engine] : roles) {
    auto role = cast_if_present<mx::RoleOp>(operation);
    bool isOne = engine == Engine::Copies || engine == Engine::TensorCore; // in a pair at both CTAs
    bool isEach = engine == Engine::Rows || engine == Engine::Pieces;      // threads, and no pair
    count += isOne    ? 1
             : isEach ? int(role.getWarps()) * 32
             : full   ? int(role.getWarps())
                      : warpsIn(role); // in a pair all at the leader
  }
  return count;
}

void Pipeline::layOut(Operation *function) {
  function->walk(
      [&](mx::SharedOp op) { regions_[op] = shared_.add(op.getName(), op.getBytes(), op.getAlignment()); });
  SmallVector<RingShape> shapes;
  for (auto &[value, ring] : rings_)
    shapes.push_back(ring.shape);
  SmallVector<PlacedRing> placed = placeRings(shared_, shapes);
  for (auto [entry, of] : llvm::zip(rings_, placed)) {
    RingPlace &ring = entry.second;
    ring.layout = of.layout, ring.parts = of.parts;
    ring.layout.fillArrivals = arrivals(ring.fillers, /*full=*/true);
    if (!ring.shape.once) ring.layout.emptyArrivals = arrivals(ring.users, /*full=*/false);
  }
  // Accumulators first, at multiples of 32 columns, scales behind them: so do all kernels that are known to
  // run.
  int column = 0;
  for (bool isInShared : {false, true})
    for (auto &[value, ring] : rings_)
      if (ring.shape.parts.empty() != isInShared) {
        ring.column = column;
        column += ring.shape.allColumns();
      }
  if (tensorColumns_) addressSlot_ = placeTensorAddress(shared_);
}

LogicalResult Pipeline::requireMemory() {
  auto memory = isWithin() ? op_.getWithin().getDefiningOp<mx::SharedMemoryOp>() : nullptr;
  if (!memory || (int64_t(memory.getBytes()) >= shared_.bytes() &&
                  int64_t(memory.getAlignment()) >= shared_.alignment()))
    return success();
  return op_.emitOpError("expected ")
         << shared_.bytes() << " bytes of shared memory at a multiple of " << shared_.alignment()
         << " for its rings, found " << int64_t(memory.getBytes()) << " at one of "
         << int64_t(memory.getAlignment());
}

void electOne(const ValueBuilder &v, function_ref<void()> body) { ifThen(v, nvvm::electLane(v), body); }

void Pipeline::initBarriers(const ValueBuilder &v) {
  for (auto &[value, place] : rings_)
    ring(value).init(v);
  nvvm::fenceMbarrierInit(v);
}

// Warpgroups that get the same branch together: the assembler wants to see that no other one comes by the
// instruction.
void Pipeline::setRegisters(Operation *function) {
  ArrayRef<int32_t> registers = op_.getRegisters();
  constexpr int kRegisterFile = 65536;
  int atLaunch = kRegisterFile / (op_.getWarps() * 32) / 8 * 8;
  for (int first = 0, end; first < int(registers.size()); first = end) {
    end = first + 1;
    while (end < int(registers.size()) && registers[end] == registers[first])
      ++end;
    SmallVector<mx::RoleOp> roles;
    function->walk([&](mx::RoleOp role) {
      if (role.getFirst() / 4 >= unsigned(first) && role.getFirst() / 4 < unsigned(end))
        roles.push_back(role);
    });
    if (roles.empty()) continue; // nothing for them to do
    OpBuilder builder(roles.back());
    ValueBuilder v{builder, op_.getLoc()};
    Value index = v.sub(warp_, v.i32(4 * first));
    ifThen(v, v.cmp(ValueBuilder::Predicate::ult, index, v.i32(4 * (end - first))), [&] {
      nvvm::setRegisters(v, registers[first], registers[first] > atLaunch);
      Operation *last = builder.getInsertionBlock()->getTerminator();
      for (mx::RoleOp role : roles)
        role->moveBefore(last);
    });
  }
}

// The wait for earlier grids in front of `op`, beside it or around it; null: none.
static Operation *waitBefore(Operation *op) {
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (auto control = dyn_cast<NVVM::GriddepcontrolOp>(before))
        if (control.getKind() == NVVM::GridDepActionKind::wait) return before;
  return nullptr;
}

// Copies outside of roles are under way before all threads meet. What they take that no earlier grid gives is
// there before the wait for it.
void Pipeline::beginWithin(const ValueBuilder &v) {
  Value thread = nvvm::threadIdX(v);
  warp_ = v.shru(thread, 5);
  lane_ = v.bitAnd(thread, 31);
  sharedBase_ = op_.getWithin();
  SmallVector<mx::FillOp> fills(op_->getBlock()->getOps<mx::FillOp>());
  Operation *meeting =
      &*llvm::find_if(*op_->getBlock(), [](Operation &op) { return isa<mx::RoleOp, mx::UseOp>(op); });
  OpBuilder start = fills.empty() ? v.b : OpBuilder(fills.back()); // all that they take is there
  auto byFirst = [&](OpBuilder at, function_ref<void(const ValueBuilder &)> body, bool isAgain = false) {
    ValueBuilder first{at, v.loc};
    Value number = nvvm::threadIdX(first);
    if (isAgain) number = nvvm::opaque(first, number);
    ifThen(first, first.equal(number, first.i32(0)), [&] { body(first); });
  };
  auto copy = [&](const ValueBuilder &first) {
    for (mx::FillOp fill : fills)
      fill->moveBefore(first.b.getInsertionBlock()->getTerminator());
  };
  if (Operation *wait = waitBefore(op_)) {
    if (Operation *memory = sharedBase_.getDefiningOp()) memory->moveBefore(wait);
    byFirst(OpBuilder(wait), [&](const ValueBuilder &first) {
      initBarriers(first);
      for (mx::FillOp fill : fills)
        fill->walk([&](mx::CopyBoxOp box) {
          if (isa<BlockArgument>(box.getMap())) nvvm::prefetchMap(first, box.getMap());
        });
    });
    // Where LLVM knows both branches for one, it puts a wait into either side of it, and the first thread's
    // might be behind none.
    if (!fills.empty()) byFirst(start, copy, /*isAgain=*/true);
  } else {
    byFirst(start, [&](const ValueBuilder &first) {
      initBarriers(first);
      copy(first);
    });
  }
  OpBuilder meet(meeting);
  nvvm::syncThreads({meet, v.loc}); // nobody meets a barrier that is not initialized
}

void Pipeline::begin(OpBuilder &builder, Location loc) {
  ValueBuilder v{builder, loc};
  if (isWithin()) return beginWithin(v);
  nvvm::launchDependents(v);
  Value thread = nvvm::threadIdX(v);
  warp_ = nvvm::uniform(v, v.shru(thread, 5));
  lane_ = v.bitAnd(thread, 31);
  sharedBase_ =
      nvvm::pointerTo(v, nvvm::opaqueAddress(v, nvvm::dynamicShared(v, op_, shared_.alignment())), 3);
  sharedUnits_ = v.shru(v.bitAnd(nvvm::addressOf(v, sharedBase_), 0x3FFFF), 4);
  if (isCluster()) rank_ = nvvm::clusterRank(v);
  if (isPair_) leaderBase_ = nvvm::inPairLeader(v, sharedBase_);
  ifThen(v, v.equal(warp_, v.i32(0)), [&] { electOne(v, [&] { initBarriers(v); }); });
  if (tensorColumns_)
    ifThen(v, v.equal(warp_, v.i32(op_.getAllocatingWarp())),
           [&] { nvvm::tensorAlloc(v, shared(v, addressSlot_), tensorColumns_, isPair_); });
  isCluster() ? nvvm::syncCluster(v) : nvvm::syncThreads(v);
  if (tensorColumns_) tensorBase_ = nvvm::load(v, v.b.getI32Type(), shared(v, addressSlot_), 4);
  if (!hasEarlyRoles_) nvvm::waitForPrerequisites(v);
}

// No tcgen05 fences at either end but one: allocation is synchronous, and every use of what it gave stands
// behind a wait's own fence. Who reads has a fence in front of its release; of accumulators that overlap the
// last columns are read behind that.
void Pipeline::end(OpBuilder &builder, Location loc) {
  ValueBuilder v{builder, loc};
  if (llvm::any_of(rings_, [](const auto &entry) { return entry.second.shape.overlap > 0; }))
    nvvm::tensorFenceBefore(v);
  isCluster() ? nvvm::syncCluster(v) : nvvm::syncThreads(v);
  if (!tensorColumns_) return;
  ifThen(v, v.equal(warp_, v.i32(op_.getAllocatingWarp())),
         [&] { nvvm::tensorDealloc(v, tensorBase_, tensorColumns_, isPair_); });
}

Value Pipeline::shared(const ValueBuilder &v, int64_t offset) const {
  return nvvm::offsetBytes(v, sharedBase_, v.i64(offset));
}

Value Pipeline::part(const ValueBuilder &v, Value ring, int part, Value stage) const {
  return this->ring(ring).stageAddress(v, {stage, Value()}, place(ring).parts[part]);
}

Value Pipeline::units(const ValueBuilder &v, Value ring, int part, Value stage) const {
  const RingPlace &at = place(ring);
  return v.add(v.add(sharedUnits_, (at.layout.memory + at.parts[part]) / 16),
               v.mul(stage, at.layout.stageBytes / 16));
}

// The low word alone depends on the stage: addresses of 18 bits never carry out of it.
Value Pipeline::descriptor(const ValueBuilder &v, Value ring, int part, Value stage, int64_t fields) const {
  const RingPlace &at = place(ring);
  int64_t first = fields + (at.layout.memory + at.parts[part]) / 16;
  Value low = v.add(v.add(sharedUnits_, first & 0xFFFFFFFF), v.mul(stage, at.layout.stageBytes / 16));
  return nvvm::packWords(v, low, v.i32(first >> 32));
}

Value Pipeline::column(const ValueBuilder &v, Value ring, Value stage) const {
  const RingPlace &at = place(ring);
  return v.add(v.add(tensorBase_, at.column), v.mul(stage, at.shape.columnPitch()));
}

} // namespace mxc
