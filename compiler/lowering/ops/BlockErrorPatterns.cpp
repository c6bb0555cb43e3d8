// mx.block_error: differences and squares, two at a time where the chip has such instructions.
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/Quotients.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/ops/TwoLevelScales.h"
#include "compiler/lowering/ops/WideElements.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

namespace {

struct LowerBlockError : OpRewritePattern<mx::BlockErrorOp> {
  LowerBlockError(MLIRContext *context, nvvm::ConversionForms forms)
      : OpRewritePattern(context), forms_(forms) {}

  LogicalResult matchAndRewrite(mx::BlockErrorOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    Type pair = VectorType::get(2, rewriter.getF32Type());
    const auto add = [&](Value x, Value y) { return arith::AddFOp::create(v.b, v.loc, x, y).getResult(); };
    SmallVector<Value> off = differences(v, op, pair), runs;
    for (size_t i = 0; i < off.size(); i += kErrorRun / 2) {
      Value first = arith::MulFOp::create(v.b, v.loc, off[i], off[i]);
      runs.push_back(nvvm::multiplyAdd(v, off[i + 1], off[i + 1], first));
    }
    for (; runs.size() > 1; runs.resize(runs.size() / 2))
      for (size_t i = 0; i < runs.size() / 2; ++i)
        runs[i] = add(runs[2 * i], runs[2 * i + 1]);
    Value sum = runs.front();
    if (op.getLanes() > 1) {
      Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(pair));
      sum = v.select(op.getValid(), sum, zero);
    }
    for (int distance = 1; distance < int(op.getLanes()); distance *= 2)
      sum = add(sum, shuffled(v, sum, distance));
    rewriter.replaceOp(op, add(nvvm::element(v, sum, 0), nvvm::element(v, sum, 1)));
    return success();
  }

private:
  // code * scale - value / tensor scale of pairs of elements; the first product is exact.
  SmallVector<Value> differences(const ValueBuilder &v, mx::BlockErrorOp op, Type pair) const {
    const auto twice = [&](Value x) { return nvvm::fromElements(v, pair, {x, x}); };
    Value low = arith::TruncIOp::create(v.b, v.loc, v.b.getI16Type(), op.getScaleCode());
    Value scale = twice(decodeUe4m3(v, op.getScale(), low));
    Value reciprocal =
        twice(arith::NegFOp::create(v.b, v.loc, reciprocalOfTensorScale(v, op.getTensorScale())));
    SmallVector<Value> words, off, values = wideElements(v, op.getValues());
    for (int i = 0; i < cast<VectorType>(op.getCodes().getType()).getNumElements(); ++i)
      words.push_back(nvvm::element(v, op.getCodes(), i));
    for (auto [i, halves] : llvm::enumerate(nvvm::decodeWords(v, op.getElement(), words, forms_))) {
      if (2 * i == values.size()) break; // a word that is not full
      Value value = nvvm::fromElements(v, pair, {values[2 * i], values[2 * i + 1]});
      Value code = arith::ExtFOp::create(v.b, v.loc, pair, halves);
      off.push_back(nvvm::multiplyAdd(v, code, scale, arith::MulFOp::create(v.b, v.loc, value, reciprocal)));
    }
    return off;
  }

  static Value shuffled(const ValueBuilder &v, Value pair, int distance) {
    SmallVector<Value> parts;
    for (int i : {0, 1}) {
      Value bits = nvvm::bitcast(v, v.b.getI32Type(), nvvm::element(v, pair, i));
      parts.push_back(nvvm::bitcast(v, v.b.getF32Type(), nvvm::shuffleXor(v, bits, distance)));
    }
    return nvvm::fromElements(v, pair.getType(), parts);
  }

  nvvm::ConversionForms forms_;
};

} // namespace

void populateBlockErrorPatterns(RewritePatternSet &patterns, nvvm::ConversionForms forms) {
  patterns.add<LowerBlockError>(patterns.getContext(), forms);
}

} // namespace mxc
