#include "dialect/PipelineChecks.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

template <class Op> static LogicalResult verifyTensorCore(Op op) {
  FailureOr<PipelineOp> pipeline = pipelineBefore(op);
  if (failed(pipeline) || failed(roleAround(op))) return failure();
  if (op.getPair() != pipeline->getPair())
    return op.emitOpError("expected pair as its pipeline says, found it ")
           << (op.getPair() ? "here" : "there") << " alone";
  if (pipeline->getSharing()) return op.emitOpError("expected CTAs that do not share stages, found sharing");
  return requireStep<UseOp>(op, op.getRing());
}

bool mx::isPadded(BlockMmaKind kind, ElementFormat element) {
  return kind == BlockMmaKind::Mxf8f6f4 && info(element).bits() < 8;
}

LogicalResult mx::verifyKind(Operation *op, BlockMmaKind kind, Type a, Type b, Type scale) {
  for (Type element : {a, b})
    if (!elementFormatOf(element)) return op->emitOpError("expected an element format, found ") << element;
  const bool isFour = kind != BlockMmaKind::Mxf8f6f4;
  for (Type element : {a, b})
    if (isFour && elementFormatOf(element) != ElementFormat::E2M1)
      return op->emitOpError("expected f4E2M1FN of kind ") << stringifyEnum(kind) << ", found " << element;
  const ScaleFormat expected = kind == BlockMmaKind::Mxf4nvf4 ? ScaleFormat::UE4M3 : ScaleFormat::UE8M0;
  if (scaleFormatOf(scale) == expected) return success();
  return op->emitOpError("scale expected ") << StringRef(info(expected).mlirType) << ", found " << scale;
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
  if (failed(verifyKind(*this, getKind(), getA(), getB(), getScale()))) return failure();
  if (failed(within(*this, "scale_tiles", int32_t(getScaleTiles()), 1, int64_t(getSelectors().size()))))
    return failure();
  const int64_t k = int64_t(getSelectors().size()) * getKOfInstruction();
  if (int32_t(getK()) != k)
    return emitOpError("k expected ")
           << k << " with " << getSelectors().size() << " selectors, found " << int32_t(getK());
  for (int32_t selector : getSelectors())
    if (failed(within(*this, "selector", selector, 0, 3))) return failure();
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
