#include "dialect/pipeline/PipelineChecks.h"

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
  if (int32_t(getAlong()) < 1) return emitOpError("along expected 1 and up, found ") << int32_t(getAlong());
  int64_t columns = 0;
  for (int32_t part : getParts()) {
    if (failed(verifyPart(*this, *ring, part))) return failure();
    int64_t bytes = ring->getParts()[part];
    if (bytes % kTileBytes) return emitOpError("expected parts of whole tiles of 512 bytes, found ") << bytes;
    if (bytes / kTileBytes % std::max(1, int32_t(getAlong())))
      return emitOpError("along expected to divide the tiles of part ")
             << part << ", " << bytes / kTileBytes << ", found " << int32_t(getAlong());
    columns += bytes / kTileBytes * kTileColumns;
  }
  if (columns > ring->getColumns())
    return emitOpError("expected ") << columns << " columns of the stage, found " << ring->getColumns();
  return success();
}

// What both kinds of products have: where they stand, their shape, and whom they add to.
template <class Op> static LogicalResult verifyShape(Op op) {
  FailureOr<RingOp> ring = ringOf(op, op.getRing()), accumulator = ringOf(op, op.getAccumulator());
  if (failed(ring) || failed(accumulator) || failed(verifyTensorCore(op)) ||
      failed(requireStep<FillOp>(op, op.getAccumulator())) || failed(verifyStage(op, *ring, op.getStage())) ||
      failed(verifyStage(op, *accumulator, op.getPlace())))
    return failure();
  const int ctas = op.getPair() ? 2 : 1;
  const int32_t m = op.getM(), n = op.getN();
  if (m != 128 * ctas) return op.emitOpError("m expected ") << 128 * ctas << ", found " << m;
  if (n < 16 * ctas || n > 256 || n % (16 * ctas))
    return op.emitOpError("n expected a multiple of ") << 16 * ctas << " up to 256, found " << n;
  return success();
}

// The operands' rows in a stage, and the accumulator's columns.
template <class Op> static LogicalResult verifyRoom(Op op) {
  RingOp ring = *ringOf(op, op.getRing()), accumulator = *ringOf(op, op.getAccumulator());
  const int ctas = op.getPair() ? 2 : 1;
  if (failed(verifyPart(op, ring, 0, int64_t(op.getM()) / ctas * kRowBytes)) ||
      failed(verifyPart(op, ring, 1, int64_t(op.getN()) / ctas * kRowBytes)))
    return failure();
  if (accumulator.getColumns() >= op.getN()) return success();
  return op.emitOpError("expected ") << int32_t(op.getN()) << " columns of the accumulator, found "
                                     << accumulator.getColumns();
}

LogicalResult BlockMmaOp::verify() {
  if (failed(verifyShape(*this))) return failure();
  RingOp ring = *ringOf(*this, getRing());
  if (failed(verifyKind(*this, getKind(), getA(), getB(), getScale()))) return failure();
  if (failed(within(*this, "scale_tiles", int32_t(getScaleTiles()), 1, int64_t(getSelectors().size()))))
    return failure();
  const int64_t count = int64_t(getSelectors().size());
  if (failed(within(*this, "first", int32_t(getFirst()), 0, kInstructions - count))) return failure();
  const int64_t k = count * getKOfInstruction();
  if (int32_t(getK()) != k)
    return emitOpError("k expected ") << k << " with " << count << " selectors, found " << int32_t(getK());
  for (int32_t selector : getSelectors())
    if (failed(within(*this, "selector", selector, 0, 3))) return failure();
  if (failed(within(*this, "scale_a", int32_t(getScaleA()), 0, int64_t(ring.getColumns()) - 1)) ||
      failed(within(*this, "scale_b", int32_t(getScaleB()), 0, int64_t(ring.getColumns()) - 1)))
    return failure();
  return verifyRoom(*this);
}

LogicalResult WideMmaOp::verify() {
  FailureOr<RingOp> scales = ringOf(*this, getScales());
  if (failed(verifyShape(*this)) || failed(scales) || failed(requireStep<UseOp>(*this, getScales())) ||
      failed(verifyStage(*this, *scales, getScaleStage())))
    return failure();
  const int32_t n = getN(), first = getFirst(), count = getCount();
  if (n != 128 && n != 192 && n != 256) return emitOpError("n expected 128, 192 or 256, found ") << n;
  if (getKind() == BlockMmaKind::Mxf8f6f4)
    return emitOpError("kind expected mxf4 or mxf4nvf4, found ") << stringifyEnum(getKind());
  const Type element = Float4E2M1FNType::get(getContext());
  if (failed(verifyKind(*this, getKind(), element, element, getScale())) ||
      failed(within(*this, "first", first, 0, kInstructions - 1)) ||
      failed(within(*this, "count", count, 1, kInstructions - first)))
    return failure();
  const int32_t last = first + count - 1, perScales = getInstructionsOfScales();
  if (first * kBytes / kRowBytes != last * kBytes / kRowBytes)
    return emitOpError("expected instructions that begin in one stage, found ") << first << " to " << last;
  if (first / perScales != last / perScales)
    return emitOpError("expected instructions with scales of one stage, ")
           << perScales << ", found " << first << " to " << last;
  const int32_t columns = kScaleTiles * 4 * (1 + int32_t(llvm::divideCeil(n, 128)));
  if (int32_t(scales->getColumns()) < columns)
    return emitOpError("expected ") << columns << " columns of scales, found "
                                    << int32_t(scales->getColumns());
  return verifyRoom(*this);
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
