// The tensor core of sm_100: all that the compiler encodes of its descriptors. The simulator decodes them for
// itself (runtime/simulator/instructions), and a kernel that is a ceiling of measurements has its own
// (runtime/measure/TensorKernel.cpp).
#include "compiler/lowering/nvvm/Tcgen05.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

using namespace mlir;

namespace mxc {

// Shared-memory descriptor (PTX ISA, tcgen05 matrix descriptor): bits 0-13 address / 16, 16-29 leading and
// 32-45 stride byte offset / 16, 46-48 = 1, 61-63 swizzle (2: 128B). Leading offsets are not used where K
// stays within a row; they are as others write them. With bit 52, for 48 bytes of K, bits 16-29 are an
// address as 0-13 are: rows go on there behind their 128 bytes. Others set it where none does, too.
static constexpr int64_t kVersion = int64_t(1) << 46;
static constexpr int64_t kOperand = kVersion | int64_t(2) << 61 | int64_t(1024 / 16) << 32 | int64_t(1) << 16;
static constexpr int64_t kWideOperand =
    kVersion | int64_t(2) << 61 | int64_t(1024 / 16) << 32 | int64_t(1) << 52;
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
// ue8m0; 27-28 M / 128; 31: K = 96.
template <class Op> static int64_t instructionDescriptor(Op op, int codeA, int codeB, int selector) {
  const bool isPower = mx::scaleFormatOf(op.getScale()) == ScaleFormat::UE8M0;
  return int64_t(isPower) << 23 | int64_t(op.getN() / 8) << 17 | int64_t(op.getM() / 128) << 27 | codeA << 7 |
         codeB << 10 | int64_t(selector) << 29 | selector << 4;
}
constexpr int kTileColumns = 4; // of tensor memory, a tile of scales

static void lowerCopyScales(mx::CopyScalesOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  const RingPlace &ring = pipeline.place(op.getRing());
  int64_t begin = ring.parts[op.getParts().front()];
  Value first = pipeline.descriptor(v, op.getRing(), op.getParts().front(), op.getStage(), kScaleTile);
  Value column = pipeline.column(v, op.getRing(), op.getStage());
  electOne(v, [&] {
    int before = 0; // tiles of the parts before
    for (int part : op.getParts()) {
      const int tiles = int(ring.shape.parts[part] / kScaleTileBytes), along = op.getAlong();
      for (int tile = 0; tile < tiles; ++tile) {
        const int place = before + tile % along * (tiles / along) + tile / along;
        nvvm::copyScaleTile(v, v.add(column, place * kTileColumns),
                            v.add(first, (ring.parts[part] + tile * kScaleTileBytes - begin) / 16),
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
  Value a = pipeline.descriptor(v, ring, 0, stage, kOperand),
        b = pipeline.descriptor(v, ring, 1, stage, kOperand);
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
                           v.i32(instructionDescriptor(op, elementCode(op.getKind(), op.getA()),
                                                       elementCode(op.getKind(), op.getB()), selector)),
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
  constexpr int kRowBytes = 128, kE2m1 = 1;
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
    return nvvm::packWords(v, low, v.i32(kWideOperand >> 32));
  };
  electOne(v, [&] {
    for (int instruction = first; instruction < first + int(op.getCount()); ++instruction) {
      const int byte = instruction * Op::kBytes % kRowBytes, scale = instruction % perScales * scalesOfRow;
      const int tile = scale / int(kScaleTileBlocks), selector = scale % int(kScaleTileBlocks);
      nvvm::blockScaledMma(
          v, op.getKind(), d, operand(0, byte), operand(1, byte),
          v.i32(int32_t(instructionDescriptor(op, kE2m1, kE2m1, selector) | int64_t(1) << 31)),
          instruction == first ? op.getAccumulate() : v.i1(true), v.add(scaleA, kTileColumns * tile),
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
  lowerings.add(lowerWideMma);
  lowerings.add(lowerReadAccumulator);
}

} // namespace mxc
