// mx.column_amax and mx.convert_columns: a lane has whole blocks of adjacent columns in registers, so maxima
// need no shuffle, and two rows of a column make a pair of codes.
#include "compiler/lowering/nvvm/Conversions.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/PackedPairs.h"
#include "compiler/lowering/ops/PairMagnitudes.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "compiler/lowering/ops/WideElements.h"

using namespace mlir;

namespace mxc {

namespace {

int columnsOf(ValueRange rows) { return cast<VectorType>(rows.front().getType()).getNumElements(); }
Type elementOf(ValueRange rows) { return cast<VectorType>(rows.front().getType()).getElementType(); }

struct LowerColumnAmax : OpRewritePattern<mx::ColumnAmaxOp> {
  LowerColumnAmax(MLIRContext *context, bool isPacked) : OpRewritePattern(context), isPacked_(isPacked) {}

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
        Value largest = nvvm::bitcast(v, i32, largestPair(v, words, element, op.getSpecial(), isPacked_));
        results.push_back(wideBits(v, largest, element, /*upper=*/false));
        results.push_back(wideBits(v, largest, element, /*upper=*/true));
      }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  bool isPacked_;
};

struct LowerConvertColumns : OpRewritePattern<mx::ConvertColumnsOp> {
  LowerConvertColumns(MLIRContext *context, nvvm::ConversionForms forms)
      : OpRewritePattern(context), forms_(forms) {}

  LogicalResult matchAndRewrite(mx::ConvertColumnsOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    const unsigned bits = op.getElement().getIntOrFloatBitWidth();
    const bool arePairs =
        hasPowerOfTwoScale(op) && elementOf(op.getRows()).isBF16() && columnsOf(op.getRows()) == 2;
    if (bits == 8)
      rewriter.replaceOp(op, arePairs && forms_.packedBf16 ? packed(v, op) : wide(v, op));
    else if (bits == 4 && arePairs && nvvm::encodesPairs(op.getElement(), forms_))
      rewriter.replaceOp(op, fourBitsOfPairs(v, op));
    else
      rewriter.replaceOp(op, asLines(v, op));
    return success();
  }

private:
  static SmallVector<Value> wide(const ValueBuilder &v, mx::ConvertColumnsOp op) {
    SmallVector<SmallVector<Value>> scaled; // f32, [row][column]
    for (Value row : op.getRows()) {
      scaled.push_back(wideElements(v, row));
      for (auto [value, multiplier] : llvm::zip(scaled.back(), op.getMultipliers()))
        value = arith::MulFOp::create(v.b, v.loc, value, multiplier);
    }
    SmallVector<Value> results;
    for (Type type : op.getCodes().getTypes()) {
      unsigned line = results.size();
      auto at = [&](int64_t i) { return op.getTranspose() ? scaled[i][line] : scaled[line][i]; };
      SmallVector<Value> pairs;
      for (size_t i = 0; i < (op.getTranspose() ? scaled.size() : scaled[line].size()); i += 2)
        pairs.push_back(nvvm::encodePair(v, op.getElement(), at(i), at(i + 1)));
      results.push_back(wordsOfPairs(v, type, pairs));
    }
    return results;
  }

  // With bf16 both columns' codes of a row come from one conversion; four rows of a column are a word.
  static SmallVector<Value> packed(const ValueBuilder &v, mx::ConvertColumnsOp op) {
    Value multipliers = packMultipliers(v, op.getMultipliers()[0], op.getMultipliers()[1]);
    SmallVector<Value> pairs; // i16 a row
    for (Value row : op.getRows())
      pairs.push_back(nvvm::encodePackedPair(v, op.getElement(), scaledPairs(v, row, multipliers).front()));
    if (!op.getTranspose()) {
      for (auto [pair, type] : llvm::zip(pairs, op.getCodes().getTypes()))
        pair = wordsOfPairs(v, type, pair);
      return pairs;
    }
    Type i32 = v.b.getI32Type(), halves = VectorType::get(2, v.b.getI16Type());
    auto join = [&](size_t i) {
      return nvvm::bitcast(v, i32, nvvm::fromElements(v, halves, {pairs[i], pairs[i + 1]}));
    };
    SmallVector<Value> words[2];
    for (size_t i = 0; i < pairs.size(); i += 4) {
      Value low = join(i), high = join(i + 2);
      words[0].push_back(nvvm::permuteBytes(v, low, high, v.i32(0x6420)));
      words[1].push_back(nvvm::permuteBytes(v, low, high, v.i32(0x7531)));
    }
    SmallVector<Value> results;
    for (auto [column, type] : llvm::zip(words, op.getCodes().getTypes()))
      results.push_back(
          nvvm::bitcast(v, type, nvvm::fromElements(v, VectorType::get(column.size(), i32), column)));
    return results;
  }

  // Below 8 bits a column is what a lane has of a row: its values, in a line.
  static SmallVector<Value> asLines(const ValueBuilder &v, mx::ConvertColumnsOp op) {
    SmallVector<SmallVector<Value>> rows; // f32, [row][column]
    for (Value row : op.getRows())
      rows.push_back(wideElements(v, row));
    auto line = VectorType::get(int64_t(rows.size()), v.b.getF32Type());
    SmallVector<Value> results;
    for (auto [column, multiplier] : llvm::enumerate(op.getMultipliers())) {
      SmallVector<Value> values;
      for (const SmallVector<Value> &row : rows)
        values.push_back(row[column]);
      auto codes = mx::ConvertPackOp::create(
          v.b, v.loc, op.getCodes()[column].getType(), nvvm::fromElements(v, line, values), multiplier,
          /*random=*/ValueRange(), op.getElement(), op.getScale(), mx::CodeRounding::Nearest);
      if (op->hasAttr(kNanByMultiplier)) codes->setAttr(kNanByMultiplier, v.b.getUnitAttr());
      results.push_back(codes);
    }
    return results;
  }

  // With bf16 both columns' codes of a row come from one conversion, a byte. The even ones of eight rows are
  // a word and the odd ones another, so that what lies in the low halves of bytes is one column's word, and
  // what lies in the high ones the other's.
  SmallVector<Value> fourBitsOfPairs(const ValueBuilder &v, mx::ConvertColumnsOp op) const {
    constexpr int kRun = 8;
    constexpr int64_t kLow = 0x0f0f0f0f, kHigh = int32_t(0xf0f0f0f0);
    Value multipliers = packMultipliers(v, op.getMultipliers()[0], op.getMultipliers()[1]);
    SmallVector<Value> pairs, words[2];
    for (size_t run = 0; run < op.getRows().size(); run += kRun)
      for (int parity : {0, 1})
        for (size_t r = run + parity; r < run + kRun; r += 2)
          pairs.push_back(scaledPairs(v, op.getRows()[r], multipliers).front());
    SmallVector<Value> bytes = nvvm::encodePackedWords(v, op.getElement(), pairs, forms_);
    for (size_t i = 0; i < bytes.size(); i += 2) {
      Value even = bytes[i], odd = bytes[i + 1];
      words[0].push_back(v.bitOr(v.bitAnd(even, kLow), v.bitAnd(v.shl(odd, 4), kHigh)));
      words[1].push_back(v.bitOr(v.bitAnd(v.shru(even, 4), kLow), v.bitAnd(odd, kHigh)));
    }
    SmallVector<Value> results;
    for (auto [column, type] : llvm::zip(words, op.getCodes().getTypes()))
      results.push_back(nvvm::fromElements(v, type, column));
    return results;
  }

  nvvm::ConversionForms forms_;
};

} // namespace

void populateColumnAmaxPatterns(RewritePatternSet &patterns, bool isPacked) {
  patterns.add<LowerColumnAmax>(patterns.getContext(), isPacked);
}

void populateConvertColumnsPatterns(RewritePatternSet &patterns, nvvm::ConversionForms forms) {
  patterns.add<LowerConvertColumns>(patterns.getContext(), forms);
}

} // namespace mxc
