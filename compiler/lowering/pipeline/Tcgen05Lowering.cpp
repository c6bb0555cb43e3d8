// The tensor core of sm_100.
#include "compiler/lowering/nvvm/Tcgen05.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "dialect/formats/TensorDescriptors.h"

using namespace mlir;

namespace mxc {

static int elementCode(mx::BlockMmaKind kind, Type element) {
  if (kind != mx::BlockMmaKind::Mxf8f6f4) return BlockMmaInstruction::kOnlyE2M1;
  return BlockMmaInstruction::elementCode(*mx::elementFormatOf(element));
}

// `scaleByte`: which byte of a cell has the K block's scale.
template <class Op> static BlockMmaInstruction instruction(Op op, int elementA, int elementB, int scaleByte) {
  return {.m = int(op.getM()),
          .n = int(op.getN()),
          .elementA = elementA,
          .elementB = elementB,
          .isPowerOfTwo = mx::scaleFormatOf(op.getScale()) == ScaleFormat::UE8M0,
          .scaleByte = scaleByte};
}
constexpr int kTileColumns = 4; // of tensor memory, a tile of scales

static void lowerCopyScales(mx::CopyScalesOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  const RingPlace &ring = pipeline.place(op.getRing());
  int64_t begin = ring.regions[op.getParts().front()];
  Value first = pipeline.descriptor(v, op.getRing(), op.getParts().front(), op.getStage(), kScaleTile.bits());
  Value column = pipeline.column(v, op.getRing(), op.getStage());
  electOne(v, [&] {
    int before = 0; // tiles of the parts before
    for (int part : op.getParts()) {
      const int tiles = int(ring.shape.regions[part] / kScaleTileBytes), along = op.getAlong();
      for (int tile = 0; tile < tiles; ++tile) {
        const int place = before + tile % along * (tiles / along) + tile / along;
        nvvm::copyScaleTile(v, v.add(column, place * kTileColumns),
                            v.add(first, (ring.regions[part] + tile * kScaleTileBytes - begin) / 16),
                            op.getPair());
      }
      before += tiles;
    }
  });
  op.erase();
}

static void lowerBlockMma(mx::BlockMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value ring = op.getRing(), stage = op.getStage();
  Value a = pipeline.descriptor(v, ring, 0, stage, kTensorRows.bits()),
        b = pipeline.descriptor(v, ring, 1, stage, kTensorRows.bits());
  Value scales = pipeline.column(v, ring, stage);
  Value scaleA = v.add(scales, op.getScaleA()),
        scaleB = v.add(v.add(scales, op.getScaleB()), op.getBColumn());
  Value d = pipeline.column(v, op.getAccumulator(), op.getPlace());
  electOne(v, [&] {
    constexpr int kUnits = 32 / 16; // of 16 bytes, in the swizzled row
    const int tilesB = llvm::divideCeil(op.getN(), kScaleTileRows);
    const int before = op.getFirst();
    for (auto [number, selector] : llvm::enumerate(op.getSelectors())) {
      const int i = before + int(number);
      const int tile = int(i * op.getScaleTiles() / op.getSelectors().size());
      nvvm::blockScaledMma(v, op.getKind(), d, v.add(a, kUnits * i), v.add(b, kUnits * i),
                           v.i32(instruction(op, elementCode(op.getKind(), op.getA()),
                                             elementCode(op.getKind(), op.getB()), selector)
                                     .bits()),
                           number == 0 ? op.getAccumulate() : v.i1(true), v.add(scaleA, kTileColumns * tile),
                           v.add(scaleB, kTileColumns * tilesB * tile), op.getPair());
    }
  });
  op.erase();
}

static void lowerWideMma(mx::WideMmaOp op, Pipeline &pipeline) {
  using Op = mx::WideMmaOp;
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  constexpr int kRowBytes = 128, kElement = BlockMmaInstruction::kOnlyE2M1;
  const int perScales = op.getInstructionsOfScales(), first = op.getFirst();
  const int scalesOfRow = Op::kScaleTiles * int(kScaleTileBlocks) / perScales; // an instruction's
  const int tilesB = llvm::divideCeil(op.getN(), kScaleTileRows);
  Value scaleA = pipeline.column(v, op.getScales(), op.getScaleStage());
  Value scaleB = v.add(v.add(scaleA, Op::kScaleTiles * kTileColumns), op.getBColumn());
  Value d = pipeline.column(v, op.getAccumulator(), op.getPlace());
  // Low words: where rows begin, and where they go on.
  auto operand = [&](int part, int byte) {
    const bool crosses = byte + Op::kBytes > kRowBytes;
    Value begin = pipeline.units(v, op.getRing(), part, op.getStage());
    Value next = crosses ? pipeline.units(v, op.getRing(), part, op.getNext()) : begin;
    Value low = v.add(v.add(begin, v.shl(next, 16)), byte / 16);
    return nvvm::packWords(v, low, v.i32(kWideTensorRows.bits() >> 32));
  };
  electOne(v, [&] {
    for (int number = first; number < first + int(op.getCount()); ++number) {
      const int byte = number * Op::kBytes % kRowBytes, scale = number % perScales * scalesOfRow;
      const int tile = scale / int(kScaleTileBlocks), selector = scale % int(kScaleTileBlocks);
      BlockMmaInstruction wide = instruction(op, kElement, kElement, selector);
      wide.isWide = true;
      nvvm::blockScaledMma(v, op.getKind(), d, operand(0, byte), operand(1, byte),
                           v.i32(int32_t(wide.bits())), number == first ? op.getAccumulate() : v.i1(true),
                           v.add(scaleA, kTileColumns * tile), v.add(scaleB, kTileColumns * tilesB * tile),
                           op.getPair());
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
  lowerings.add(lowerWideMma);
  lowerings.add(lowerReadAccumulator);
}

} // namespace mxc
