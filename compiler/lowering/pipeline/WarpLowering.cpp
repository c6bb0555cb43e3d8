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

constexpr int kRowBytes = 128, kChunkBytes = 16, kInstructionBytes = 32, kWarpRows = 16, kPairRows = 32,
              kScaleRowBytes = 16;

// What a lane has of a stage, and where. A matrix of 8 rows of 16 bytes is a word of every lane (ldmatrix),
// and what an instruction takes, 32 bytes of each row, are four of them:
//
//   a, 16 rows       rows 0-7, first half; rows 8-15, first half; rows 0-7, second; rows 8-15, second
//   b, twice 8 rows  rows 0-7, first half; rows 0-7, second; rows 8-15, first half; rows 8-15, second
//
// A tile of scales has row r's word at byte 16 (r % 32) + 4 (r / 32). For 16 rows lane 4 g + q loads the
// words of row 8 (q % 2) + g, and as many as it needs of those 32 rows on, which follow; of two tiles along K
// lanes q = 2 and 3 have the second. Instructions pick
//
//   a's, of 16 rows, by thread id 0 or 1: the tile along K
//   b's, of 8 columns, by thread id 0 to 3: which half of 16 columns, and the tile along K
class WarpStage {
public:
  WarpStage(const ValueBuilder &v, mx::WarpMmaOp op, Pipeline &pipeline, int columns)
      : v_(v), pipeline_(pipeline), ring_(op.getRing()), columnB_(op.getBColumn()), kind_(op.getKind()),
        elementA_(*mx::elementFormatOf(op.getA())), elementB_(*mx::elementFormatOf(op.getB())),
        scaleTiles_(endOfScaleTiles(op)), partsOfB_(op.getParts()),
        accumulators_(int(op.getAccumulators().size())), columns_(columns), lane_(pipeline.lane()) {
    Value warp = v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst()));
    rowWarp_ = v.bitAnd(warp, 1), columnWarp_ = v.shru(warp, 1);
    // The mask, 18 bits of shared memory, changes nothing but what the assembler does: it has this in a
    // uniform register that loads add to their address. A bare product it would form again for every address.
    stage_ = v.bitAnd(v.mul(op.getStage(), pipeline.place(ring_).layout.stageBytes), 0x3FFFF);
    a_ = matrices(0, v.bitAnd(v.shru(lane_, 3), 1), v.shru(lane_, 4));
    a_ = v.add(a_, v.mul(rowWarp_, kWarpRows * kRowBytes));
    b_ = matrices(1, v.shru(lane_, 4), v.bitAnd(v.shru(lane_, 3), 1));
    b_ = v.add(b_, v.mul(columnWarp_, columnsOfPart() * kRowBytes));
  }

  // Four words, of 32 bytes of each row.
  SmallVector<Value> a(int instruction, int accumulator) const {
    return load(elementA_, a_, instruction, accumulator * kPairRows);
  }
  SmallVector<Value> b(int instruction, int sixteen) const {
    const int row = sixteen * 16, part = row / columnsOfPart(); // whose rows both column warps have
    return load(elementB_, b_, instruction, 2 * columnsOfPart() * part + row % columnsOfPart());
  }

  // The words of a's scales in the tiles along K `first` and, where there is one, the next: one an
  // accumulator.
  SmallVector<Value> scalesA(int first) const {
    return scales(2, v_.mul(rowWarp_, kWarpRows * kScaleRowBytes), first, accumulators_);
  }

  // For b: those of columns 16 (i % 2) and up in each 32, in pair i / 2 of them.
  SmallVector<Value> scalesB(int first) const {
    const int count = columnsOfPart() / kPairRows;
    Value word = v_.mul(v_.add(columnB_, v_.mul(columnWarp_, count)), 4);
    SmallVector<Value> all;
    for (int part = 0; part < partsOfB_; ++part) {
      Value ofPart = part ? v_.add(word, part * kScaleTileBytes) : word;
      const SmallVector<Value> lower = scales(3, ofPart, first, count, partsOfB_),
                               upper = scales(3, v_.add(ofPart, kWarpRows * kScaleRowBytes), first, count,
                                              partsOfB_);
      for (auto [low, high] : llvm::zip(lower, upper))
        all.push_back(low), all.push_back(high);
    }
    return all;
  }

private:
  static int endOfScaleTiles(mx::WarpMmaOp op) {
    const int tiles = op.getScaleTiles();
    return tiles + int(op.getFirst()) * tiles / int(op.getSelectors().size());
  }

  // The address of a part in the ring's first stage. The swizzle takes no part in how far on a stage is: what
  // differs between instructions and lanes is added up once, before the loop.
  Value firstAddress(int part) const {
    return nvvm::addressOf(v_, pipeline_.part(v_, ring_, part, v_.i32(0)));
  }

  // The address of the row that this lane names of the first four matrices: the second of the eight rows
  // where `eight` is 1, of 16 bytes where `half` is.
  Value matrices(int part, Value eight, Value half) const {
    Value inEight = v_.bitAnd(lane_, 7), row = v_.add(inEight, v_.mul(eight, 8));
    Value swizzled = v_.mul(v_.bitXor(half, inEight), kChunkBytes);
    return v_.add(firstAddress(part), v_.add(v_.mul(row, kRowBytes), swizzled));
  }

  SmallVector<Value> load(ElementFormat element, Value first, int instruction, int row) const {
    Value address = instruction ? v_.bitXor(first, kInstructionBytes * instruction) : first;
    address = v_.add(v_.add(address, stage_), int64_t(row) * kRowBytes);
    return mx::isPadded(kind_, element) ? nvvm::loadPaddedMatrices(v_, address, element)
                                        : nvvm::loadMatrices(v_, address);
  }

  int columnsOfPart() const { return columns_ / partsOfB_; } // of the warp's

  // `count` words of 16 rows' scales, from byte `place` of a tile on; so many tiles lie at a place along K.
  SmallVector<Value> scales(int part, Value place, int tile, int count, int ofPlace = 1) const {
    Value inTile = v_.mul(v_.add(v_.shru(lane_, 2), v_.mul(v_.bitAnd(lane_, 1), 8)), kScaleRowBytes);
    if (tile + 1 < scaleTiles_)
      inTile = v_.add(inTile, v_.mul(v_.bitAnd(v_.shru(lane_, 1), 1), ofPlace * kScaleTileBytes));
    Value at = v_.add(v_.add(firstAddress(part), v_.add(place, inTile)),
                      v_.add(stage_, tile * ofPlace * kScaleTileBytes));
    Value loaded = nvvm::load(v_, VectorType::get(count, v_.b.getI32Type()), nvvm::pointerTo(v_, at, 3),
                              4 * (count & -count));
    SmallVector<Value> each;
    for (int i = 0; i < count; ++i)
      each.push_back(nvvm::element(v_, loaded, i));
    return each;
  }

  const ValueBuilder &v_;
  Pipeline &pipeline_;
  Value ring_, columnB_, stage_; // stage_: bytes from the first one's
  mx::BlockMmaKind kind_;
  ElementFormat elementA_, elementB_;
  int scaleTiles_; // along K
  int partsOfB_;
  int accumulators_, columns_;
  Value lane_, rowWarp_, columnWarp_, a_, b_;
};

} // namespace

static void lowerWarpMma(mx::WarpMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  const SmallVector<Value> accumulators(op.getODSOperands(2)); // registers by now
  Type type = accumulators.front().getType();
  const int registers = nvvm::registersOf(type), columns = 2 * registers;
  SmallVector<SmallVector<Value>> sums;
  for (Value accumulator : accumulators)
    for (int i = 0; i < registers; ++i)
      (i ? sums.back() : sums.emplace_back()).push_back(nvvm::accumulatorElement(v, accumulator, i));
  const ElementFormat elementA = *mx::elementFormatOf(op.getA()), elementB = *mx::elementFormatOf(op.getB());
  const WarpStage stage(v, op, pipeline, columns);
  SmallVector<Value> scalesA, scalesB;
  int loaded = -1; // tiles along K
  const int before = op.getFirst();
  for (auto [number, selector] : llvm::enumerate(op.getSelectors())) {
    const int i = before + int(number);
    const int tile = int(i * op.getScaleTiles() / op.getSelectors().size());
    if (tile / 2 != loaded) { // two at a time
      loaded = tile / 2;
      scalesA = stage.scalesA(2 * loaded), scalesB = stage.scalesB(2 * loaded);
    }
    SmallVector<SmallVector<Value>> a;
    for (size_t row = 0; row < accumulators.size(); ++row)
      a.push_back(stage.a(i, row));
    for (int sixteen = 0; sixteen < columns / 16; ++sixteen) {
      const SmallVector<Value> b = stage.b(i, sixteen);
      for (int half = 0; half < 2; ++half) {
        const int eight = 2 * sixteen + half;
        for (size_t row = 0; row < accumulators.size(); ++row) {
          MutableArrayRef<Value> sum = MutableArrayRef(sums[row]).slice(4 * eight, 4);
          SmallVector<Value> result = nvvm::warpMma(
              v, op.getKind(), elementA, elementB, sum, a[row], ArrayRef(b).slice(2 * half, 2),
              {scalesA[row], selector, tile % 2}, {scalesB[sixteen], selector, 2 * (tile % 2) + half});
          llvm::copy(result, sum.begin());
        }
      }
    }
  }
  SmallVector<Value> results;
  for (ArrayRef<Value> each : sums)
    results.push_back(nvvm::accumulatorOf(v, type, each));
  op->replaceAllUsesWith(results);
  op.erase();
}

void populateWarpLowerings(PipelineLowerings &lowerings, const Target &) { lowerings.add(lowerWarpMma); }

} // namespace mxc
