// mx.pack_scales and mx.unpack_scales: a lane moves the four blocks of one row that are a word of a tcgen05
// tile.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kLanes = 128; // one a word of a tile

// The lane's word: row and first block, and where they lie.
struct Word {
  Value row, block;  // i64
  Value tiledOffset; // i64, bytes
  Value rowValid;    // i1
};

} // namespace

static void setLaunchShape(AbiVariant &variant, const KernelSignature &signature) {
  TileGrid().cover(variant, "ceildiv(" + signature.rows().text() + ", 128)",
                   "ceildiv(" + signature.columns().text() + ", 4)");
  variant.block[0] = kLanes;
}

static Value scaleOffset(const ValueBuilder &v, Value row, Value block, Value blocks,
                         mx::ScaleLayoutKind kind) {
  return mx::ScaleOffsetOp::create(v.b, v.loc, v.b.getI64Type(), row, block, blocks,
                                   mx::ScaleLayoutAttr::get(v.b.getContext(), kind));
}

// Emits what both directions share, then `body` for lanes of row tiles that exist.
static void atWord(EntryFunction &entry, llvm::function_ref<void(const Word &)> body) {
  ValueBuilder v = entry.values();
  Value lane = v.toI64(nvvm::threadIdX(v));
  TileGrid::Place place = TileGrid().place(v, [&](Value i) { return v.toI64(i); });
  // Lane i takes word i of the tile: row (i mod 4) * 32 + i / 4, so that tiled accesses are contiguous over a
  // warp.
  Word word;
  Value firstRow = v.mul(place.row, kScaleTileRows);
  word.row = v.add(firstRow, v.add(v.mul(v.remu(lane, 4), 32), v.divu(lane, 4)));
  word.block = v.mul(place.column, kScaleTileBlocks);
  word.rowValid = v.less(word.row, entry.rows());
  whereWork(v, v.less(firstRow, entry.rows()), [&] {
    word.tiledOffset = scaleOffset(v, word.row, word.block, entry.columns(), mx::ScaleLayoutKind::Tcgen05);
    body(word);
  });
}

static LogicalResult lowerScaleCopy(Operation *op, ModuleOp module, const Target &target,
                                    KernelSignature &signature,
                                    llvm::function_ref<void(EntryFunction &, const Word &)> body) {
  EntryPlan plan;
  setLaunchShape(plan.variant, signature);
  return emitEntry(op, module, target, signature, std::move(plan), [&](EntryFunction &entry) {
    atWord(entry, [&](const Word &word) { body(entry, word); });
  });
}

static LogicalResult lowerPackScales(mx::PackScalesOp op, ModuleOp module, const Target &target,
                                     KernelSignature &signature) {
  return lowerScaleCopy(op, module, target, signature, [&](EntryFunction &entry, const Word &word) {
    ValueBuilder v = entry.values();
    Value dense = entry.pointer(signature.argument(op.getSource()).name), bits = v.i32(0);
    for (int i = 0; i < kScaleTileBlocks; ++i) {
      // A lane without this block reads byte 0 of the matrix and drops it: padding is 0x00.
      Value block = v.add(word.block, i), valid = v.bitAnd(word.rowValid, v.less(block, entry.columns()));
      Value offset = scaleOffset(v, word.row, block, entry.columns(), mx::ScaleLayoutKind::Dense);
      Value byte =
          nvvm::load(v, v.b.getI8Type(), nvvm::offsetBytes(v, dense, v.select(valid, offset, v.i64(0))), 1);
      Value wide = arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), byte);
      bits = v.bitOr(bits, v.shl(v.select(valid, wide, v.i32(0)), 8 * i));
    }
    nvvm::store(
        v, bits,
        nvvm::offsetBytes(v, entry.pointer(signature.argument(op.getDestination()).name), word.tiledOffset),
        4);
  });
}

static LogicalResult lowerUnpackScales(mx::UnpackScalesOp op, ModuleOp module, const Target &target,
                                       KernelSignature &signature) {
  return lowerScaleCopy(op, module, target, signature, [&](EntryFunction &entry, const Word &word) {
    ValueBuilder v = entry.values();
    Value tiled = entry.pointer(signature.argument(op.getSource()).name);
    Value dense = entry.pointer(signature.argument(op.getDestination()).name);
    Value bits = nvvm::load(v, v.b.getI32Type(), nvvm::offsetBytes(v, tiled, word.tiledOffset), 4);
    for (int i = 0; i < kScaleTileBlocks; ++i) {
      Value block = v.add(word.block, i);
      ifThen(v, v.bitAnd(word.rowValid, v.less(block, entry.columns())), [&] {
        Value byte = arith::TruncIOp::create(v.b, v.loc, v.b.getI8Type(), v.shru(bits, 8 * i));
        Value offset = scaleOffset(v, word.row, block, entry.columns(), mx::ScaleLayoutKind::Dense);
        nvvm::store(v, byte, nvvm::offsetBytes(v, dense, offset), 1);
      });
    }
  });
}

namespace {
struct PackLowering : KernelLoweringInterface::ExternalModel<PackLowering, mx::PackScalesOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerPackScales(cast<mx::PackScalesOp>(op), module, target, signature);
  }
};
struct UnpackLowering : KernelLoweringInterface::ExternalModel<UnpackLowering, mx::UnpackScalesOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerUnpackScales(cast<mx::UnpackScalesOp>(op), module, target, signature);
  }
};
} // namespace

void registerScaleLowering(DialectRegistry &registry) {
  attachLowering<mx::PackScalesOp, PackLowering>(registry);
  attachLowering<mx::UnpackScalesOp, UnpackLowering>(registry);
}

} // namespace mxc
