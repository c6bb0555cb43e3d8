// mx.convert_pack and mx.convert_unpack: two elements at a time through the hardware's conversions. bf16 is
// scaled two a register; what converts f32 only gets it wide.
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/PackedPairs.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/ops/WideElements.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

namespace {

// Two codes an i16.
Value pairsOfWords(const ValueBuilder &v, Value words) {
  int64_t count = cast<VectorType>(words.getType()).getNumElements();
  return nvvm::bitcast(v, VectorType::get(2 * count, v.b.getI16Type()), words);
}

bool isBelowByte(Type element) { return element.getIntOrFloatBitWidth() < 8; }

struct LowerConvertPack : OpRewritePattern<mx::ConvertPackOp> {
  LowerConvertPack(MLIRContext *context, nvvm::ConversionForms forms)
      : OpRewritePattern(context), forms_(forms) {}

  LogicalResult matchAndRewrite(mx::ConvertPackOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    bool isBf16 = cast<VectorType>(op.getValues().getType()).getElementType().isBF16();
    if (isBelowByte(op.getElement())) {
      SmallVector<Value> words = wordsOfValues(v, op, isBf16 && hasPowerOfTwoScale(op));
      rewriter.replaceOp(op, nvvm::fromElements(v, op.getType(), words));
      return success();
    }
    SmallVector<Value> pairs = isBf16 && hasPowerOfTwoScale(op) ? ofBf16(v, op) : ofOthers(v, op);
    rewriter.replaceOp(op, wordsOfPairs(v, op.getType(), pairs, firstUser(op)));
    return success();
  }

private:
  // Words are one value where they are first used: ptxas orders machine code by it.
  static Operation *firstUser(mx::ConvertPackOp op) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (user->getBlock() == op->getBlock() && (!first || user->isBeforeInBlock(first))) first = user;
    return first;
  }

  // Elements of less than a byte.
  SmallVector<Value> wordsOfValues(const ValueBuilder &v, mx::ConvertPackOp op, bool scalesPairs) const {
    const bool isStochastic = op.getRounding() == mx::CodeRounding::Stochastic;
    if (isStochastic && forms_.stochastic)
      return nvvm::encodeStochastic(v, scaledTwoByTwo(v, op), op.getRandom());
    if (isStochastic || (!scalesPairs && nvvm::encodesFourBitsByArithmetic(op.getElement(), forms_)))
      return fourBitsByArithmetic(v, op);
    if (!scalesPairs) return nvvm::encodeWords(v, op.getElement(), scaledTwoByTwo(v, op), forms_);
    Value multipliers = packMultipliers(v, op.getMultiplier(), op.getMultiplier());
    SmallVector<Value> pairs = scaledPairs(v, op.getValues(), multipliers), values;
    if (nvvm::encodesPairs(op.getElement(), forms_))
      return nvvm::encodePackedWords(v, op.getElement(), pairs, forms_);
    for (Value pair : pairs)
      llvm::append_range(values, wideElements(v, pair));
    return nvvm::encodeWords(v, op.getElement(), values, forms_);
  }

  // Without NaN among the products they need not be there. Else 8, above all codes, stands for NaN.
  static SmallVector<Value> fourBitsByArithmetic(const ValueBuilder &v, mx::ConvertPackOp op) {
    const bool isFinite = op->hasAttr(kNanByMultiplier);
    Type i32 = v.b.getI32Type();
    SmallVector<Value> values = isFinite ? wideElements(v, op.getValues()) : scaledTwoByTwo(v, op), signs;
    auto type = cast<VectorType>(op.getValues().getType());
    if (isFinite && type.getElementTypeBitWidth() == 16) {
      Value words = nvvm::bitcast(v, VectorType::get(type.getNumElements() / 2, i32), op.getValues());
      for (int i = 0; i < type.getNumElements() / 2; ++i)
        signs.push_back(nvvm::element(v, words, i));
      return nvvm::encodeFourBits(v, values, signs, op.getMultiplier(), op.getRandom());
    }
    Value most = arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(8));
    for (Value &value : values)
      if (!isFinite) value = nvvm::minIgnoringNan(v, value, most);
    for (size_t i = 0; i < values.size(); i += 2)
      signs.push_back(nvvm::permuteBytes(v, nvvm::bitcast(v, i32, values[i]),
                                         nvvm::bitcast(v, i32, values[i + 1]), v.i32(0x7632)));
    return nvvm::encodeFourBits(v, values, signs, isFinite ? op.getMultiplier() : Value(), op.getRandom());
  }

  // Two products an instruction, where the chip has it.
  static SmallVector<Value> scaledTwoByTwo(const ValueBuilder &v, mx::ConvertPackOp op) {
    SmallVector<Value> values = wideElements(v, op.getValues()), scaled;
    Type pair = VectorType::get(2, v.b.getF32Type());
    Value multipliers = nvvm::fromElements(v, pair, {op.getMultiplier(), op.getMultiplier()});
    for (size_t i = 0; i < values.size(); i += 2) {
      Value both = nvvm::fromElements(v, pair, {values[i], values[i + 1]});
      both = arith::MulFOp::create(v.b, v.loc, both, multipliers);
      scaled.push_back(nvvm::element(v, both, 0)), scaled.push_back(nvvm::element(v, both, 1));
    }
    return scaled;
  }

  SmallVector<Value> ofBf16(const ValueBuilder &v, mx::ConvertPackOp op) const {
    Value multipliers = packMultipliers(v, op.getMultiplier(), op.getMultiplier());
    SmallVector<Value> pairs = scaledPairs(v, op.getValues(), multipliers);
    for (Value &pair : pairs) {
      if (forms_.packedBf16) {
        pair = nvvm::encodePackedPair(v, op.getElement(), pair);
        continue;
      }
      SmallVector<Value> values = wideElements(v, pair);
      pair = nvvm::encodePair(v, op.getElement(), values[0], values[1]);
    }
    return pairs;
  }

  static SmallVector<Value> ofOthers(const ValueBuilder &v, mx::ConvertPackOp op) {
    SmallVector<Value> values = scaledTwoByTwo(v, op), pairs;
    for (size_t i = 0; i < values.size(); i += 2)
      pairs.push_back(nvvm::encodePair(v, op.getElement(), values[i], values[i + 1]));
    return pairs;
  }

  nvvm::ConversionForms forms_;
};

struct LowerConvertUnpack : OpRewritePattern<mx::ConvertUnpackOp> {
  LowerConvertUnpack(MLIRContext *context, nvvm::ConversionForms forms)
      : OpRewritePattern(context), forms_(forms) {}

  LogicalResult matchAndRewrite(mx::ConvertUnpackOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    auto type = cast<VectorType>(op.getType());
    int pairs = type.getNumElements() / 2;
    SmallVector<Value> decoded, values; // every element's value is an f16
    if (isBelowByte(op.getElement())) {
      SmallVector<Value> words;
      for (int64_t i = 0; i < cast<VectorType>(op.getCodes().getType()).getNumElements(); ++i)
        words.push_back(nvvm::element(v, op.getCodes(), i));
      decoded = nvvm::decodeWords(v, op.getElement(), words, forms_);
    }
    Value codes = isBelowByte(op.getElement()) ? Value() : pairsOfWords(v, op.getCodes());
    for (int i = 0; i < pairs; ++i) {
      Value halves = codes ? nvvm::decodePair(v, op.getElement(), nvvm::element(v, codes, i)) : decoded[i];
      for (int lane : {0, 1}) {
        Value value = arith::ExtFOp::create(rewriter, op.getLoc(), rewriter.getF32Type(),
                                            nvvm::element(v, halves, lane));
        value = arith::MulFOp::create(rewriter, op.getLoc(), value, op.getScale());
        if (op.getTensorScale())
          value = arith::MulFOp::create(rewriter, op.getLoc(), value, op.getTensorScale());
        if (!type.getElementType().isF32())
          value = arith::TruncFOp::create(rewriter, op.getLoc(), type.getElementType(), value);
        values.push_back(value);
      }
    }
    rewriter.replaceOp(op, nvvm::fromElements(v, type, values));
    return success();
  }

private:
  nvvm::ConversionForms forms_;
};

} // namespace

void markNanByMultiplier(Operation *root) {
  auto propagates = [](Value multiplier) {
    auto scale = multiplier.getDefiningOp<mx::EncodeScaleOp>();
    return scale && scale.getSpecial() == mx::SpecialMode::Propagate;
  };
  root->walk([&](Operation *op) {
    auto pack = dyn_cast<mx::ConvertPackOp>(op);
    auto columns = dyn_cast<mx::ConvertColumnsOp>(op);
    if ((pack && propagates(pack.getMultiplier())) ||
        (columns && llvm::all_of(columns.getMultipliers(), propagates)))
      op->setAttr(kNanByMultiplier, UnitAttr::get(op->getContext()));
  });
}

void lowerScaledConversions(Operation *root) {
  root->walk([](mx::ConvertUnpackOp op) {
    auto type = cast<VectorType>(op.getType());
    auto decoded = op.getScale().getDefiningOp<mx::DecodeScaleOp>();
    if (!decoded || *mx::scaleFormatOf(decoded.getScale()) != ScaleFormat::UE8M0 ||
        isBelowByte(op.getElement()) || !type.getElementType().isBF16())
      return;
    OpBuilder builder(op);
    ValueBuilder v{builder, op.getLoc()};
    Value byte = v.bitAnd(decoded.getCode(), 0xFF); // of both elements
    Value scales = arith::TruncIOp::create(builder, op.getLoc(), builder.getI16Type(), v.mul(byte, 0x0101));
    Value codes = pairsOfWords(v, op.getCodes());
    SmallVector<Value> words;
    for (int i = 0; i < type.getNumElements() / 2; ++i) {
      Value pair = nvvm::decodeScaledPair(v, op.getElement(), nvvm::element(v, codes, i), scales);
      words.push_back(nvvm::bitcast(v, builder.getI32Type(), pair));
    }
    Value all = nvvm::fromElements(v, VectorType::get(words.size(), builder.getI32Type()), words);
    op.replaceAllUsesWith(nvvm::bitcast(v, type, all));
    op.erase();
  });
}

void populateConvertPatterns(RewritePatternSet &patterns, nvvm::ConversionForms forms) {
  patterns.add<LowerConvertPack, LowerConvertUnpack>(patterns.getContext(), forms);
}

} // namespace mxc
