#include "compiler/lowering/quantize/EncodeBlocks.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/WideElements.h"

using namespace mlir;

namespace mxc {

CopyTypes::CopyTypes(const mx::QuantizedCopy &copy)
    : element(cast<MemRefType>(copy.data.getType()).getElementType()),
      scale(cast<MemRefType>(copy.scales.getType()).getElementType()) {}

namespace {
// The rule as attributes of the tile-level operations.
struct RuleAttributes {
  TypeAttr element, scale;
  mx::RoundingModeAttr rounding;
  mx::SpecialModeAttr special;
  mx::TinyModeAttr tiny;

  RuleAttributes(const QuantizeRule &rule, const CopyTypes &types)
      : element(TypeAttr::get(types.element)), scale(TypeAttr::get(types.scale)),
        rounding(mx::RoundingModeAttr::get(element.getContext(), mx::RoundingMode(rule.rounding))),
        special(mx::SpecialModeAttr::get(element.getContext(), mx::SpecialMode(rule.special))),
        tiny(mx::TinyModeAttr::get(element.getContext(), mx::TinyMode(rule.tiny))) {}

  mx::EncodeScaleOp encode(const ValueBuilder &v, Value amax, Value tensorScale = {},
                           bool toFour = false) const {
    return mx::EncodeScaleOp::create(v.b, v.loc, v.b.getI32Type(), v.b.getF32Type(), amax, tensorScale,
                                     element, scale, rounding, special, tiny,
                                     toFour ? v.b.getUnitAttr() : UnitAttr());
  }
};

// What becomes of elements in a line, whose block has a maximum.
struct LineEncoder {
  const ValueBuilder &v;
  const QuantizeRule &rule;
  const RuleAttributes &attributes;
  Value tensorScale;

  struct Encoded {
    Value scale, codes;
  };
  /// `words`: makes those of random bits; null: to nearest. Errors of lines that are not `valid` do not
  /// count.
  Encoded encode(Value line, Value valid, int lanesPerBlock, Value maximum,
                 function_ref<SmallVector<Value>()> words) const {
    mx::EncodeScaleOp scale = attributes.encode(v, maximum, tensorScale);
    Value codes = convert(line, scale, words);
    if (!rule.isFourOverSix) return {scale.getCode(), codes};
    mx::EncodeScaleOp other = attributes.encode(v, maximum, tensorScale, /*toFour=*/true);
    Value others = convert(line, other, words);
    auto errorOf = [&](Value ofCodes, Value code) {
      return mx::BlockErrorOp::create(v.b, v.loc, v.b.getF32Type(), line, ofCodes, code, tensorScale, valid,
                                      v.b.getI32IntegerAttr(lanesPerBlock), attributes.element,
                                      attributes.scale)
          .getResult();
    };
    Value isBetter = arith::CmpFOp::create(v.b, v.loc, arith::CmpFPredicate::OLT,
                                           errorOf(others, other.getCode()), errorOf(codes, scale.getCode()));
    return {v.select(isBetter, other.getCode(), scale.getCode()), v.select(isBetter, others, codes)};
  }

private:
  Value convert(Value line, mx::EncodeScaleOp scale, function_ref<SmallVector<Value>()> words) const {
    const int64_t count = cast<VectorType>(line.getType()).getNumElements();
    Type element = attributes.element.getValue(),
         codes = VectorType::get(mx::wordsOf(element, count), v.b.getI32Type());
    const auto rounding = words ? mx::CodeRounding::Stochastic : mx::CodeRounding::Nearest;
    return mx::ConvertPackOp::create(v.b, v.loc, codes, line, scale.getMultiplier(),
                                     words ? words() : SmallVector<Value>(), attributes.element,
                                     attributes.scale, mx::CodeRoundingAttr::get(v.b.getContext(), rounding));
  }
};
} // namespace

EncodedBlocks encodeBlocks(const ValueBuilder &v, const QuantizeRule &rule, CopyTypes types,
                           ArrayRef<Value> rows, ArrayRef<Value> valid, int lanesPerBlock, Value tensorScale,
                           function_ref<void(MutableArrayRef<Value>)> join,
                           function_ref<SmallVector<Value>(size_t)> random) {
  RuleAttributes attributes(rule, types);
  Type i32 = v.b.getI32Type();
  auto amax = mx::BlockAmaxOp::create(v.b, v.loc, SmallVector<Type>(rows.size(), i32), rows, valid,
                                      v.b.getI32IntegerAttr(lanesPerBlock), v.b.getI32IntegerAttr(1),
                                      attributes.special);
  SmallVector<Value> maxima(amax.getAmax());
  if (join) join(maxima);
  EncodedBlocks result;
  const LineEncoder encoder{v, rule, attributes, tensorScale};
  for (size_t j = 0; j < rows.size(); ++j) {
    auto wordsOfRow = [&] { return random(j); };
    auto [scale, itsCodes] = encoder.encode(rows[j], valid[j], lanesPerBlock, maxima[j],
                                            random ? function_ref<SmallVector<Value>()>(wordsOfRow)
                                                   : function_ref<SmallVector<Value>()>());
    result.scales.push_back(scale);
    result.codes.push_back(itsCodes);
  }
  return result;
}

bool mustClear(const QuantizeRule &rule) {
  if (rule.repeats != BlockShape{1, 1}) return true;
  return info(info(rule.format).scale).rule != ScaleRule::Quotient && blockScale(0, rule).code != 0;
}

void clearOutside(const ValueBuilder &v, const QuantizeRule &rule, const TilePosition &at,
                  MutableArrayRef<Value> scales) {
  if (!mustClear(rule)) return; // theirs are those of zeros
  Value isBlock = v.less(at.block, at.blocks);
  for (auto [scale, isRow] : llvm::zip(scales, at.rowValid))
    scale = v.select(v.bitAnd(isRow, isBlock), scale, v.i32(0));
}

SmallVector<Value> columnMaxima(const ValueBuilder &v, const QuantizeRule &rule, ArrayRef<Value> rows) {
  int64_t width = cast<VectorType>(rows.front().getType()).getNumElements();
  auto special = mx::SpecialModeAttr::get(v.b.getContext(), mx::SpecialMode(rule.special));
  auto amax = mx::ColumnAmaxOp::create(v.b, v.loc, SmallVector<Type>(width, v.b.getI32Type()), rows, special);
  return SmallVector<Value>(amax.getAmax());
}

// For columns: of each block [column or row].
static SmallVector<Value> convertColumns(const ValueBuilder &v, const RuleAttributes &attributes,
                                         ArrayRef<Value> rows, ArrayRef<Value> maxima, TypeRange results,
                                         bool isTransposed, Value tensorScale,
                                         SmallVectorImpl<Value> &scales) {
  SmallVector<Value> multipliers;
  mx::EncodeScaleOp scale;
  for (Value maximum : maxima) {
    if (!scale || scale.getAmax() != maximum) scale = attributes.encode(v, maximum, tensorScale);
    scales.push_back(scale.getCode());
    multipliers.push_back(scale.getMultiplier());
  }
  auto converted =
      mx::ConvertColumnsOp::create(v.b, v.loc, results, rows, multipliers, attributes.element,
                                   attributes.scale, isTransposed ? v.b.getUnitAttr() : UnitAttr());
  return SmallVector<Value>(converted.getCodes());
}

// A column of each of the rows, as what a lane has of a row.
static Value lineOf(const ValueBuilder &v, ArrayRef<Value> rows, int column) {
  SmallVector<Value> values;
  for (Value row : rows)
    values.push_back(wideElements(v, row)[column]);
  return nvvm::fromElements(v, VectorType::get(values.size(), v.b.getF32Type()), values);
}

EncodedBlocks encodeColumns(const ValueBuilder &v, const QuantizeRule &rule, CopyTypes types,
                            ArrayRef<Value> rows, ArrayRef<Value> maxima, bool isTransposed,
                            Value tensorScale, function_ref<SmallVector<Value>(int, int)> random) {
  RuleAttributes attributes(rule, types);
  const int64_t width = cast<VectorType>(rows.front().getType()).getNumElements(),
                blocks = int64_t(maxima.size()) / width, height = int64_t(rows.size()) / blocks;
  auto codes = VectorType::get(mx::wordsOf(types.element, isTransposed ? height : width), v.b.getI32Type());
  SmallVector<Type> results(isTransposed ? width : height, codes);
  const bool areLines = random || rule.isFourOverSix;
  const LineEncoder encoder{v, rule, attributes, tensorScale};
  EncodedBlocks result;
  SmallVector<Value> parts; // [block][column or row]
  for (int64_t block = 0; block < blocks; ++block) {
    ArrayRef<Value> its = rows.slice(block * height, height), itsMaxima = maxima.slice(block * width, width);
    if (!areLines) {
      llvm::append_range(parts, convertColumns(v, attributes, its, itsMaxima, results, isTransposed,
                                               tensorScale, result.scales));
      continue;
    }
    for (auto [column, maximum] : llvm::enumerate(itsMaxima)) {
      auto words = [&] { return random(int(column), int(block * height)); };
      auto [scale, line] = encoder.encode(
          lineOf(v, its, int(column)), v.i1(true), /*lanesPerBlock=*/1, maximum,
          random ? function_ref<SmallVector<Value>()>(words) : function_ref<SmallVector<Value>()>());
      result.scales.push_back(scale);
      parts.push_back(line);
    }
  }
  if (blocks == 1 || !isTransposed) {
    result.codes = parts;
    return result;
  }
  const int64_t words = codes.getNumElements();
  for (int64_t column = 0; column < width; ++column) {
    SmallVector<Value> ofColumn;
    for (int64_t i = 0; i < blocks * words; ++i)
      ofColumn.push_back(nvvm::element(v, parts[i / words * width + column], int(i % words)));
    result.codes.push_back(
        nvvm::fromElements(v, VectorType::get(blocks * words, v.b.getI32Type()), ofColumn));
  }
  return result;
}

Value rowOfWord(const ValueBuilder &v, const TilePosition &at, int lanesPerBlock) {
  return v.bitAnd(v.divu(at.lane, lanesPerBlock), 3);
}

Value firstBlockOfWord(const ValueBuilder &v, const TilePosition &at) {
  return v.bitAnd(at.block, ~int64_t(3));
}

Value scaleOffset(const ValueBuilder &v, mx::ScaleLayoutKind layout, Value row, Value block,
                  ScaleExtent extent) {
  const bool isMnMajor = info(ScaleLayout(layout)).order == ScaleTileOrder::MnMajor;
  return mx::ScaleOffsetOp::create(v.b, v.loc, v.b.getI64Type(), v.toI64(row), v.toI64(block),
                                   v.toI64(isMnMajor ? extent.rows : extent.blocks),
                                   mx::ScaleLayoutAttr::get(v.b.getContext(), layout));
}

namespace {

// Where the lanes of a tile store their scales.
struct ScaleStore {
  const ValueBuilder &v;
  Value scales;
  Type scale;
  mx::ScaleLayoutKind layout;
  const TilePosition &at;
  int lanes; // a block

  Value offsetOf(Value row, Value block) const {
    return scaleOffset(v, layout, row, block, {at.scaleRowCount, at.blocks});
  }

  void store(Value condition, Value value, Value offset, unsigned bytes) const {
    ifThen(v, condition, [&] { nvvm::store(v, value, nvvm::offsetBytes(v, scales, offset), bytes); });
  }

  // Tiles of scales of one byte: four blocks of a row are one 4-byte store; rows and blocks outside the
  // matrix have byte 0, which is padding.
  void storeWords(ArrayRef<Value> bytes) const {
    Value word = mx::GatherScalesOp::create(v.b, v.loc, v.b.getI32Type(), bytes, at.lane,
                                            v.b.getI32IntegerAttr(lanes));
    Value group = rowOfWord(v, at, lanes); // which of the four rows, or the one that stores
    Value firstBlock = firstBlockOfWord(v, at);
    Value stores = v.bitAnd(v.equal(v.bitAnd(at.lane, lanes - 1), v.i32(0)), v.less(firstBlock, at.blocks));
    Value row = at.scaleRows.front();
    if (at.wordRow)
      row = at.wordRow, stores = v.bitAnd(stores, at.wordValid);
    else if (bytes.size() == 4)
      row = v.add(v.toI64(row), v.toI64(v.mul(group, 32)));
    if (bytes.size() == 1) stores = v.bitAnd(stores, v.equal(group, v.i32(0)));
    store(stores, word, offsetOf(row, firstBlock), 4);
  }

  // Two neighbouring blocks of four rows 32 apart, of which the first one's lane stores two rows, and the
  // second one's the others. With the last block goes what follows it in its word.
  void storeHalfWords(ArrayRef<Value> codes) const {
    Value own = codes.front();
    for (auto [j, code] : llvm::enumerate(codes.drop_front()))
      own = v.bitOr(own, v.shl(code, 8 * (int64_t(j) + 1)));
    Value others = nvvm::shuffleXor(v, own, lanes);
    Value isSecond = v.cmp(ValueBuilder::Predicate::ne, v.bitAnd(at.lane, lanes), v.i32(0));
    Value both = nvvm::permuteBytes(v, own, others, v.select(isSecond, v.i32(0x3726), v.i32(0x5140)));
    Value firstBlock = v.bitAnd(at.block, ~int64_t(1)), following = v.add(firstBlock, 2);
    Value row = v.add(at.scaleRows.front(), v.toI64(v.select(isSecond, v.i32(64), v.i32(0))));
    Value place = nvvm::offsetBytes(v, scales, offsetOf(row, firstBlock));
    Value stores = v.bitAnd(v.equal(v.bitAnd(at.lane, lanes - 1), v.i32(0)), v.less(firstBlock, at.blocks));
    Value isFirstHalf = v.equal(v.bitAnd(firstBlock, 2), v.like(firstBlock, 0)),
          isLast = v.cmp(ValueBuilder::Predicate::sge, following, at.blocks);
    Type half = v.b.getI16Type();
    auto storeRows = [&](Value address, Value low, Value high) {
      nvvm::store(v, low, address, 2);
      nvvm::store(v, high, nvvm::offsetBytes(v, address, v.i64(kScaleTileBlocks)), 2);
    };
    ifThen(v, stores, [&] {
      storeRows(place, arith::TruncIOp::create(v.b, v.loc, half, both),
                arith::TruncIOp::create(v.b, v.loc, half, v.shru(both, 16)));
    });
    ifThen(v, v.bitAnd(stores, v.bitAnd(isFirstHalf, isLast)), [&] {
      Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(half));
      storeRows(nvvm::offsetBytes(v, place, v.i64(2)), zero, zero);
    });
  }

  // Lines of rows: four adjacent ones' scales are one store.
  void storeAdjacent(ArrayRef<Value> codes) const {
    const int64_t bits = scale.getIntOrFloatBitWidth();
    SmallVector<Value> ofRows; // padding, and rows of no group, are 0
    for (auto [code, isRow] : llvm::zip(codes, at.rowValid))
      ofRows.push_back(v.select(isRow, code, v.i32(0)));
    Value all;
    if (bits == 32)
      all = nvvm::fromElements(v, VectorType::get(ofRows.size(), v.b.getI32Type()), ofRows);
    else
      for (auto [j, code] : llvm::enumerate(ofRows))
        all = all ? v.bitOr(all, v.shl(code, bits * j)) : code;
    Value stores = v.bitAnd(v.equal(v.bitAnd(at.lane, lanes - 1), v.i32(0)), v.less(at.block, at.blocks));
    Value row = at.scaleRows.front();
    stores = v.bitAnd(stores, v.less(row, at.scaleRowCount));
    store(stores, all, v.mul(offsetOf(row, at.block), bits / 8), unsigned(ofRows.size() * bits / 8));
  }

  void storeEach(ArrayRef<Value> codes) const {
    const int64_t bits = scale.getIntOrFloatBitWidth();
    Value first = v.equal(v.bitAnd(at.lane, lanes - 1), v.i32(0));
    Value stores = v.bitAnd(first, v.less(at.block, at.blocks));
    const int tileRows = info(ScaleLayout(layout)).tileRows;
    for (auto [given, row, isRow] : llvm::zip(codes, at.scaleRows, at.rowValid)) {
      Value code = given, rowValid = isRow;
      if (tileRows > 1 && at.storesPadding) { // padding, and rows of no group, are 0
        code = v.select(isRow, code, v.i32(0));
        rowValid = v.less(row, v.mul(v.ceilDivu(at.scaleRowCount, tileRows), tileRows));
      }
      Value narrow = bits == 32 ? code : arith::TruncIOp::create(v.b, v.loc, v.b.getIntegerType(bits), code);
      Value offset = v.mul(offsetOf(row, at.block), bits / 8);
      store(v.bitAnd(stores, rowValid), narrow, offset, bits / 8);
      padBlocks(v.bitAnd(stores, rowValid), row, narrow.getType());
    }
  }

  // Where a tile has several blocks, the last one's lane writes what follows it.
  void padBlocks(Value stores, Value row, Type type) const {
    const int tileBlocks = info(ScaleLayout(layout)).tileBlocks;
    if (tileBlocks == 1) return;
    const int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type));
    Value whole = v.mul(v.ceilDivu(at.blocks, tileBlocks), tileBlocks);
    Value isLast = v.bitAnd(stores, v.equal(v.add(at.block, 1), at.blocks));
    for (int i = 1; i < tileBlocks; ++i) {
      Value block = v.add(at.block, i);
      store(v.bitAnd(isLast, v.less(block, whole)), zero, v.mul(offsetOf(row, block), bytes), bytes);
    }
  }
};

} // namespace

void storeScales(const ValueBuilder &v, Value scales, Type scale, mx::ScaleLayoutKind layout,
                 const TilePosition &at, int lanesPerBlock, ArrayRef<Value> codes) {
  ScaleStore place{v, scales, scale, layout, at, lanesPerBlock};
  const bool hasWords = layout == mx::ScaleLayoutKind::Tcgen05 && at.hasWords;
  if (at.rowsApart == 1) return place.storeAdjacent(codes);
  if (hasWords) return place.storeWords(codes);
  const bool hasHalfWords = layout == mx::ScaleLayoutKind::Tcgen05 && at.hasHalfWords;
  hasHalfWords &&codes.size() == 4 ? place.storeHalfWords(codes) : place.storeEach(codes);
}

} // namespace mxc
