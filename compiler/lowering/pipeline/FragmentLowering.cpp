// Codes in shared memory to bf16 operands of wgmma in registers.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

// How codes become bf16 without a conversion: sign, exponent and mantissa move to their places, which leaves
// a value 2^bias times too small; the scale makes up for it.
struct CodeBits {
  int shift;          // of the code's lower 7 bits in a half whose upper byte repeats the sign
  int64_t kept;       // of a pair
  int bias;           // 127 minus the format's
  int64_t special;    // bits of a word of codes in which only NaN and infinity are all ones
  int64_t specialOne; // what carries into bit 7 where they are
};
const CodeBits &bitsOf(Type element) {
  static constexpr CodeBits kE4m3 = {4, 0x87f087f0, 120, 0x7f7f7f7f, 0x01010101},
                            kE5m2 = {5, 0x8fe08fe0, 112, 0x7c7c7c7c, 0x04040404};
  return *mx::elementFormatOf(element) == ElementFormat::E4M3 ? kE4m3 : kE5m2;
}

constexpr int kRows = 2, kHalves = 2, kWords = 4; // of a lane: rows, 16-byte pieces of each, words of those

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
    Value inside = v.less(block, op.getBlocks());
    for (int i = 0; i < kRows; ++i) {
      Value row = v.add(first, 8 * i), at = v.mul(row, 128), chunk = v.bitXor(v.mul(block, 2), inEight);
      for (int half = 0; half < kHalves; ++half) {
        Value place = v.add(at, v.mul(half ? v.bitXor(chunk, 1) : chunk, 16));
        codes_[i][half] = nvvm::load(v, VectorType::get(kWords, v.b.getI32Type()),
                                     nvvm::offsetBytes(v, codes, v.toI64(place)), 16);
      }
      Value scale = v.add(v.add(v.mul(v.bitAnd(row, 31), 16), v.mul(v.shru(row, 5), 4)), block);
      Value byte = nvvm::load(v, v.b.getI8Type(), nvvm::offsetBytes(v, scales, v.toI64(scale)), 1);
      scales_[i] = v.select(inside, arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), byte), v.i32(127));
    }
  }

  // i1: some code is NaN or infinity, or a scale is one that the short way cannot multiply by.
  Value isSpecial() const {
    const CodeBits &bits = bitsOf(element_);
    Value carried = v_.i32(0);
    for (const auto &row : codes_)
      for (Value piece : row)
        for (int word = 0; word < kWords; ++word) {
          Value kept = v_.bitAnd(nvvm::element(v_, piece, word), bits.special);
          carried = v_.bitOr(carried, v_.add(kept, bits.specialOne));
        }
    Value special = v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(carried, 0x80808080), v_.i32(0));
    for (Value scale : scales_)
      special = v_.bitOr(special, v_.cmp(ValueBuilder::Predicate::ugt, scale, v_.i32(254 - bits.bias)));
    return special;
  }

  Value quick() const {
    const CodeBits &bits = bitsOf(element_);
    SmallVector<Value> words(32);
    auto pairType = VectorType::get(2, v_.b.getBF16Type());
    for (int i = 0; i < kRows; ++i) {
      Value exponent = v_.shl(v_.add(scales_[i], bits.bias), 7);
      Value factor = nvvm::bitcast(v_, pairType, v_.bitOr(exponent, v_.shl(exponent, 16)));
      for (int step = 0; step < kHalves * kWords; ++step)
        for (int pair = 0; pair < 2; ++pair) {
          // Two codes with their signs' bytes: prmt repeats the sign where the selector's bit 3 is set.
          Value code = nvvm::element(v_, codes_[i][step / kWords], step % kWords);
          Value spread = nvvm::permuteBytes(v_, code, v_.i32(0), v_.i32(pair ? 0xB3A2 : 0x9180));
          Value moved = v_.bitAnd(v_.shl(spread, bits.shift), bits.kept);
          Value product = arith::MulFOp::create(v_.b, v_.loc, nvvm::bitcast(v_, pairType, moved), factor);
          words[place(step, pair, i)] = nvvm::bitcast(v_, v_.b.getI32Type(), product);
        }
    }
    return nvvm::fromElements(v_, VectorType::get(32, v_.b.getI32Type()), words);
  }

  Value careful() const {
    SmallVector<Value> words(32);
    for (int i = 0; i < kRows; ++i)
      for (int half = 0; half < kHalves; ++half) {
        Value codes = nvvm::bitcast(v_, VectorType::get(16, v_.b.getI8Type()), codes_[i][half]);
        Value scale = mx::DecodeScaleOp::create(v_.b, v_.loc, v_.b.getF32Type(), scales_[i]);
        Value values = mx::ConvertUnpackOp::create(v_.b, v_.loc, VectorType::get(16, v_.b.getBF16Type()),
                                                   codes, scale, TypeAttr::get(element_));
        values = nvvm::bitcast(v_, VectorType::get(8, v_.b.getI32Type()), values);
        for (int word = 0; word < 8; ++word)
          words[place(half * kWords + word / 2, word % 2, i)] = nvvm::element(v_, values, word);
      }
    return nvvm::fromElements(v_, VectorType::get(32, v_.b.getI32Type()), words);
  }

private:
  // Of a step's four words: columns 2 t and up of both rows, then columns 2 t + 8 and up of both.
  static int place(int step, int pair, int row) { return 4 * step + 2 * pair + row; }

  const ValueBuilder &v_;
  Type element_;
  Value codes_[kRows][kHalves], scales_[kRows];
};

} // namespace

void lowerLoadFragments(mx::LoadFragmentsOp op, Pipeline &pipeline) {
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

void lowerFragmentMma(mx::FragmentMmaOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  SmallVector<Value> words;
  for (int i = 0; i < 32; ++i)
    words.push_back(nvvm::element(v, op.getFragments(), i));
  Value halves[2];
  for (int half = 0; half < 2; ++half)
    halves[half] = pipeline.descriptor(v, op.getRing(), half, op.getStage(), kWarpgroupOperand);
  Value accumulator = op->getOperand(3); // registers by now
  op->replaceAllUsesWith(ValueRange{nvvm::fragmentMma(v, accumulator, words, halves[0], halves[1])});
  op.erase();
}

} // namespace mxc
