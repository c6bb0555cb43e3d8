#include "dialect/pipeline/PipelineChecks.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

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

static bool isFp8(Type element) {
  std::optional<ElementFormat> format = elementFormatOf(element);
  return format == ElementFormat::E4M3 || format == ElementFormat::E5M2;
}

LogicalResult FullRateProductOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyWarpgroups(*this)) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(within(*this, "half", int32_t(getHalf()), 0, 1)) ||
      failed(within(*this, "blocks", int32_t(getBlocks()), 1, 8)) ||
      failed(verifyPart(*this, *ring, 1, getResult().getType().getN() * kRowBytes)))
    return failure();
  const int64_t blocks = int32_t(getBlocks()), a = ring->getParts()[0], b = ring->getParts()[1];
  const int64_t read = (128 * int32_t(getHalf()) + 64 * warpgroupsAround(*this)) * kRowBytes;
  if (getResult().getType().getN() % (8 * blocks))
    return emitOpError("expected ") << blocks << " products of a multiple of 8 columns, found "
                                    << getResult().getType();
  if (a % (8 * blocks * kRowBytes))
    return emitOpError("expected multiples of 8 rows of 128 bytes in ")
           << blocks << " blocks of part 0, found " << a << " bytes";
  if (const int64_t needed = a / blocks * (blocks - 1) + read; needed > a + b)
    return emitOpError("expected at least ") << needed << " bytes in parts 0 and 1, found " << a + b;
  for (Type element : {getElementA(), getElementB()})
    if (!isFp8(element)) return emitOpError("expected f8E4M3FN or f8E5M2, found ") << element;
  return success();
}

LogicalResult AccumulatorBlockOp::verify() {
  const int64_t n = getResult().getType().getN(), all = getAccumulator().getType().getN();
  if (all % n) return emitOpError("expected an accumulator of several of ") << n << " columns, found " << all;
  return within(*this, "block", int32_t(getBlock()), 0, all / n - 1);
}

LogicalResult PromoteOp::verify() {
  const int64_t elements = getAccumulator().getType().getN() / 2;
  if (cast<VectorType>(getScales().getType()).getNumElements() == elements) return success();
  return emitOpError("expected ") << elements << " scales, found " << getScales().getType();
}

LogicalResult LoadFragmentsOp::verify() {
  const bool isFour = elementFormatOf(getElement()) == ElementFormat::E2M1;
  if (!isFour && !isFp8(getElement()))
    return emitOpError("expected f8E4M3FN, f8E5M2 or f4E2M1FN, found ") << getElement();
  if (std::optional<Type> scale = getScale(); scale && !isa<Float8E8M0FNUType>(*scale))
    if (!isFour || !isa<Float8E4M3FNType>(*scale))
      return emitOpError("expected scales of f8E8M0FNU, or of f8E4M3FN for f4E2M1FN, found ") << *scale;
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyWarpgroups(*this)) || failed(verifyStage(*this, *ring, getStage())) ||
      failed(within(*this, "half", int32_t(getHalf()), 0, 1)) ||
      failed(verifyPart(*this, *ring, 0, 64 * storageBytes(getElement(), 128) * warpgroupsAround(*this))))
    return failure();
  const int64_t warpgroups = warpgroupsAround(*this),
                tile = 512 * scaleTiles() * (getApart() ? warpgroups : 1);
  return verifyPart(*this, *ring, 1, tile);
}

LogicalResult FragmentMmaOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyWarpgroups(*this)) || failed(verifyStage(*this, *ring, getStage())))
    return failure();
  return verifyPart(*this, *ring, int32_t(getPart()), getAccumulator().getType().getN() * kRowBytes);
}

LogicalResult FinishOp::verify() {
  if (failed(ringOf(*this, getRing())) || failed(pipelineBefore(*this)) || failed(roleAround(*this)))
    return failure();
  Operation *role = (*this)->getParentOfType<RoleOp>();
  for (Operation *user : getRing().getUsers()) {
    auto use = dyn_cast<UseOp>(user);
    if (!use || use->getParentOfType<RoleOp>() != role) continue;
    if (!use.getBody().getOps<FullRateProductOp>().empty()) {
      if (getLast()) return success();
      return emitOpError("expected `last` after mx.full_rate_product, whose stage the use gives back");
    }
    FailureOr<Engine> engine = engineOf(use);
    if (succeeded(engine) && *engine == Engine::Warpgroups) return success();
  }
  return emitOpError("expected a warpgroup's product from the ring in its role, found none");
}
