#include "dialect/MxQuantizeClauses.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mxc::mx;

// `axis = row rounding = ceil ...`: clauses in any order, each at most once, printed in one order.
template <typename EnumAttr, typename Enum>
static ParseResult parseEnumClause(OpAsmParser &parser, StringRef clause,
                                   std::optional<Enum> (*symbolize)(StringRef), EnumAttr &attribute) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word)) return failure();
  auto value = symbolize(word);
  if (!value) return parser.emitError(place) << "'" << word << "' is no " << clause;
  attribute = EnumAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult mxc::mx::parseQuantizeClauses(OpAsmParser &parser, AxisAttr &axis, BoolAttr &transpose,
                                          RoundingModeAttr &rounding, SpecialModeAttr &special,
                                          TinyModeAttr &tiny, StringAttr &compat, ArrayAttr &tiles) {
  SMLoc place = parser.getCurrentLocation();
  StringRef clause;
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalKeyword(
      &clause, {"axis", "transpose", "rounding", "special", "tiny", "compat", "tiles"}))) {
    if (llvm::is_contained(seen, clause))
      return parser.emitError(place) << "'" << clause << "' is given twice";
    seen.push_back(clause);
    if (parser.parseEqual()) return failure();
    ParseResult result =
        clause == "axis"        ? parseEnumClause<AxisAttr, Axis>(parser, clause, symbolizeAxis, axis)
        : clause == "transpose" ? parser.parseAttribute(transpose)
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
  return success();
}

void mxc::mx::printQuantizeClauses(OpAsmPrinter &p, QuantizeOp, AxisAttr axis, BoolAttr transpose,
                                   RoundingModeAttr rounding, SpecialModeAttr special, TinyModeAttr tiny,
                                   StringAttr compat, ArrayAttr tiles) {
  if (axis) p << " axis = " << stringifyAxis(axis.getValue());
  if (transpose) p << " transpose = " << transpose;
  if (rounding) p << " rounding = " << stringifyRoundingMode(rounding.getValue());
  if (special) p << " special = " << stringifySpecialMode(special.getValue());
  if (tiny) p << " tiny = " << stringifyTinyMode(tiny.getValue());
  if (compat) p << " compat = " << compat;
  if (tiles) p << " tiles = " << tiles;
}

mxc::QuantizeRule QuantizeOp::getRule() {
  QuantizeRule rule;
  rule.format = *blockFormatOf(getData().getType(), getScales().getType());
  if (auto preset = getCompat() ? compatPresetNamed(*getCompat()) : std::nullopt) {
    rule.rounding = preset->rounding, rule.special = preset->special, rule.tiny = preset->tiny;
    return rule;
  }
  rule.rounding = Rounding(getRounding().value_or(RoundingMode::Ceil));
  rule.special = Special(getSpecial().value_or(SpecialMode::Propagate));
  rule.tiny = TinyBlock(getTiny().value_or(TinyMode::Exact));
  return rule;
}

SmallVector<QuantizedCopy> QuantizeOp::getCopies() {
  Axis axis = getQuantizedAxis();
  bool isTransposed = axis != Axis::Row && getTranspose().value_or(true);
  if (axis != Axis::Both) return {{getData(), getScales(), axis, isTransposed}};
  return {{getData(), getScales(), Axis::Row, false},
          {getColumnData(), getColumnScales(), Axis::Column, isTransposed}};
}

static MemRefType exchanged(MemRefType type) {
  return MemRefType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
}

// Q2, Q3 and Q7 of one copy.
static LogicalResult verifyCopy(QuantizeOp op, const QuantizedCopy &copy) {
  auto data = cast<MemRefType>(copy.data.getType()), scales = cast<MemRefType>(copy.scales.getType());
  if (failed(verifyBlockFormat(op, "Q7", data, scales))) return failure();
  if (blockFormatOf(data, scales) != op.getRule().format)
    return op.emitOpError("both copies must have one block format, found ")
           << data.getElementType() << " beside " << getElementTypeOrSelf(op.getData()) << " [Q7]";
  FailureOr<MemRefType> shape =
      joinShapes(op, "Q2", copy.isTransposed ? exchanged(data) : data, "inputs", op.getInputs().getTypes(),
                 copy.isTransposed ? "the data, transposed," : "the data");
  if (failed(shape)) return failure();
  return verifyScalesShape(op, "Q3", copy.axis == Axis::Row ? *shape : exchanged(*shape),
                           info(op.getRule().format), scales);
}

LogicalResult QuantizeOp::verify() {
  if (getInputs().empty() || (!hasPrologue() && getInputs().size() != 1))
    return emitOpError("needs at least one input, and exactly one without a prologue, found ")
           << getInputs().size() << " [Q1]";
  if ((getQuantizedAxis() == Axis::Both) != bool(getColumnData()))
    return emitOpError("axis = ") << stringifyAxis(getQuantizedAxis()) << " needs data and scales of "
                                  << (getColumnData() ? "one copy"
                                                      : "two copies, along rows and along columns")
                                  << ", found " << (getColumnData() ? "two" : "one") << " [Q8]";
  if (getTranspose() && getQuantizedAxis() == Axis::Row)
    return emitOpError("transpose is for copies along columns: axis = column or axis = both [Q9]");
  for (const QuantizedCopy &copy : getCopies())
    if (failed(verifyCopy(*this, copy))) return failure();
  if (getCompat()) {
    if (!compatPresetNamed(*getCompat())) {
      InFlightDiagnostic error = emitOpError("compat must be one of");
      for (const CompatPreset &preset : compatPresets())
        error << " " << StringRef(preset.name);
      return error << ", found \"" << *getCompat() << "\" [Q5]";
    }
    if (getRounding() || getSpecial() || getTiny())
      return emitOpError("compat = \"") << *getCompat() << "\" already says rounding, special and tiny [Q5]";
  }
  return verifyTiles(*this, "Q6");
}

LogicalResult QuantizeOp::verifyRegions() {
  if (!hasPrologue()) return success();
  return verifyScalarRegion(*this, getPrologue().front(), "prologue", "one f32 an input", getInputs().size(),
                            /*results=*/1, "Q4");
}

namespace {
// A prologue that hands its one input on is none: without it the maximum is taken on packed 16-bit integers.
struct DropIdentityPrologue : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPrologue() || op.getInputs().size() != 1) return failure();
    Block &block = op.getPrologue().front();
    if (cast<YieldOp>(block.back()).getValue() != block.getArgument(0)) return failure();
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&block); });
    return success();
  }
};

// A preset is spelled out, so that the passes see one form.
struct ResolveCompat : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    if (!op.getCompat()) return failure();
    mxc::QuantizeRule rule = op.getRule();
    rewriter.modifyOpInPlace(op, [&] {
      op.removeCompatAttr();
      op.setRounding(RoundingMode(rule.rounding));
      op.setSpecial(SpecialMode(rule.special));
      op.setTiny(TinyMode(rule.tiny));
    });
    return success();
  }
};
} // namespace

void QuantizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropIdentityPrologue, ResolveCompat>(context);
}

ArrayRef<StringRef> QuantizeOp::getDimensionNames() {
  static const StringRef names[] = {"M", "K"};
  return names;
}

ArrayRef<StringRef> QuantizeOp::getTileKinds() {
  static const StringRef rows[] = {QuantizeTileAttr::name}, columns[] = {ColumnTileAttr::name};
  return getQuantizedAxis() == Axis::Row ? rows : columns;
}

SmallVector<KernelOperand> QuantizeOp::getKernelOperands() {
  MLIRContext *context = getContext();
  int64_t blockColumns = info(getRule().format).blockColumns;
  SmallVector<KernelOperand> operands;
  for (Value input : getInputs()) // one needs no name
    operands.push_back(
        {.value = input, .shape = matrixShape(context), .name = getInputs().size() > 1 ? "inputs" : ""});
  for (const QuantizedCopy &copy : getCopies()) {
    bool isSecond = copy.data != getData(), alongRows = copy.axis == Axis::Row;
    operands.push_back({.value = copy.data,
                        .shape = copy.isTransposed ? matrixShape(context, 1, 0) : matrixShape(context),
                        .name = isSecond ? "column_data" : "data",
                        .isOutput = true});
    operands.push_back({.value = copy.scales,
                        .shape = alongRows ? matrixShape(context, 0, 1, blockColumns)
                                           : matrixShape(context, 1, 0, blockColumns),
                        .name = isSecond ? "column_scales" : "scales",
                        .role = OperandRole::Scales,
                        .partner = copy.data,
                        .isOutput = true});
  }
  return operands;
}

AbiAttributes QuantizeOp::getAbiAttributes() {
  QuantizeRule rule = getRule();
  AbiAttributes attributes = {{"axis", stringifyAxis(getQuantizedAxis()).str()},
                              {"format", std::string(info(rule.format).name)},
                              {"rounding", std::string(name(rule.rounding))},
                              {"special", std::string(name(rule.special))},
                              {"tiny", std::string(name(rule.tiny))}};
  if (getQuantizedAxis() != Axis::Row)
    attributes["transpose"] = getCopies().back().isTransposed ? "true" : "false";
  return attributes;
}

LogicalResult ColumnTileAttr::verify(function_ref<InFlightDiagnostic()> emitError, ColumnLoad,
                                     unsigned columns, unsigned storeBytes, TileOrder, unsigned ctasPerSm,
                                     StringAttr) {
  if (columns != 128 && columns != 256) return emitError() << "columns must be 128 or 256, found " << columns;
  if (!llvm::is_contained({1u, 2u, 4u, 8u, 16u}, storeBytes))
    return emitError() << "store_bytes must be 1, 2, 4, 8 or 16, found " << storeBytes;
  if (ctasPerSm > 8) return emitError() << "ctas_per_sm must be 0 to 8, found " << ctasPerSm;
  return success();
}

std::string ColumnTileAttr::getText() const {
  std::string text =
      llvm::formatv("load = {0}, columns = {1}, store_bytes = {2}, order = {3}, ctas_per_sm = {4}",
                    stringifyColumnLoad(getLoad()), getColumns(), getStoreBytes(),
                    stringifyTileOrder(getOrder()), getCtasPerSm());
  if (getWhen()) text += llvm::formatv(", when = \"{0}\"", getWhen().getValue());
  return text;
}

bool ColumnTileAttr::takesEverything() const {
  return getLoad() == ColumnLoad::Element && getStoreBytes() == 1 && !getWhen();
}

TileAttrInterface ColumnTileAttr::getFallback() const {
  return get(getContext(), ColumnLoad::Element, /*columns=*/128, /*storeBytes=*/1, TileOrder::Rows,
             /*ctasPerSm=*/2, /*when=*/nullptr);
}
