#include "dialect/kernel/MxQuantizeClauses.h"
#include "dialect/attributes/OfferedWords.h"

#include <array>

using namespace mlir;
using namespace mxc::mx;

namespace {
struct NamedOperand {
  StringRef clause;
  ClauseOperand &operand;
  Type &type;
  std::function<void()> isGiven = [] {};
};
} // namespace

// `first(%a : type) second(%b : type)`, in any order.
static ParseResult parseOperands(OpAsmParser &parser, ArrayRef<NamedOperand> named) {
  SMLoc place = parser.getCurrentLocation();
  StringRef clause;
  auto words = llvm::map_to_vector(named, [](const NamedOperand &each) { return each.clause; });
  while (succeeded(parser.parseOptionalKeyword(&clause, words))) {
    const NamedOperand &given =
        *llvm::find_if(named, [&](const NamedOperand &each) { return each.clause == clause; });
    if (given.operand) return parser.emitError(place) << "'" << clause << "' is given twice";
    if (parser.parseLParen() || parser.parseOperand(given.operand.emplace()) ||
        parser.parseColonType(given.type) || parser.parseRParen())
      return failure();
    given.isGiven();
    place = parser.getCurrentLocation();
  }
  return success();
}

static void printOperand(OpAsmPrinter &p, StringRef clause, Value operand, Type type) {
  if (operand) p << " " << clause << "(" << operand << " : " << type << ")";
}

// A number for the whole tensor, by the word that says what it is.
static std::array<NamedOperand, 3> tensorNumbers(OpAsmParser &parser, ClauseOperand &number, Type &type,
                                                 TensorSenseAttr &sense) {
  auto named = [&](TensorSense of) -> NamedOperand {
    return {stringifyTensorSense(of), number, type, [&parser, &sense, of] {
              if (of != TensorSense::Scale) sense = TensorSenseAttr::get(parser.getContext(), of);
            }};
  };
  return {named(TensorSense::Scale), named(TensorSense::Amax), named(TensorSense::Divisor)};
}

static void printTensorNumber(OpAsmPrinter &p, Value number, Type type, TensorSenseAttr sense) {
  printOperand(p, stringifyTensorSense(sense ? sense.getValue() : TensorSense::Scale), number, type);
}

ParseResult mxc::mx::parseRowClauses(OpAsmParser &parser, ClauseOperand &ends, Type &endsType,
                                     ClauseOperand &gather, Type &gatherType, ClauseOperand &tensorScale,
                                     Type &tensorScaleType, TensorSenseAttr &sense, ClauseOperand &rowValues,
                                     Type &rowValuesType, ClauseOperand &random, Type &randomType) {
  SmallVector<NamedOperand> operands = {{"groups", ends, endsType}, {"gather", gather, gatherType}};
  for (const NamedOperand &number : tensorNumbers(parser, tensorScale, tensorScaleType, sense))
    operands.push_back(number);
  operands.push_back({"rows", rowValues, rowValuesType});
  operands.push_back({"random", random, randomType});
  return parseOperands(parser, operands);
}

void mxc::mx::printRowClauses(OpAsmPrinter &p, QuantizeOp, Value ends, Type endsType, Value gather,
                              Type gatherType, Value tensorScale, Type tensorScaleType, TensorSenseAttr sense,
                              Value rowValues, Type rowValuesType, Value random, Type randomType) {
  printOperand(p, "groups", ends, endsType);
  printOperand(p, "gather", gather, gatherType);
  printTensorNumber(p, tensorScale, tensorScaleType, sense);
  printOperand(p, "rows", rowValues, rowValuesType);
  printOperand(p, "random", random, randomType);
}

ParseResult mxc::mx::parseTotalClauses(OpAsmParser &parser, ClauseOperand &amax, Type &amaxType,
                                       ClauseOperand &columnSum, Type &columnSumType) {
  return parseOperands(parser, {{"amax", amax, amaxType}, {"column_sum", columnSum, columnSumType}});
}

void mxc::mx::printTotalClauses(OpAsmPrinter &p, QuantizeOp, Value amax, Type amaxType, Value columnSum,
                                Type columnSumType) {
  printOperand(p, "amax", amax, amaxType);
  printOperand(p, "column_sum", columnSum, columnSumType);
}

SmallVector<Clause> mxc::mx::ruleClauses(OpAsmParser &parser, RoundingModeAttr &rounding,
                                         SpecialModeAttr &special, TinyModeAttr &tiny, StringAttr &compat) {
  auto word = [&](StringRef keyword, auto &attribute) {
    return valueClause(parser, keyword, [&parser, keyword, &attribute] {
      return parseOfferedWord(parser, keyword, attribute);
    });
  };
  return {word("rounding", rounding), word("special", special), word("tiny", tiny),
          valueClause(parser, "compat", [&] { return parser.parseAttribute(compat); })};
}

void mxc::mx::printRule(OpAsmPrinter &p, RoundingModeAttr rounding, SpecialModeAttr special,
                        TinyModeAttr tiny, StringAttr compat) {
  if (rounding) p << " rounding = " << stringifyRoundingMode(rounding.getValue());
  if (special) p << " special = " << stringifySpecialMode(special.getValue());
  if (tiny) p << " tiny = " << stringifyTinyMode(tiny.getValue());
  if (compat) p << " compat = " << compat;
}

ParseResult mxc::mx::parseQuantizeClauses(OpAsmParser &parser, AxisAttr &axis, DenseI64ArrayAttr &block,
                                          DenseI64ArrayAttr &blockTo, BoolAttr &transpose, IntegerAttr &align,
                                          RoundingModeAttr &rounding, SpecialModeAttr &special,
                                          TinyModeAttr &tiny, IntegerAttr &hadamard, AxisAttr &hadamardAxis,
                                          BlockErrorAttr &fourOverSix, StringAttr &compat, ArrayAttr &tiles) {
  auto value = [&](StringRef keyword, auto parse) { return valueClause(parser, keyword, parse); };
  SmallVector<Clause> clauses = {
      value("axis", [&] { return parseOfferedWord(parser, "axis", axis); }),
      value("block", [&] { return parseBlockChange(parser, block, blockTo, /*isOptional=*/true); }),
      value("transpose", [&] { return parser.parseAttribute(transpose); }),
      value("align", [&] { return parser.parseAttribute(align, parser.getBuilder().getI64Type()); })};
  llvm::append_range(clauses, ruleClauses(parser, rounding, special, tiny, compat));
  clauses.push_back(value("hadamard", [&]() -> ParseResult {
    ParseResult size = parser.parseAttribute(hadamard, parser.getBuilder().getI64Type());
    if (failed(size) || failed(parser.parseOptionalKeyword("along"))) return size;
    return parseOfferedWord(parser, "axis", hadamardAxis);
  }));
  clauses.push_back(
      value("four_over_six", [&] { return parseOfferedWord(parser, "four_over_six", fourOverSix); }));
  clauses.push_back(value("tiles", [&] { return parser.parseAttribute(tiles); }));
  return parseClauses(parser, clauses,
                      {{"groups", "before 'outs'"},
                       {"gather", "before 'outs'"},
                       {"tensor_scale", "before 'outs'"},
                       {"tensor_amax", "before 'outs'"},
                       {"tensor_divisor", "before 'outs'"},
                       {"rows", "before 'outs'"},
                       {"random", "before 'outs'"},
                       {"amax", "directly after 'outs'"},
                       {"column_sum", "directly after 'outs'"}});
}

void mxc::mx::printQuantizeClauses(OpAsmPrinter &p, QuantizeOp, AxisAttr axis, DenseI64ArrayAttr block,
                                   DenseI64ArrayAttr blockTo, BoolAttr transpose, IntegerAttr align,
                                   RoundingModeAttr rounding, SpecialModeAttr special, TinyModeAttr tiny,
                                   IntegerAttr hadamard, AxisAttr hadamardAxis, BlockErrorAttr fourOverSix,
                                   StringAttr compat, ArrayAttr tiles) {
  if (axis) p << " axis = " << stringifyAxis(axis.getValue());
  if (block) p << " block = " << textOfBlock(block);
  if (blockTo) p << " to " << textOfBlock(blockTo);
  if (transpose) p << " transpose = " << transpose;
  if (align) p << " align = " << align.getInt();
  printRule(p, rounding, special, tiny, compat);
  if (hadamard) p << " hadamard = " << hadamard.getInt();
  if (hadamardAxis) p << " along " << stringifyAxis(hadamardAxis.getValue());
  if (fourOverSix) p << " four_over_six = " << stringifyBlockError(fourOverSix.getValue());
  if (tiles) p << " tiles = " << tiles;
}

ParseResult mxc::mx::parseTensorScale(OpAsmParser &parser, ClauseOperand &tensorScale, Type &tensorScaleType,
                                      TensorSenseAttr &sense) {
  return parseOperands(parser, tensorNumbers(parser, tensorScale, tensorScaleType, sense));
}

void mxc::mx::printTensorScale(OpAsmPrinter &p, Operation *, Value tensorScale, Type tensorScaleType,
                               TensorSenseAttr sense) {
  printTensorNumber(p, tensorScale, tensorScaleType, sense);
}

ParseResult mxc::mx::parseDequantizeClauses(OpAsmParser &parser, DenseI64ArrayAttr &block, ArrayAttr &tiles) {
  return parseClauses(parser, {valueClause(parser, "block", [&] { return parseBlockShape(parser, block); }),
                               valueClause(parser, "tiles", [&] { return parser.parseAttribute(tiles); })});
}

void mxc::mx::printDequantizeClauses(OpAsmPrinter &p, DequantizeOp, DenseI64ArrayAttr block,
                                     ArrayAttr tiles) {
  if (block) p << " block = " << textOfBlock(block);
  if (tiles) p << " tiles = " << tiles;
}
