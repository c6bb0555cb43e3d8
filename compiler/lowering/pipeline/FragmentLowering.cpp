// Codes in shared memory to bf16 operands of wgmma in registers.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/ops/FourBitsToBf16.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"
#include "dialect/formats/TensorDescriptors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kFragmentWords = 16;      // of a lane and half
constexpr int kRows = 2, kMmaSteps = 4; // of a lane: rows; of a half: products

// What a lane has of a stage.
class LaneCodes {
public:
  LaneCodes(const ValueBuilder &v, mx::LoadFragmentsOp op, Pipeline &pipeline)
      : v_(v), element_(op.getElement()), hasShortBlocks_(op.hasShortBlocks()) {
    Value thread =
        v.add(v.mul(v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst())), 32),
              pipeline.lane());
    Value inEight = v.shru(v.bitAnd(thread, 31), 2), run = v.bitAnd(thread, 3);
    Value first = v.add(v.mul(v.shru(thread, 5), 16), inEight); // row
    Value codes = pipeline.part(v, op.getRing(), 0, op.getStage()),
          scales = pipeline.part(v, op.getRing(), 1, op.getStage());
    Value block = run;
    if (hasShortBlocks_) block = v.add(v.mul(run, 2), int64_t(op.getHalf()));
    if (op.getApart())
      scales = nvvm::offsetBytes(v, scales, v.toI64(v.mul(v.shru(thread, 7), kScaleTileBytes)));
    Value inside = v.less(block, op.getBlocks());
    const int bytes = isFour() ? 8 : 16; // of a row's half
    for (int i = 0; i < kRows; ++i) {
      Value row = v.add(first, 8 * i), place;
      if (isFour()) {
        place = v.add(v.mul(row, 64), v.add(v.mul(run, 16), 8 * int64_t(op.getHalf())));
      } else {
        Value chunk = v.bitXor(v.mul(run, 2), inEight);
        place = v.add(v.mul(row, 128), v.mul(op.getHalf() ? v.bitXor(chunk, 1) : chunk, 16));
      }
      codes_[i] = nvvm::load(v, VectorType::get(bytes / 4, v.b.getI32Type()),
                             nvvm::offsetBytes(v, codes, v.toI64(place)), bytes);
      Value inTile = v.add(op.getApart() ? v.bitAnd(row, 63) : row, op.getFirst());
      Value scale =
          v.add(v.mul(v.bitAnd(inTile, 31), 16), v.mul(v.shru(inTile, 5), 4)); // the row's first of the stage
      if (hasShortBlocks_)
        scale = v.add(v.add(scale, v.mul(v.shru(block, 2), 512)), v.bitAnd(block, 3));
      else
        scale = v.add(scale, block);
      Value byte = nvvm::load(v, v.b.getI8Type(), nvvm::offsetBytes(v, scales, v.toI64(scale)), 1);
      scales_[i] = v.select(inside, arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), byte), one());
    }
  }

  bool isFour() const { return element_.getIntOrFloatBitWidth() == 4; }

  // i1: the short way would be wrong; of 8 bits.
  Value isSpecial() const {
    SmallVector<Value> words;
    for (int row = 0; row < kRows; ++row)
      for (int word = 0; word < kMmaSteps; ++word)
        words.push_back(this->word(row, word));
    return CodesToBf16(v_, element_).isSpecial(words, scales_);
  }

  Value quick() const {
    const CodesToBf16 convert(v_, element_);
    return fragments([&](int row) {
      SmallVector<Value> words;
      for (int step = 0; step < kMmaSteps; ++step)
        words.push_back(word(row, step));
      return convert.pairs(words, scales_[row]);
    });
  }

  Value careful() const {
    const CodesToBf16 convert(v_, element_);
    return fragments([&](int row) { return convert.specialPairs(codes_[row], scales_[row]); });
  }

  Value ofFourBits() const {
    const FourBitsToBf16 convert(v_, hasShortBlocks_);
    return fragments([&](int row) {
      Value factor = convert.factor(scales_[row]);
      SmallVector<Value> pairs;
      for (int word = 0; word < kMmaSteps / 2; ++word)
        pairs.append(convert.pairs(this->word(row, word), factor));
      return pairs;
    });
  }

private:
  Value one() const { return isFour() ? FourBitsToBf16(v_, hasShortBlocks_).one() : v_.i32(127); }
  Value word(int row, int index) const { return nvvm::element(v_, codes_[row], index); }

  // A step's four words: columns 2 t and up of both rows, then columns 2 t + 8 and up of both.
  static int place(int step, int pair, int row) { return 4 * step + 2 * pair + row; }
  Value fragments(function_ref<SmallVector<Value>(int row)> pairsOf) const {
    SmallVector<Value> words(kFragmentWords);
    for (int row = 0; row < kRows; ++row)
      for (auto [index, pair] : llvm::enumerate(pairsOf(row)))
        words[place(index / 2, index % 2, row)] = pair;
    return nvvm::fromElements(v_, VectorType::get(kFragmentWords, v_.b.getI32Type()), words);
  }

  const ValueBuilder &v_;
  Type element_;
  bool hasShortBlocks_;
  Value codes_[kRows], scales_[kRows];
};

} // namespace

static void lowerLoadFragments(mx::LoadFragmentsOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  LaneCodes lane(v, op, pipeline);
  if (lane.isFour()) {
    op.replaceAllUsesWith(lane.ofFourBits());
    op.erase();
    return;
  }
  auto branch = scf::IfOp::create(builder, op.getLoc(), op.getFragments().getType(), lane.isSpecial(),
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, op.getLoc(), lane.careful());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, op.getLoc(), lane.quick());
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

static void lowerFragmentMma(mx::FragmentMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  SmallVector<Value> words;
  for (int i = 0; i < kFragmentWords; ++i)
    words.push_back(nvvm::element(v, op.getFragments(), i));
  Value b = pipeline.descriptor(v, op.getRing(), op.getPart(), op.getStage(), kWarpgroupRows.bits());
  Value accumulator = op->getOperand(3); // registers by now
  op->replaceAllUsesWith(ValueRange{nvvm::fragmentMma(v, accumulator, words, b)});
  op.erase();
}

void populateFragmentLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerLoadFragments);
  lowerings.add(lowerFragmentMma);
}

} // namespace mxc
