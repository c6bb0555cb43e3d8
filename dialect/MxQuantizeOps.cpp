#include "dialect/MxQuantizeClauses.h"

#include "mlir/IR/PatternMatch.h"

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

ParseResult mxc::mx::parseQuantizeClauses(OpAsmParser &parser, AxisAttr &axis, RoundingModeAttr &rounding,
                                          SpecialModeAttr &special, TinyModeAttr &tiny, StringAttr &compat,
                                          ArrayAttr &tiles) {
  SMLoc place = parser.getCurrentLocation();
  StringRef clause;
  SmallVector<StringRef> seen;
  while (succeeded(
      parser.parseOptionalKeyword(&clause, {"axis", "rounding", "special", "tiny", "compat", "tiles"}))) {
    if (llvm::is_contained(seen, clause))
      return parser.emitError(place) << "'" << clause << "' is given twice";
    seen.push_back(clause);
    if (parser.parseEqual()) return failure();
    ParseResult result =
        clause == "axis" ? parseEnumClause<AxisAttr, Axis>(parser, clause, symbolizeAxis, axis)
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

void mxc::mx::printQuantizeClauses(OpAsmPrinter &p, QuantizeOp, AxisAttr axis, RoundingModeAttr rounding,
                                   SpecialModeAttr special, TinyModeAttr tiny, StringAttr compat,
                                   ArrayAttr tiles) {
  if (axis) p << " axis = " << stringifyAxis(axis.getValue());
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

LogicalResult QuantizeOp::verify() {
  if (getInputs().empty() || (!hasPrologue() && getInputs().size() != 1))
    return emitOpError("needs at least one input, and exactly one without a prologue, found ")
           << getInputs().size() << " [Q1]";
  if (failed(verifyBlockFormat(*this, "Q7", getData().getType(), getScales().getType()))) return failure();
  FailureOr<MemRefType> shape =
      joinShapes(*this, "Q2", getData().getType(), "inputs", getInputs().getTypes());
  if (failed(shape)) return failure();
  // Scales of other axes lie along other directions; they are checked when those axes come.
  if (getQuantizedAxis() == Axis::Row &&
      failed(verifyScalesShape(*this, "Q3", *shape, info(getRule().format), getScales().getType())))
    return failure();
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
  static const StringRef kinds[] = {QuantizeTileAttr::name};
  return kinds;
}

SmallVector<KernelOperand> QuantizeOp::getKernelOperands() {
  AffineMap matrix = matrixShape(getContext());
  AffineMap blocks = matrixShape(getContext(), 0, 1, info(getRule().format).blockColumns);
  SmallVector<KernelOperand> operands;
  for (Value input : getInputs()) // one needs no name
    operands.push_back({.value = input, .shape = matrix, .name = getInputs().size() > 1 ? "inputs" : ""});
  operands.push_back({.value = getData(), .shape = matrix, .name = "data", .isOutput = true});
  operands.push_back({.value = getScales(),
                      .shape = blocks,
                      .name = "scales",
                      .role = OperandRole::Scales,
                      .partner = getData(),
                      .isOutput = true});
  return operands;
}

AbiAttributes QuantizeOp::getAbiAttributes() {
  QuantizeRule rule = getRule();
  return {{"axis", stringifyAxis(getQuantizedAxis()).str()},
          {"format", std::string(info(rule.format).name)},
          {"rounding", std::string(name(rule.rounding))},
          {"special", std::string(name(rule.special))},
          {"tiny", std::string(name(rule.tiny))}};
}
