// The tensor core of sm_120: operands and scales from shared memory to the registers of a warp.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/WarpMma.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kRowBytes = 128, kChunkBytes = 16, kInstructionBytes = 32, kWarpRows = 16;

// What a lane has of a stage, and where. A matrix of 8 rows of 16 bytes is a word of every lane (ldmatrix),
// and what an instruction takes, 32 bytes of each row, are four of them:
//
//   a, 16 rows       rows 0-7, first half; rows 8-15, first half; rows 0-7, second; rows 8-15, second
//   b, twice 8 rows  rows 0-7, first half; rows 0-7, second; rows 8-15, first half; rows 8-15, second
//
// A tile of scales has row r's word at byte 16 (r % 32) + 4 (r / 32). Lane 4 g + q loads those of b's rows
// 8 q + g + 32 i: for the columns 8 j and up of c, lane q = j % 4 of four has them, in word j / 4.
class WarpStage {
public:
  WarpStage(const ValueBuilder &v, mx::WarpMmaOp op, Pipeline &pipeline)
      : v_(v), pipeline_(pipeline), ring_(op.getRing()), stage_(op.getStage()), columnB_(op.getBColumn()),
        kind_(op.getKind()), elementA_(*mx::elementFormatOf(op.getA())),
        elementB_(*mx::elementFormatOf(op.getB())), scaleTiles_(op.getScaleTiles()), lane_(pipeline.lane()),
        warp_(v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst()))) {
    a_ = matrices(0, v.bitAnd(v.shru(lane_, 3), 1), v.shru(lane_, 4));
    a_ = v.add(a_, v.mul(warp_, kWarpRows * kRowBytes));
    b_ = matrices(1, v.shru(lane_, 4), v.bitAnd(v.shru(lane_, 3), 1));
  }

  // Four words, of 32 bytes of each row.
  SmallVector<Value> a(int instruction) const { return load(elementA_, a_, instruction, 0); }
  SmallVector<Value> b(int instruction, int sixteen) const {
    return load(elementB_, b_, instruction, sixteen);
  }

  // The words of a's scales along K: of rows g and g + 8 of the warp in lanes q = 0 and 1 of four.
  SmallVector<Value> scalesA() const {
    Value row = v_.add(v_.mul(warp_, kWarpRows), v_.add(v_.shru(lane_, 2), v_.mul(v_.bitAnd(lane_, 1), 8)));
    Value place = v_.add(v_.mul(v_.bitAnd(row, 31), 16), v_.mul(v_.shru(row, 5), 4));
    SmallVector<Value> words;
    for (int tile = 0; tile < scaleTiles_; ++tile)
      words.push_back(nvvm::load(v_, v_.b.getI32Type(), scales(2, place, tile), 4));
    return words;
  }

  // The words of b's scales in the tiles at `along`, one for 32 rows.
  SmallVector<Value> scalesB(int along, int columns) const {
    const int tiles = llvm::divideCeil(columns, kScaleTileRows);
    const int words = std::min(columns / 32, 4); // of a row of the tile
    Value row = v_.add(v_.mul(v_.bitAnd(lane_, 3), 8), v_.shru(lane_, 2));
    Value place = v_.add(v_.mul(row, 16), v_.mul(columnB_, 4));
    SmallVector<Value> all;
    for (int tile = 0; tile < tiles; ++tile) {
      Value loaded = nvvm::load(v_, VectorType::get(words, v_.b.getI32Type()),
                                scales(3, place, along * tiles + tile), 4 * (words & -words));
      for (int i = 0; i < words; ++i)
        all.push_back(nvvm::element(v_, loaded, i));
    }
    return all;
  }

private:
  // The address of the row that this lane names of the first four matrices: the second of the eight rows
  // where `eight` is 1, of 16 bytes where `half` is.
  Value matrices(int part, Value eight, Value half) const {
    Value inEight = v_.bitAnd(lane_, 7), row = v_.add(inEight, v_.mul(eight, 8));
    Value swizzled = v_.mul(v_.bitXor(half, inEight), kChunkBytes);
    Value base = nvvm::addressOf(v_, pipeline_.part(v_, ring_, part, stage_));
    return v_.add(base, v_.add(v_.mul(row, kRowBytes), swizzled));
  }

  SmallVector<Value> load(ElementFormat element, Value first, int instruction, int sixteen) const {
    Value address = instruction ? v_.bitXor(first, kInstructionBytes * instruction) : first;
    address = v_.add(address, int64_t(sixteen) * 16 * kRowBytes);
    return mx::isPadded(kind_, element) ? nvvm::loadPaddedMatrices(v_, address, element)
                                        : nvvm::loadMatrices(v_, address);
  }

  Value scales(int part, Value place, int tile) const {
    return nvvm::offsetBytes(v_, pipeline_.part(v_, ring_, part, stage_),
                             v_.toI64(v_.add(place, tile * kScaleTileBytes)));
  }

  const ValueBuilder &v_;
  Pipeline &pipeline_;
  Value ring_, stage_, columnB_;
  mx::BlockMmaKind kind_;
  ElementFormat elementA_, elementB_;
  int scaleTiles_; // along K
  Value lane_, warp_, a_, b_;
};

} // namespace

static void lowerWarpMma(mx::WarpMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value accumulator = op->getOperand(2); // registers by now
  auto type = cast<LLVM::LLVMStructType>(accumulator.getType());
  const int registers = type.getBody().size(), columns = 2 * registers;
  SmallVector<Value> sums;
  for (int i = 0; i < registers; ++i)
    sums.push_back(nvvm::accumulatorElement(v, accumulator, i));
  const ElementFormat elementA = *mx::elementFormatOf(op.getA()), elementB = *mx::elementFormatOf(op.getB());
  const WarpStage stage(v, op, pipeline);
  const SmallVector<Value> scalesA = stage.scalesA();
  SmallVector<Value> scalesB;
  int loaded = -1; // the tile along K
  for (auto [i, selector] : llvm::enumerate(op.getSelectors())) {
    const int tile = int(i * op.getScaleTiles() / op.getSelectors().size());
    if (tile != loaded) scalesB = stage.scalesB(tile, columns), loaded = tile;
    const SmallVector<Value> a = stage.a(i);
    for (int sixteen = 0; sixteen < columns / 16; ++sixteen) {
      const SmallVector<Value> b = stage.b(i, sixteen);
      for (int half = 0; half < 2; ++half) {
        const int eight = 2 * sixteen + half;
        MutableArrayRef<Value> sum = MutableArrayRef(sums).slice(4 * eight, 4);
        SmallVector<Value> result =
            nvvm::warpMma(v, op.getKind(), elementA, elementB, sum, a, ArrayRef(b).slice(2 * half, 2),
                          {scalesA[tile], selector, 0}, {scalesB[eight / 4], selector, eight % 4});
        llvm::copy(result, sum.begin());
      }
    }
  }
  Value result = LLVM::PoisonOp::create(builder, op.getLoc(), type);
  for (auto [i, sum] : llvm::enumerate(sums))
    result = LLVM::InsertValueOp::create(builder, op.getLoc(), result, sum, i);
  op->replaceAllUsesWith(ValueRange{result});
  op.erase();
}

void populateWarpLowerings(PipelineLowerings &lowerings, const Target &) { lowerings.add(lowerWarpMma); }

} // namespace mxc
