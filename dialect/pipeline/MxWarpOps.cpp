#include "dialect/pipeline/PipelineChecks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

LogicalResult WarpMmaOp::verify() {
  constexpr int64_t kTileBytes = 512, kTileRows = 128, kPairRows = 32;
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(requireStep<UseOp>(*this, getRing())) ||
      failed(verifyStage(*this, *ring, getStage())) ||
      failed(verifyKind(*this, getKind(), getA(), getB(), getScale())))
    return failure();
  FailureOr<RoleOp> role = roleAround(*this);
  if (failed(role)) return failure();
  const int64_t count = int64_t(getSelectors().size()), parts = int32_t(getParts());
  if (failed(within(*this, "selectors", count, 1, kInstructions)) ||
      failed(within(*this, "first", int32_t(getFirst()), 0, kInstructions - count)) ||
      failed(within(*this, "parts", parts, 1, 2)))
    return failure();
  for (int32_t selector : getSelectors())
    if (failed(within(*this, "selector", selector, 0, 3))) return failure();
  if (role->getWarps() % 2)
    return emitOpError("expected an even number of warps, found ") << role->getWarps();
  if (failed(within(*this, "accumulators", int64_t(getAccumulators().size()), 1, 4))) return failure();
  if (!llvm::all_equal(getAccumulators().getTypes())) return emitOpError("expected accumulators of one type");
  const int64_t tiles = int32_t(getScaleTiles()), rows = kPairRows * int64_t(getAccumulators().size()),
                ofWarp = cast<AccumulatorType>(getAccumulators().front().getType()).getN(),
                n = ofWarp * role->getWarps() / 2;
  if (failed(within(*this, "scale_tiles", tiles, 1, int64_t(getSelectors().size())))) return failure();
  if (ofWarp % (32 * parts))
    return emitOpError("expected an accumulator of a multiple of ")
           << 32 * parts << " columns, found " << ofWarp;
  auto scaleBytes = [&](int64_t rows) {
    return tiles * kTileBytes * int64_t(llvm::divideCeil(rows, kTileRows));
  };
  if (failed(verifyPart(*this, *ring, 0, rows * kRowBytes)) ||
      failed(verifyPart(*this, *ring, 1, n * kRowBytes)) ||
      failed(verifyPart(*this, *ring, 2, scaleBytes(rows))))
    return failure();
  return verifyPart(*this, *ring, 3, parts * scaleBytes(n / parts));
}
