#include "dialect/MxQuantizeClauses.h"

using namespace mlir;
using namespace mxc::mx;

// `first(%a : type) second(%b : type)`, in any order.
static ParseResult parsePair(OpAsmParser &parser, StringRef first, ClauseOperand &firstOperand,
                             Type &firstType, StringRef second, ClauseOperand &secondOperand,
                             Type &secondType) {
  SMLoc place = parser.getCurrentLocation();
  StringRef clause;
  while (succeeded(parser.parseOptionalKeyword(&clause, {first, second}))) {
    ClauseOperand &operand = clause == first ? firstOperand : secondOperand;
    if (operand) return parser.emitError(place) << "'" << clause << "' is given twice";
    if (parser.parseLParen() || parser.parseOperand(operand.emplace()) ||
        parser.parseColonType(clause == first ? firstType : secondType) || parser.parseRParen())
      return failure();
    place = parser.getCurrentLocation();
  }
  return success();
}

static void printOperand(OpAsmPrinter &p, StringRef clause, Value operand, Type type) {
  if (operand) p << " " << clause << "(" << operand << " : " << type << ")";
}

ParseResult mxc::mx::parseRowClauses(OpAsmParser &parser, ClauseOperand &ends, Type &endsType,
                                     ClauseOperand &gather, Type &gatherType) {
  return parsePair(parser, "groups", ends, endsType, "gather", gather, gatherType);
}

void mxc::mx::printRowClauses(OpAsmPrinter &p, QuantizeOp, Value ends, Type endsType, Value gather,
                              Type gatherType) {
  printOperand(p, "groups", ends, endsType);
  printOperand(p, "gather", gather, gatherType);
}

ParseResult mxc::mx::parseTotalClauses(OpAsmParser &parser, ClauseOperand &amax, Type &amaxType,
                                       ClauseOperand &columnSum, Type &columnSumType) {
  return parsePair(parser, "amax", amax, amaxType, "column_sum", columnSum, columnSumType);
}

void mxc::mx::printTotalClauses(OpAsmPrinter &p, QuantizeOp, Value amax, Type amaxType, Value columnSum,
                                Type columnSumType) {
  printOperand(p, "amax", amax, amaxType);
  printOperand(p, "column_sum", columnSum, columnSumType);
}

// `axis = row rounding = ceil ...`: clauses in any order, each at most once, printed in one order.
template <typename EnumAttr, typename Enum>
static ParseResult parseEnumClause(OpAsmParser &parser, StringRef clause,
                                   std::optional<Enum> (*symbolize)(StringRef), EnumAttr &attribute) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word)) return failure();
  auto value = symbolize(word);
  if (!value) {
    InFlightDiagnostic error = parser.emitError(place) << "'" << word << "' is no " << clause << ": expected";
    uint32_t index = 0;
    for (StringRef known; !(known = stringifyEnum(Enum(index))).empty(); ++index)
      error << (index ? ", " : " ") << known;
    return error;
  }
  attribute = EnumAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult mxc::mx::parseBlockShape(OpAsmParser &parser, DenseI64ArrayAttr &block) {
  SmallVector<int64_t> shape;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false)) return failure();
  if (shape.size() != 2) return parser.emitError(place) << "expected a block of rows x columns: 1x32";
  block = parser.getBuilder().getDenseI64ArrayAttr(shape);
  return success();
}

void mxc::mx::printBlockShape(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr block) {
  p << textOfBlock(block);
}

ParseResult mxc::mx::parseQuantizeClauses(OpAsmParser &parser, AxisAttr &axis, DenseI64ArrayAttr &block,
                                          BoolAttr &transpose, IntegerAttr &align, RoundingModeAttr &rounding,
                                          SpecialModeAttr &special, TinyModeAttr &tiny, StringAttr &compat,
                                          ArrayAttr &tiles) {
  SMLoc place = parser.getCurrentLocation();
  StringRef clause;
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalKeyword(
      &clause, {"axis", "block", "transpose", "align", "rounding", "special", "tiny", "compat", "tiles"}))) {
    if (llvm::is_contained(seen, clause))
      return parser.emitError(place) << "'" << clause << "' is given twice";
    seen.push_back(clause);
    if (parser.parseEqual()) return failure();
    ParseResult result =
        clause == "axis"        ? parseEnumClause<AxisAttr, Axis>(parser, clause, symbolizeAxis, axis)
        : clause == "block"     ? parseBlockShape(parser, block)
        : clause == "transpose" ? parser.parseAttribute(transpose)
        : clause == "align"     ? parser.parseAttribute(align, parser.getBuilder().getI64Type())
        : clause == "rounding"
            ? parseEnumClause<RoundingModeAttr, RoundingMode>(parser, clause, symbolizeRoundingMode, rounding)
        : clause == "special"
            ? parseEnumClause<SpecialModeAttr, SpecialMode>(parser, clause, symbolizeSpecialMode, special)
        : clause == "tiny" ? parseEnumClause<TinyModeAttr, TinyMode>(parser, clause, symbolizeTinyMode, tiny)
        : clause == "compat" ? parser.parseAttribute(compat)
                             : parser.parseAttribute(tiles);
    if (result) return failure();
    place = parser.getCurrentLocation();
  }
  if (failed(parser.parseOptionalKeyword(&clause, {"groups", "gather", "amax", "column_sum"})))
    return success();
  bool isOfRows = clause == "groups" || clause == "gather";
  return parser.emitError(place) << "'" << clause << "' stands out of its place: expected it "
                                 << (isOfRows ? "in front of 'outs'" : "right behind 'outs'");
}

void mxc::mx::printQuantizeClauses(OpAsmPrinter &p, QuantizeOp op, AxisAttr axis, DenseI64ArrayAttr block,
                                   BoolAttr transpose, IntegerAttr align, RoundingModeAttr rounding,
                                   SpecialModeAttr special, TinyModeAttr tiny, StringAttr compat,
                                   ArrayAttr tiles) {
  if (axis) p << " axis = " << stringifyAxis(axis.getValue());
  if (block) printBlockShape(p << " block = ", op, block);
  if (transpose) p << " transpose = " << transpose;
  if (align) p << " align = " << align.getInt();
  if (rounding) p << " rounding = " << stringifyRoundingMode(rounding.getValue());
  if (special) p << " special = " << stringifySpecialMode(special.getValue());
  if (tiny) p << " tiny = " << stringifyTinyMode(tiny.getValue());
  if (compat) p << " compat = " << compat;
  if (tiles) p << " tiles = " << tiles;
}
