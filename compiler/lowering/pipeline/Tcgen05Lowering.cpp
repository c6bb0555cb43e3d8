// The tensor core of sm_100: descriptors are encoded here and nowhere else.
#include "compiler/lowering/nvvm/Tcgen05.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

// Shared-memory descriptor (PTX ISA, tcgen05 matrix descriptor): bits 0-13 address / 16, 16-29 leading and
// 32-45 stride byte offset / 16, 46-48 = 1, 61-63 swizzle (2: 128B). Leading offsets are not used where K
// stays within a row; they are as others write them.
static constexpr int64_t kVersion = int64_t(1) << 46;
static constexpr int64_t kOperand = kVersion | int64_t(2) << 61 | int64_t(1024 / 16) << 32 | int64_t(1) << 16;
static constexpr int64_t kScaleTile = kVersion | int64_t(128 / 16) << 32 | int64_t(1) << 16;

static int elementCode(mx::BlockMmaKind kind, Type element) { // of the instruction descriptor
  if (kind != mx::BlockMmaKind::Mxf8f6f4) return 1;           // e2m1, their only one
  switch (*mx::elementFormatOf(element)) {
  case ElementFormat::E4M3:
    return 0;
  case ElementFormat::E5M2:
    return 1;
  case ElementFormat::E2M3:
    return 3;
  case ElementFormat::E3M2:
    return 4;
  case ElementFormat::E2M1:
    return 5;
  }
  llvm_unreachable("an element format");
}

// bits 4-5 and 29-30: which byte of a cell holds the K block's scale; 7-9, 10-12 types; 17-22 N / 8; 23
// ue8m0; 27-28 M / 128.
static int64_t instructionDescriptor(mx::BlockMmaOp op, int selector) {
  const bool isPower = mx::scaleFormatOf(op.getScale()) == ScaleFormat::UE8M0;
  return int64_t(isPower) << 23 | int64_t(op.getN() / 8) << 17 | int64_t(op.getM() / 128) << 27 |
         elementCode(op.getKind(), op.getA()) << 7 | elementCode(op.getKind(), op.getB()) << 10 |
         int64_t(selector) << 29 | selector << 4;
}

static void lowerCopyScales(mx::CopyScalesOp op, Pipeline &pipeline) {
  constexpr int kTileColumns = 4; // of tensor memory
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  const RingPlace &ring = pipeline.place(op.getRing());
  int64_t begin = ring.parts[op.getParts().front()];
  Value first = pipeline.descriptor(v, op.getRing(), op.getParts().front(), op.getStage(), kScaleTile);
  Value column = pipeline.column(v, op.getRing(), op.getStage());
  electOne(v, [&] {
    int columns = 0;
    for (int part : op.getParts())
      for (int64_t offset = 0; offset < ring.shape.parts[part];
           offset += kScaleTileBytes, columns += kTileColumns)
        nvvm::copyScaleTile(v, v.add(column, columns), v.add(first, (ring.parts[part] + offset - begin) / 16),
                            op.getPair());
  });
  op.erase();
}

static void lowerBlockMma(mx::BlockMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value ring = op.getRing(), stage = op.getStage();
  Value a = pipeline.descriptor(v, ring, 0, stage, kOperand),
        b = pipeline.descriptor(v, ring, 1, stage, kOperand);
  Value scales = pipeline.column(v, ring, stage);
  Value scaleA = v.add(scales, op.getScaleA()),
        scaleB = v.add(v.add(scales, op.getScaleB()), op.getBColumn());
  Value d = pipeline.column(v, op.getAccumulator(), op.getPlace());
  electOne(v, [&] {
    constexpr int kUnits = 32 / 16; // of 16 bytes, in the swizzled row
    constexpr int kTileColumns = 4; // of tensor memory
    const int tilesB = llvm::divideCeil(op.getN(), kScaleTileRows);
    for (auto [i, selector] : llvm::enumerate(op.getSelectors())) {
      const int tile = int(i * op.getScaleTiles() / op.getSelectors().size());
      nvvm::blockScaledMma(v, op.getKind(), d, v.add(a, kUnits * i), v.add(b, kUnits * i),
                           v.i32(instructionDescriptor(op, selector)),
                           i == 0 ? op.getAccumulate() : v.i1(true), v.add(scaleA, kTileColumns * tile),
                           v.add(scaleB, kTileColumns * tilesB * tile), op.getPair());
    }
  });
  op.erase();
}

static void lowerReadAccumulator(mx::ReadAccumulatorOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  int count = cast<VectorType>(op.getValues().getType()).getNumElements();
  Value quarter =
      v.shl(v.bitAnd(pipeline.warp(), 3), 21); // a warp reads the lanes 32 * (its number % 4) and up
  Value address = v.add(v.add(pipeline.column(v, op.getRing(), op.getPlace()), quarter), op.getColumn());
  Value values = nvvm::tensorLoad(v, address, count);
  nvvm::tensorWaitLoads(v);
  op.replaceAllUsesWith(values);
  op.erase();
}

void populateTcgen05Lowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerCopyScales);
  lowerings.add(lowerBlockMma);
  lowerings.add(lowerReadAccumulator);
}

} // namespace mxc
