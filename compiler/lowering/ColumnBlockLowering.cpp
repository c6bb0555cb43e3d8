// mx.column_amax and mx.convert_columns: a lane has whole blocks of adjacent columns in registers, so maxima
// need no shuffle, and two rows of a column make a pair of codes.
#include "compiler/lowering/PairMagnitudes.h"
#include "compiler/lowering/TileOpLowering.h"
#include "compiler/lowering/WideElements.h"
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

namespace {

int columnsOf(ValueRange rows) { return cast<VectorType>(rows.front().getType()).getNumElements(); }
Type elementOf(ValueRange rows) { return cast<VectorType>(rows.front().getType()).getElementType(); }

struct LowerColumnAmax : OpRewritePattern<mx::ColumnAmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::ColumnAmaxOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    Type element = elementOf(op.getRows()), i32 = rewriter.getI32Type();
    int columns = columnsOf(op.getRows());
    SmallVector<Value> results;
    if (element.isF32())
      for (int column = 0; column < columns; ++column) {
        SmallVector<Value> elements;
        for (Value row : op.getRows())
          elements.push_back(nvvm::element(v, row, column));
        results.push_back(largestBits(v, elements, op.getSpecial()));
      }
    else
      for (int pair = 0; pair < columns / 2; ++pair) {
        SmallVector<Value> words;
        for (Value row : op.getRows())
          words.push_back(nvvm::element(v, nvvm::bitcast(v, VectorType::get(columns / 2, i32), row), pair));
        Value largest = nvvm::bitcast(v, i32, largestPair(v, words, element, op.getSpecial()));
        results.push_back(wideBits(v, largest, element, /*upper=*/false));
        results.push_back(wideBits(v, largest, element, /*upper=*/true));
      }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct LowerConvertColumns : OpRewritePattern<mx::ConvertColumnsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mx::ConvertColumnsOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    ElementFormat format = *mx::elementFormatOf(op.getElement());
    SmallVector<SmallVector<Value>> scaled; // f32, [row][column]
    for (Value row : op.getRows()) {
      scaled.push_back(wideElements(v, row));
      for (auto [value, multiplier] : llvm::zip(scaled.back(), op.getMultipliers()))
        value = arith::MulFOp::create(rewriter, op.getLoc(), value, multiplier); // exact: a power of two
    }
    SmallVector<Value> results;
    for (Type type : op.getCodes().getTypes()) {
      unsigned line = results.size();
      auto at = [&](int64_t i) { return op.getTranspose() ? scaled[i][line] : scaled[line][i]; };
      SmallVector<Value> pairs;
      for (int64_t i = 0; i < cast<VectorType>(type).getNumElements(); i += 2)
        pairs.push_back(nvvm::encodePair(v, format, at(i), at(i + 1)));
      Value words = nvvm::fromElements(v, VectorType::get(pairs.size(), rewriter.getI16Type()), pairs);
      results.push_back(nvvm::bitcast(v, type, words));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateColumnBlockLowering(RewritePatternSet &patterns) {
  patterns.add<LowerColumnAmax, LowerConvertColumns>(patterns.getContext());
}

} // namespace mxc
