// What the types of kernel-level operands say: formats, layouts, shapes that must agree.
#include "dialect/MxOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mxc::mx;

std::optional<mxc::ElementFormat> mxc::mx::elementFormatOf(Type type) {
  if (isa<Float8E4M3FNType>(type)) return ElementFormat::E4M3;
  if (isa<Float8E5M2Type>(type)) return ElementFormat::E5M2;
  if (isa<Float6E3M2FNType>(type)) return ElementFormat::E3M2;
  if (isa<Float6E2M3FNType>(type)) return ElementFormat::E2M3;
  if (isa<Float4E2M1FNType>(type)) return ElementFormat::E2M1;
  return std::nullopt;
}

std::optional<mxc::ScaleFormat> mxc::mx::scaleFormatOf(Type type) {
  if (isa<Float8E8M0FNUType>(type)) return ScaleFormat::UE8M0;
  if (isa<Float8E4M3FNType>(type)) return ScaleFormat::UE4M3;
  if (type.isF32()) return ScaleFormat::F32;
  return std::nullopt;
}

std::optional<mxc::BlockFormat> mxc::mx::blockFormatOf(Type data, Type scales) {
  auto element = elementFormatOf(getElementTypeOrSelf(data));
  auto scale = scaleFormatOf(getElementTypeOrSelf(scales));
  return element && scale ? mxc::blockFormatOf(*element, *scale) : std::nullopt;
}

int64_t mxc::mx::storageBytes(Type element, int64_t count) {
  return mxc::storageBytes(element.getIntOrFloatBitWidth(), count);
}

std::optional<mxc::ScaleLayout> mxc::mx::scaleLayoutOf(MemRefType type) {
  if (auto layout = dyn_cast<ScaleLayoutAttr>(type.getLayout())) return ScaleLayout(layout.getKind());
  if (isa<AffineMapAttr>(type.getLayout()) && type.getLayout().isIdentity()) return ScaleLayout::Dense;
  return std::nullopt;
}

static bool agree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

LogicalResult mxc::mx::verifySameShape(Operation *op, StringRef constraint, MemRefType a, StringRef aName,
                                       MemRefType b, StringRef bName) {
  for (unsigned dim : {0, 1})
    if (!agree(a.getDimSize(dim), b.getDimSize(dim)))
      return op->emitOpError() << bName << " must have the shape of " << aName << " " << a << ", found " << b
                               << " [" << constraint << "]";
  return success();
}

LogicalResult mxc::mx::verifyBlockFormat(Operation *op, StringRef constraint, MemRefType data,
                                         MemRefType scales) {
  if (blockFormatOf(data, scales)) return success();
  InFlightDiagnostic error = op->emitOpError("data and scales must make a block format (");
  llvm::interleaveComma(blockFormats(), error,
                        [&](const BlockFormatInfo &format) { error << StringRef(format.name); });
  return error << "), found " << data.getElementType() << " and " << scales.getElementType() << " ["
               << constraint << "]";
}

LogicalResult mxc::mx::verifyScalesShape(Operation *op, StringRef constraint, MemRefType data,
                                         const BlockFormatInfo &format, MemRefType scales) {
  if (!scaleLayoutOf(scales))
    return op->emitOpError("scales must have the default layout or a #mx.scale_layout, found ")
           << scales << " [" << constraint << "]";
  int64_t columns = data.getDimSize(1);
  int64_t blocks = ShapedType::isDynamic(columns) ? columns : format.blocks(columns);
  if (!agree(data.getDimSize(0), scales.getDimSize(0)) || !agree(blocks, scales.getDimSize(1))) {
    InFlightDiagnostic error = op->emitOpError("scales must have shape [rows, ceil(columns/")
                               << format.blockColumns << ")] of " << data << ", found " << scales;
    return error << " [" << constraint << "]";
  }
  return success();
}

FailureOr<MemRefType> mxc::mx::joinShapes(Operation *op, StringRef constraint, Type data, StringRef name,
                                          TypeRange others, StringRef dataName) {
  auto shape = cast<MemRefType>(data);
  for (Type other : others) {
    auto type = cast<MemRefType>(other);
    if (failed(verifySameShape(op, constraint, shape, dataName, type, name))) return failure();
    SmallVector<int64_t> joined(shape.getShape());
    for (auto [extent, own] : llvm::zip(joined, type.getShape()))
      if (ShapedType::isDynamic(extent)) extent = own;
    shape = MemRefType::get(joined, shape.getElementType());
  }
  return shape;
}
