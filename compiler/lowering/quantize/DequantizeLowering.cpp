// mx.dequantize to tile level: codes and scale bytes in, values out; the same tiles as mx.quantize.
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/quantize/LaneElements.h"
#include "compiler/lowering/quantize/TileDriver.h"

using namespace mlir;

namespace mxc {

static void emitDequantize(mx::DequantizeOp op, mx::QuantizeTileAttr tile, const Target &target,
                           const KernelSignature &signature, EntryFunction &entry, const TilePosition &at) {
  ValueBuilder v = entry.values();
  const AbiArgument &scales = signature.argument(op.getScales());
  auto element = TypeAttr::get(cast<MemRefType>(op.getData().getType()).getElementType());
  auto kind = scales.layout == ArgumentLayout::ScaleTcgen05 ? mx::ScaleLayoutKind::Tcgen05
                                                            : mx::ScaleLayoutKind::Dense;
  auto layout = mx::ScaleLayoutAttr::get(v.b.getContext(), kind);

  SmallVector<Value> codes =
      loadLaneElements(entry, at, tile, signature.argument(op.getData()).name, v.b.getI8Type(), target);
  SmallVector<Value> bytes, values;
  Value block =
      v.toI64(v.select(at.columnValid, at.block, v.like(at.block, 0))); // lanes outside read a valid place
  for (auto [row, valid] : llvm::zip(at.rows, at.rowValid)) {
    Value offset =
        mx::ScaleOffsetOp::create(v.b, v.loc, v.b.getI64Type(), v.toI64(v.select(valid, row, v.like(row, 0))),
                                  block, v.toI64(at.blocks), layout);
    Value byte = nvvm::load(v, v.b.getI8Type(), nvvm::offsetBytes(v, entry.pointer(scales.name), offset), 1);
    bytes.push_back(arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), byte));
  }
  auto valueType =
      VectorType::get(tile.getLaneElements(), cast<MemRefType>(op.getValues().getType()).getElementType());
  for (auto [code, byte] : llvm::zip(codes, bytes)) {
    Value scale = mx::DecodeScaleOp::create(v.b, v.loc, v.b.getF32Type(), byte);
    values.push_back(mx::ConvertUnpackOp::create(v.b, v.loc, valueType, code, scale, element));
  }
  storeLaneElements(entry, at, tile, signature.argument(op.getValues()).name, values, target);
}

static LogicalResult lowerDequantize(mx::DequantizeOp op, ModuleOp module, const Target &target,
                                     KernelSignature &signature) {
  if (failed(requireMxfp8(op, op.getFormat(), target))) return failure();
  auto planTile = [&](mx::QuantizeTileAttr tile) -> FailureOr<TilePlan> {
    if (tile.getVariant() == mx::TileVariant::Bulk)
      return op.emitOpError("tile ") << tile << ": variant = bulk is for mx.quantize";
    TilePlan plan;
    if (tile.getAccess() == mx::TileAccess::Vector) {
      Type valueType = cast<MemRefType>(op.getValues().getType()).getElementType();
      plan.alignments = {{signature.argument(op.getData()).name, accessBytes(target, tile.getLaneElements())},
                         {signature.argument(op.getValues()).name,
                          accessBytes(target, mx::storageBytes(valueType, tile.getLaneElements()))}};
    }
    plan.body = [=, &target, &signature](EntryFunction &entry, const TilePosition &at) {
      emitDequantize(op, tile, target, signature, entry, at);
    };
    return plan;
  };
  return emitTiles(op, op.getTilesAttr(), module, target, signature, info(op.getFormat()), planTile);
}

namespace {
struct DequantizeLowering : KernelLoweringInterface::ExternalModel<DequantizeLowering, mx::DequantizeOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerDequantize(cast<mx::DequantizeOp>(op), module, target, signature);
  }
  std::vector<std::string> getDefaultTiles(Operation *, const Target &target) const {
    return {target.quantizeTiles.begin(), target.quantizeTiles.end()};
  }
};
} // namespace

void registerDequantizeLowering(DialectRegistry &registry) {
  attachLowering<mx::DequantizeOp, DequantizeLowering>(registry);
}

} // namespace mxc
