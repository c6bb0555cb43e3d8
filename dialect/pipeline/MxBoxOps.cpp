#include "dialect/pipeline/PipelineChecks.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

static constexpr int kMaxBoxRank = 5;

// The step that fills `ring`, directly around the operation.
static LogicalResult fillAround(Operation *op, Value ring) {
  auto fill = dyn_cast<FillOp>(op->getParentOp());
  if (fill && fill.getRing() == ring) return success();
  return op->emitOpError("expected mx.fill of the ring directly around it, found ")
         << op->getParentOp()->getName();
}

LogicalResult CopyBoxOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  FailureOr<PipelineOp> pipeline = pipelineBefore(*this);
  if (failed(ring) || failed(pipeline)) return failure();
  if (failed(fillAround(*this, getRing()))) return failure(); // its bytes are announced once a stage
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

LogicalResult CopyPiecesOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this))) return failure();
  if (failed(fillAround(*this, getRing()))) return failure(); // its arrival is the step's
  FailureOr<RoleOp> role = roleAround(*this);
  if (failed(role)) return failure();
  if (role->getWarps() != 1) return emitOpError("expected a role of one warp, found ") << role->getWarps();
  const int32_t count = getCount(), bytes = getBytes();
  if (count < 1) return emitOpError("count expected at least 1, found ") << count;
  if (bytes != 4 && bytes != 16) return emitOpError("bytes expected 4 or 16, found ") << bytes;
  const size_t each = llvm::divideCeil(count, 32);
  if (getSources().size() != each || getPlaces().size() != each || getThere().size() != each)
    return emitOpError("expected ") << each << " sources, places and conditions a lane, found "
                                    << getSources().size() << ", " << getPlaces().size() << " and "
                                    << getThere().size();
  if (failed(verifyStage(*this, *ring, getStage()))) return failure();
  return verifyPart(*this, *ring, getPart(), int64_t(count) * bytes);
}

LogicalResult CopyRowOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getRing());
  if (failed(ring) || failed(pipelineBefore(*this))) return failure();
  if (failed(fillAround(*this, getRing()))) return failure(); // its bytes are announced once a stage
  FailureOr<RoleOp> role = roleAround(*this);
  if (failed(role)) return failure();
  if (!ring->getOnce())
    return emitOpError("expected a ring that is filled once, found ") << ring->getNameAttr();
  int64_t bytes = getRowBytes();
  if (bytes < 16 || !llvm::isPowerOf2_64(bytes))
    return emitOpError("row_bytes expected a power of two from 16 on, found ") << bytes;
  if (failed(verifyStage(*this, *ring, getStage()))) return failure();
  return verifyPart(*this, *ring, getPart(), 32 * int64_t(role->getWarps()) * bytes);
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
    int64_t its = storageBytes(vector.getElementType(), vector.getNumElements());
    if (getFragments() ? its != 4 && its != 8 : its != 16)
      return emitOpError("expected vectors of ")
             << (getFragments() ? "4 or 8" : "16") << " bytes, found " << its;
    bytes += getFragments() ? 2 * its : its; // of a row: four lanes have one, in two vectors
  }
  if (getFragments() && getRows().size() % 2)
    return emitOpError("expected fragments of two rows in turn, found ") << getRows().size();
  if (bytes > kRowBytes) return emitOpError("expected at most 128 bytes a row, found ") << bytes;
  if (!getTransposed()) return success();
  if (!getFragments()) return emitOpError("transposed expected fragments");
  if (getRows().size() % 4) // matrices leave by fours
    return emitOpError("expected fragments of 16 columns at a time, found ") << getRows().size() / 2 * 8;
  return success();
}

LogicalResult DrainStoresOp::verify() {
  return success(succeeded(pipelineBefore(*this)) && succeeded(roleAround(*this)));
}
