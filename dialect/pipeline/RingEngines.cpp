// Who completes the barriers of a ring: what the bodies of its steps do with it.
#include "dialect/pipeline/MxPipelineOps.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

static std::optional<Engine> fillsBy(Operation *op, Value ring) {
  if (auto copy = dyn_cast<CopyBoxOp>(op); copy && copy.getRing() == ring) return Engine::Copies;
  if (auto pieces = dyn_cast<CopyPiecesOp>(op); pieces && pieces.getRing() == ring) return Engine::Pieces;
  if (auto row = dyn_cast<CopyRowOp>(op); row && row.getRing() == ring) return Engine::Rows;
  if (auto mma = dyn_cast<BlockMmaOp>(op); mma && mma.getAccumulator() == ring) return Engine::TensorCore;
  if (auto mma = dyn_cast<WideMmaOp>(op); mma && mma.getAccumulator() == ring) return Engine::TensorCore;
  if (auto address = dyn_cast<StageAddressOp>(op); address && address.getRing() == ring)
    return Engine::Threads;
  return std::nullopt;
}

static std::optional<Engine> usesBy(Operation *op, Value ring) {
  auto reads = [&](auto reader) { return reader && reader.getRing() == ring; };
  if (reads(dyn_cast<CopyScalesOp>(op)) || reads(dyn_cast<BlockMmaOp>(op)) || reads(dyn_cast<WideMmaOp>(op)))
    return Engine::TensorCore;
  if (reads(dyn_cast<WarpgroupMmaOp>(op)) || reads(dyn_cast<FragmentMmaOp>(op))) return Engine::Warpgroups;
  if (reads(dyn_cast<StageAddressOp>(op)) || reads(dyn_cast<LoadFragmentsOp>(op)) ||
      reads(dyn_cast<FullRateProductOp>(op)) || reads(dyn_cast<ReadAccumulatorOp>(op)) ||
      reads(dyn_cast<WarpMmaOp>(op)))
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
