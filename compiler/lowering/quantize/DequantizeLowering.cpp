// mx.dequantize to tile level: codes and scale bytes in, values out; the same tiles as mx.quantize.
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"
#include "compiler/lowering/quantize/LaneElements.h"
#include "compiler/lowering/quantize/TensorScale.h"
#include "compiler/lowering/quantize/TileDriver.h"

using namespace mlir;

namespace mxc {

static void emitDequantize(mx::DequantizeOp op, mx::QuantizeTileAttr tile, const Target &target,
                           const KernelSignature &signature, EntryFunction &entry, const TilePosition &at) {
  ValueBuilder v = entry.values();
  const AbiArgument &scales = signature.argument(op.getScales());
  Type element = cast<MemRefType>(op.getData().getType()).getElementType(),
       scaleType = cast<MemRefType>(op.getScales().getType()).getElementType();
  const int64_t scaleBits = scaleType.getIntOrFloatBitWidth();
  const mx::ScaleLayoutKind layout = scaleLayoutKindOf(scales);

  SmallVector<Value> codes = loadLaneElements(entry, at, tile, signature.argument(op.getData()).name,
                                              v.b.getIntegerType(element.getIntOrFloatBitWidth()), target);
  auto words = VectorType::get(mx::wordsOf(element, tile.getLaneElements()), v.b.getI32Type());
  SmallVector<Value> scaleCodes, values;
  Value block =
      v.toI64(v.select(at.columnValid, at.block, v.like(at.block, 0))); // lanes outside read a valid place
  for (auto [row, valid] : llvm::zip(at.rows, at.rowValid)) {
    Value offset =
        scaleOffset(v, layout, v.divu(v.select(valid, row, v.like(row, 0)), info(op.getFormat()).blockRows),
                    block, {v.ceilDivu(at.scaleRowCount, info(op.getFormat()).blockRows), at.blocks});
    Value address = nvvm::offsetBytes(v, entry.pointer(scales.name), v.mul(offset, scaleBits / 8));
    Value code = nvvm::load(v, v.b.getIntegerType(scaleBits), address, scaleBits / 8);
    scaleCodes.push_back(scaleBits == 32 ? code : arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), code));
  }
  Value tensorScale = tensorScaleOf(entry, signature, op.getTensorScale(), op.getSense(), op.getFormat());
  auto valueType =
      VectorType::get(tile.getLaneElements(), cast<MemRefType>(op.getValues().getType()).getElementType());
  for (auto [code, scaleCode] : llvm::zip(codes, scaleCodes)) {
    Value scale = mx::DecodeScaleOp::create(v.b, v.loc, v.b.getF32Type(), scaleCode, scaleType);
    values.push_back(mx::ConvertUnpackOp::create(v.b, v.loc, valueType, wordsOfLane(v, code, words), scale,
                                                 tensorScale, TypeAttr::get(element)));
  }
  storeLaneElements(entry, at, tile, signature.argument(op.getValues()).name, valueType.getElementType(),
                    values, target);
}

static LogicalResult lowerDequantize(mx::DequantizeOp op, ModuleOp module, const Target &target,
                                     KernelSignature &signature) {
  if (failed(requireGenerated(op, op.getFormat(), target))) return failure();
  auto planTile = [&](mx::QuantizeTileAttr tile) -> FailureOr<TilePlan> {
    if (tile.getVariant() == mx::TileVariant::Bulk)
      return op.emitOpError("tile ") << tile << ": variant = bulk is for mx.quantize";
    // A lane's elements lie in one block; scales are read one by one, from any layout.
    if (failed(requireTile(op, tile, info(op.getFormat()), ScaleLayout::Dense))) return failure();
    TilePlan plan;
    if (tile.getAccess() == mx::TileAccess::Vector) {
      for (Value argument : {op.getData(), op.getValues()}) {
        Type element = cast<MemRefType>(argument.getType()).getElementType();
        plan.alignments.push_back({signature.argument(argument).name,
                                   accessBytes(target, mx::storageBytes(element, tile.getLaneElements()))});
      }
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
  Tiles getDefaultTiles(Operation *op, const Target &target) const {
    return tilesThatFit(op, target.quantizeTiles, info(cast<mx::DequantizeOp>(op).getFormat()),
                        ScaleLayout::Dense);
  }
};
} // namespace

void registerDequantizeLowering(DialectRegistry &registry) {
  attachLowering<mx::DequantizeOp, DequantizeLowering>(registry);
}

} // namespace mxc
