// Codes in shared memory to bf16 operands of wgmma in registers.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kFragmentWords = 16;   // of a lane and half
constexpr int kRows = 2, kWords = 4; // of a lane: rows, words of a half of each, which is a piece of 16 bytes

// What a lane has of a stage.
class LaneCodes {
public:
  LaneCodes(const ValueBuilder &v, mx::LoadFragmentsOp op, Pipeline &pipeline)
      : v_(v), element_(op.getElement()) {
    Value thread =
        v.add(v.mul(v.sub(pipeline.warp(), v.i32(op->getParentOfType<mx::RoleOp>().getFirst())), 32),
              pipeline.lane());
    Value inEight = v.shru(v.bitAnd(thread, 31), 2), block = v.bitAnd(thread, 3);
    Value first = v.add(v.mul(v.shru(thread, 5), 16), inEight); // row
    Value codes = pipeline.part(v, op.getRing(), 0, op.getStage()),
          scales = pipeline.part(v, op.getRing(), 1, op.getStage());
    if (op.getApart())
      scales = nvvm::offsetBytes(v, scales, v.toI64(v.mul(v.shru(thread, 7), kScaleTileBytes)));
    Value inside = v.less(block, op.getBlocks());
    for (int i = 0; i < kRows; ++i) {
      Value row = v.add(first, 8 * i), at = v.mul(row, 128), chunk = v.bitXor(v.mul(block, 2), inEight);
      Value place = v.add(at, v.mul(op.getHalf() ? v.bitXor(chunk, 1) : chunk, 16));
      codes_[i] = nvvm::load(v, VectorType::get(kWords, v.b.getI32Type()),
                             nvvm::offsetBytes(v, codes, v.toI64(place)), 16);
      Value inTile = v.add(op.getApart() ? v.bitAnd(row, 63) : row, op.getFirst());
      Value scale = v.add(v.add(v.mul(v.bitAnd(inTile, 31), 16), v.mul(v.shru(inTile, 5), 4)), block);
      Value byte = nvvm::load(v, v.b.getI8Type(), nvvm::offsetBytes(v, scales, v.toI64(scale)), 1);
      scales_[i] = v.select(inside, arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), byte), v.i32(127));
    }
  }

  // i1: the short way would be wrong.
  Value isSpecial() const {
    SmallVector<Value> words;
    for (Value row : codes_)
      for (int word = 0; word < kWords; ++word)
        words.push_back(nvvm::element(v_, row, word));
    return CodesToBf16(v_, element_).isSpecial(words, scales_);
  }

  Value quick() const {
    const CodesToBf16 convert(v_, element_);
    SmallVector<Value> words(kFragmentWords);
    for (int i = 0; i < kRows; ++i) {
      Value factor = convert.factor(scales_[i]);
      for (int step = 0; step < kWords; ++step)
        for (int pair = 0; pair < 2; ++pair)
          words[place(step, pair, i)] = convert.pair(nvvm::element(v_, codes_[i], step), pair, factor);
    }
    return fragments(words);
  }

  Value careful() const {
    const CodesToBf16 convert(v_, element_);
    SmallVector<Value> words(kFragmentWords);
    for (int i = 0; i < kRows; ++i)
      for (auto [word, pair] : llvm::enumerate(convert.specialPairs(codes_[i], scales_[i])))
        words[place(word / 2, word % 2, i)] = pair;
    return fragments(words);
  }

private:
  // Of a step's four words: columns 2 t and up of both rows, then columns 2 t + 8 and up of both.
  static int place(int step, int pair, int row) { return 4 * step + 2 * pair + row; }
  Value fragments(ArrayRef<Value> words) const {
    return nvvm::fromElements(v_, VectorType::get(kFragmentWords, v_.b.getI32Type()), words);
  }

  const ValueBuilder &v_;
  Type element_;
  Value codes_[kRows], scales_[kRows];
};

} // namespace

static void lowerLoadFragments(mx::LoadFragmentsOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  LaneCodes lane(v, op, pipeline);
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
  Value b = pipeline.descriptor(v, op.getRing(), op.getPart(), op.getStage(), kWarpgroupOperand);
  Value accumulator = op->getOperand(3); // registers by now
  op->replaceAllUsesWith(ValueRange{nvvm::fragmentMma(v, accumulator, words, b)});
  op.erase();
}

void populateFragmentLowerings(PipelineLowerings &lowerings, const Target &) {
  lowerings.add(lowerLoadFragments);
  lowerings.add(lowerFragmentMma);
}

} // namespace mxc
