#include "dialect/kernel/Clauses.h"
#include "dialect/attributes/NearestWord.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mxc::mx;

// The word at the parser's place, which stays unread. A source's text ends in a zero byte.
static StringRef wordAhead(OpAsmParser &parser) {
  const char *begin = parser.getCurrentLocation().getPointer(), *end = begin;
  while (llvm::isAlnum(*end) || *end == '_' || *end == '.' || *end == '$')
    ++end;
  return StringRef(begin, end - begin);
}

// What MLIR itself reads after an operation: its attributes, its location, the next operation.
static bool isClauseLike(StringRef word) {
  return !word.empty() && llvm::isAlpha(word.front()) && !word.contains('.') && word != "attributes" &&
         word != "loc";
}

Clause mxc::mx::valueClause(OpAsmParser &parser, StringRef keyword, std::function<ParseResult()> parse) {
  return {keyword, [&parser, parse = std::move(parse)]() -> ParseResult {
            if (parser.parseEqual()) return failure();
            return parse();
          }};
}

ParseResult mxc::mx::parseClauses(OpAsmParser &parser, ArrayRef<Clause> clauses,
                                  ArrayRef<ClauseElsewhere> elsewhere) {
  SmallVector<StringRef> keywords, seen;
  for (const Clause &clause : clauses)
    keywords.push_back(clause.keyword);
  SMLoc place = parser.getCurrentLocation();
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word, keywords))) {
    if (llvm::is_contained(seen, word)) return parser.emitError(place) << "'" << word << "' is given twice";
    seen.push_back(word);
    if (llvm::find_if(clauses, [&](const Clause &clause) { return clause.keyword == word; })->parse())
      return failure();
    place = parser.getCurrentLocation();
  }
  word = wordAhead(parser);
  for (const ClauseElsewhere &other : elsewhere)
    if (word == other.keyword)
      return parser.emitError(place) << "'" << word << "' stands out of its place: expected it "
                                     << other.place;
  if (!isClauseLike(word)) return success();
  return parser.emitError(place) << "'" << word << "' is no clause: expected "
                                 << llvm::join(nearestFirst(word, keywords), ", ");
}

ParseResult mxc::mx::parseBlockShapes(OpAsmParser &parser, DenseI64ArrayAttr &blockA,
                                      DenseI64ArrayAttr &blockB) {
  if (parseBlockShape(parser, blockA)) return failure();
  if (failed(parser.parseOptionalKeyword("by"))) return success();
  return parseBlockShape(parser, blockB);
}

ParseResult mxc::mx::parseBlockChange(OpAsmParser &parser, DenseI64ArrayAttr &from, DenseI64ArrayAttr &to,
                                      bool isOptional) {
  if (parseBlockShape(parser, from)) return failure();
  if (succeeded(parser.parseOptionalKeyword("to"))) return parseBlockShape(parser, to);
  return isOptional ? success() : parser.parseKeyword("to", ", and then the blocks of the results");
}

ParseResult mxc::mx::parseNoClauses(OpAsmParser &parser, OpAsmParser::UnresolvedOperand) {
  StringRef word = wordAhead(parser);
  if (!isClauseLike(word)) return success();
  return parser.emitError(parser.getCurrentLocation()) << "'" << word << "' is no clause: expected none";
}

ParseResult mxc::mx::parseScalarRegion(OpAsmParser &parser, Region &region) {
  SMLoc place = parser.getCurrentLocation();
  OptionalParseResult found = parser.parseOptionalRegion(region);
  if (!found.has_value()) return success();
  if (failed(*found) || !region.empty()) return *found;
  return parser.emitError(place, "expected operations that end in mx.yield in the region, found none");
}

void mxc::mx::printScalarRegion(OpAsmPrinter &p, Operation *, Region &region) {
  if (region.empty()) return;
  p << ' ';
  p.printRegion(region);
}

ParseResult mxc::mx::parseBlockShape(OpAsmParser &parser, DenseI64ArrayAttr &block) {
  SmallVector<int64_t> shape;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false)) return failure();
  if (shape.size() != 2) return parser.emitError(place) << "expected a block of rows x columns: 1x32";
  block = parser.getBuilder().getDenseI64ArrayAttr(shape);
  return success();
}
