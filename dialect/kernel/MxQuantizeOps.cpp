#include "dialect/attributes/TileMemberText.h"
#include "dialect/formats/Hadamard.h"
#include "dialect/kernel/MxKernelOps.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mxc::mx;

mxc::BlockFormat QuantizeOp::getFormat() {
  return *blockFormatOf(getData().getType(), getScales().getType(), getScaleBlock());
}

mxc::QuantizeRule mxc::mx::quantizeRule(std::optional<RoundingMode> rounding,
                                        std::optional<SpecialMode> special, std::optional<TinyMode> tiny,
                                        std::optional<StringRef> compat, ScaleFormat scale) {
  QuantizeRule rule;
  if (auto preset = compat ? compatPresetNamed(*compat, scale) : std::nullopt) {
    rule.rounding = preset->rounding, rule.special = preset->special, rule.tiny = preset->tiny;
    return rule;
  }
  rule.rounding = rounding ? Rounding(*rounding) : defaultRounding(scale);
  rule.special = Special(special.value_or(SpecialMode::Propagate));
  rule.tiny = TinyBlock(tiny.value_or(TinyMode::Exact));
  return rule;
}

mxc::QuantizeRule QuantizeOp::getRule() {
  const mxc::BlockFormat format = getFormat();
  QuantizeRule rule = quantizeRule(getRounding(), getSpecial(), getTiny(), getCompat(), info(format).scale);
  rule.format = format;
  rule.isFourOverSix = getFourOverSix().has_value();
  rule.sense = mxc::TensorSense(getSense());
  if (getBlockTo()) rule.repeats = *wholeBlocks(shapeOf(getBlockAttr()), shapeOf(getBlockToAttr()));
  return rule;
}

bool QuantizeOp::isTransformed(Axis copy) {
  return getHadamard() && llvm::is_contained({Axis::Both, copy}, getHadamardAxis().value_or(Axis::Both));
}

bool QuantizeOp::hasSmallSquares() { return getBlockTo() && shapeOf(getBlockAttr()) == kSmallSquare; }

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

// Q3 where groups have tiles of their own: scale rows, in the direction of the rows of the inputs, are whole
// tiles.
static LogicalResult verifyGroupedScales(QuantizeOp op, const QuantizedCopy &copy, MemRefType shape) {
  constexpr int64_t kTile = mxc::kScaleTileRows;
  int64_t rows = shape.getDimSize(0), columns = shape.getDimSize(1);
  int64_t groups = cast<MemRefType>(op.getEnds().getType()).getDimSize(0);
  bool isKnown = !ShapedType::isDynamic(rows) && !ShapedType::isDynamic(groups);
  int64_t tiles = isKnown ? mxc::scaleRowsOf(rows, groups, 1) : ShapedType::kDynamic;
  auto scales = cast<MemRefType>(copy.scales.getType());
  const mxc::BlockFormatInfo &format = info(op.getFormat());
  auto blocks = [&](int64_t extent) {
    return ShapedType::isDynamic(extent) ? extent : format.blocks(extent);
  };
  bool alongRows = copy.axis == Axis::Row;
  int64_t expected[] = {alongRows ? tiles : columns, alongRows ? blocks(columns) : blocks(tiles)};
  for (auto [size, found] : llvm::zip(expected, scales.getShape()))
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(found) && size != found)
      return op.emitOpError("scales of groups with align = 1 must have ")
             << kTile << " * (ceil(rows/" << kTile << ") + groups - 1) rows along the groups: expected "
             << MemRefType::get(expected, scales.getElementType()) << ", found " << scales << " [Q3]";
  return verifyScaleLayout(op, "Q3", scales);
}

// Q9 and Q10 of elements below 8 bits: those of a block are consecutive, and no byte is two groups'.
static LogicalResult verifyPackedColumns(QuantizeOp op, const QuantizedCopy &copy) {
  const mxc::ElementFormatInfo &element = info(info(op.getFormat()).element);
  if (copy.axis != Axis::Column || element.bits() % 8 == 0) return success();
  if (!copy.isTransposed)
    return op.emitOpError("elements of ")
           << element.bits() << " bits are packed along their blocks, as products read them: a copy along "
           << "columns is transposed, found transpose = false [Q9]";
  if (!op.hasCompactGroups()) return success();
  return op.emitOpError(
             "with align = 1 groups begin anywhere in the rows of a transposed copy, where codes of ")
         << element.bits() << " bits of two groups would share a byte: expected align = 128 [Q10]";
}

// The inputs as they are quantized: gathered, they have as many rows as the index.
static SmallVector<Type> quantizedTypes(QuantizeOp op) {
  SmallVector<Type> types(op.getInputs().getTypes());
  if (!op.isGathered()) return types;
  int64_t rows = cast<MemRefType>(op.getGather().getType()).getDimSize(0);
  for (Type &type : types) {
    auto input = cast<MemRefType>(type);
    type = MemRefType::get({rows, input.getDimSize(1)}, input.getElementType());
  }
  return types;
}

// Q2, Q3 and Q7 of one copy.
static LogicalResult verifyCopy(QuantizeOp op, const QuantizedCopy &copy) {
  auto data = cast<MemRefType>(copy.data.getType()), scales = cast<MemRefType>(copy.scales.getType());
  if (failed(verifyBlockFormat(op, "Q7", data, scales, op.getScaleBlock()))) return failure();
  if (blockFormatOf(data, scales, op.getScaleBlock()) != op.getFormat())
    return op.emitOpError("both copies must have one block format, found ")
           << data.getElementType() << " beside " << getElementTypeOrSelf(op.getData()) << " [Q7]";
  FailureOr<MemRefType> shape = joinShapes(
      op, "Q2", copy.isTransposed ? exchanged(data) : data, op.isGathered() ? "inputs, gathered," : "inputs",
      quantizedTypes(op), copy.isTransposed ? "the data, transposed," : "the data");
  if (failed(shape) || failed(verifyPackedColumns(op, copy))) return failure();
  if (op.hasCompactGroups()) return verifyGroupedScales(op, copy, *shape);
  if (op.getColumnSum()) {
    int64_t sums = cast<MemRefType>(op.getColumnSum().getType()).getDimSize(0),
            columns = shape->getDimSize(1);
    if (!ShapedType::isDynamic(sums) && !ShapedType::isDynamic(columns) && sums != columns)
      return op.emitOpError("column_sum must have the ")
             << columns << " columns of the data, found " << op.getColumnSum().getType() << " [Q13]";
  }
  return verifyScalesShape(op, "Q3", copy.axis == Axis::Row ? *shape : exchanged(*shape),
                           info(op.getFormat()), scales);
}

// Q16
static LogicalResult verifyRepeats(QuantizeOp op) {
  DenseI64ArrayAttr block = op.getBlockAttr(), blockTo = op.getBlockToAttr();
  if (!blockTo) return success();
  auto isKnown = [](DenseI64ArrayAttr of) { return of && mxc::blockShapeNamed(textOfBlock(of)); };
  if (isKnown(block) && isKnown(blockTo) && mxc::wholeBlocks(shapeOf(block), shapeOf(blockTo)))
    return success();
  return op.emitOpError(
             "block = A to B must name blocks of two formats, or 16x16 and one, A made of whole ones "
             "of B, as 1x128 to 1x32, found ")
         << (block ? textOfBlock(block) : "none") << " to " << textOfBlock(blockTo) << " [Q16]";
}

static LogicalResult verifyFourBits(QuantizeOp op, StringRef clause, StringRef constraint) {
  const mxc::ElementFormatInfo &element = info(info(op.getFormat()).element);
  if (element.bits() == 4) return success();
  return op.emitOpError(clause) << " is for elements of 4 bits, found " << StringRef(element.mlirType) << " ["
                                << constraint << "]";
}

// Q17
static LogicalResult verifyRandom(QuantizeOp op) {
  if (!op.getRandom()) return success();
  if (cast<MemRefType>(op.getRandom().getType()).getDimSize(0) != 2)
    return op.emitOpError("random must be memref<2xi64>, a seed and an offset, found ")
           << op.getRandom().getType() << " [Q17]";
  return verifyFourBits(op, "random", "Q17");
}

// Q18
static LogicalResult verifyHadamard(QuantizeOp op) {
  if (!op.getHadamard()) return success();
  if (*op.getHadamard() != mxc::kHadamardElements)
    return op.emitOpError("hadamard must be ")
           << mxc::kHadamardElements << ", found " << int64_t(*op.getHadamard()) << " [Q18]";
  if (op.getHadamardAxis() && op.getQuantizedAxis() != Axis::Both)
    return op.emitOpError("along names one of the two copies of axis = both, found axis = ")
           << stringifyAxis(op.getQuantizedAxis()) << " [Q18]";
  if (const mxc::BlockShape maximum = op.getRule().maximumBlock(); maximum.rows > 1)
    return op.emitOpError("hadamard is for blocks of one row, found blocks of ")
           << maximum.rows << ", whose two copies have the same codes [Q18]";
  return verifyFourBits(op, "hadamard", "Q18");
}

// Q19
static LogicalResult verifyFourOverSix(QuantizeOp op) {
  if (!op.getFourOverSix()) return success();
  if (info(info(op.getFormat()).scale).rule != mxc::ScaleRule::TwoLevel)
    return op.emitOpError("four_over_six is for nvfp4, found ")
           << StringRef(info(op.getFormat()).name) << " [Q19]";
  if (const mxc::Rounding rounding = op.getRule().rounding; rounding != mxc::Rounding::Nearest)
    return op.emitOpError("four_over_six is for rounding = nearest, found ")
           << StringRef(name(rounding)) << " [Q19]";
  if (!op.getRandom()) return success();
  return op.emitOpError(
      "four_over_six compares errors of elements that are rounded to nearest, found random [Q19]");
}

static StringRef shapeConstraintOf(const KernelOperand &operand, QuantizeOp op) {
  if (operand.role == OperandRole::Scales) return "Q3";
  if (operand.role == OperandRole::RowValues) return "Q15";
  return operand.role == OperandRole::ColumnSum ? "Q13" : "Q2";
}

// Visits every size that an operand's type says, until `visit` fails: the size, and its expression of M, K, G
// and N.
static LogicalResult
forEachStaticSize(QuantizeOp op,
                  function_ref<LogicalResult(const KernelOperand &, int64_t, AffineExpr)> visit) {
  for (const KernelOperand &operand : op.getKernelOperands())
    for (auto [size, expression] :
         llvm::zip(cast<MemRefType>(operand.value.getType()).getShape(), operand.shape.getResults()))
      if (!ShapedType::isDynamic(size) && failed(visit(operand, size, expression))) return failure();
  return success();
}

// Q2, Q3 and Q13 across operands: of what some types say of M, K, G and N, nothing contradicts.
static LogicalResult verifyOneShape(QuantizeOp op) {
  struct Said {
    int64_t size = ShapedType::kDynamic;
    Type by;
  };
  ArrayRef<StringRef> names = op.getDimensionNames();
  SmallVector<Said> said(names.size());
  auto gather = [&](const KernelOperand &operand, int64_t size, AffineExpr expression) -> LogicalResult {
    auto dimension = dyn_cast<AffineDimExpr>(expression);
    if (!dimension) return success();
    Said &earlier = said[dimension.getPosition()];
    if (earlier.by && earlier.size != size)
      return op.emitOpError("operands must agree on ")
             << names[dimension.getPosition()] << ": found " << earlier.size << " in " << earlier.by
             << " and " << size << " in " << operand.value.getType() << " [" << shapeConstraintOf(operand, op)
             << "]";
    earlier = {size, operand.value.getType()};
    return success();
  };
  if (failed(forEachStaticSize(op, gather))) return failure();
  SmallVector<AffineExpr> sizes;
  for (auto [index, dimension] : llvm::enumerate(said))
    sizes.push_back(dimension.by ? getAffineConstantExpr(dimension.size, op.getContext())
                                 : getAffineDimExpr(index, op.getContext()));
  return forEachStaticSize(
      op, [&](const KernelOperand &operand, int64_t size, AffineExpr expression) -> LogicalResult {
        auto constant = dyn_cast<AffineConstantExpr>(expression.replaceDims(sizes));
        if (!constant) return success();
        const int64_t expected = std::max<int64_t>(0, constant.getValue());
        if (expected == size) return success();
        return op.emitOpError("operands must agree: expected a size of ")
               << expected << ", as the others have it, found " << size << " in " << operand.value.getType()
               << " [" << shapeConstraintOf(operand, op) << "]";
      });
}

LogicalResult mxc::mx::verifyPreset(Operation *op, StringRef compat, bool hasOthers, ScaleFormat scale,
                                    StringRef constraint) {
  if (!compatPresetNamed(compat, scale)) {
    InFlightDiagnostic error = op->emitOpError("compat must be one of");
    for (const CompatPreset &preset : compatPresets())
      if (preset.scale == scale) error << " " << StringRef(preset.name);
    if (llvm::any_of(compatPresets(),
                     [&](const CompatPreset &other) { return StringRef(other.name) == compat; }))
      error << " for scales of " << StringRef(info(scale).name);
    return error << ", found \"" << compat << "\" [" << constraint << "]";
  }
  if (!hasOthers) return success();
  return op->emitOpError("compat = \"")
         << compat << "\" already says rounding, special and tiny [" << constraint << "]";
}

LogicalResult mxc::mx::verifyRule(Operation *op, const QuantizeRule &rule, ScaleFormat scale,
                                  StringRef constraint) {
  const std::string fault = faultOfRule(rule, scale);
  if (fault.empty()) return success();
  return op->emitOpError(fault) << ", found scales of " << StringRef(info(scale).name) << " [" << constraint
                                << "]";
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
  if (getAlign() && (!hasGroups() || (*getAlign() != 1 && *getAlign() != 128)))
    return emitOpError("align must be 1 or 128, of groups(..), found ")
           << int64_t(*getAlign()) << (hasGroups() ? "" : " without groups") << " [Q10]";
  if (isGathered())
    for (Value input : getInputs())
      if (failed(verifySameShape(*this, "Q11", cast<MemRefType>(getInputs().front().getType()),
                                 "the first input", cast<MemRefType>(input.getType()), "gathered inputs")))
        return failure();
  if (getRowValues() && !hasPrologue())
    return emitOpError("rows is an argument of a prologue, found no region [Q15]");
  const int64_t tensors = hasTwoTensors() ? 2 : 1;
  if (getAmax() && cast<MemRefType>(getAmax().getType()).getDimSize(0) != tensors)
    return emitOpError("amax must be memref<")
           << tensors << "xf32>, found " << getAmax().getType() << " [Q12]";
  if (getColumnSum() && hasGroups())
    return emitOpError("column_sum is that of a whole matrix, found beside groups(..) [Q13]");
  if (failed(verifyRepeats(*this))) return failure();
  for (const QuantizedCopy &copy : getCopies())
    if (failed(verifyCopy(*this, copy))) return failure();
  if (failed(verifyRandom(*this)) || failed(verifyHadamard(*this)) || failed(verifyFourOverSix(*this)))
    return failure();
  if (failed(verifyTensorScale(*this, "Q14", info(getFormat()), getTensorScale(), tensors))) return failure();
  if (failed(verifyOneShape(*this))) return failure();
  const ScaleFormat scale = info(getFormat()).scale;
  if (getCompat() &&
      failed(verifyPreset(*this, *getCompat(), getRounding() || getSpecial() || getTiny(), scale, "Q5")))
    return failure();
  if (failed(verifyRule(*this, getRule(), scale, "Q5"))) return failure();
  if (hasPrologue() && failed(verifyYield(*this, getPrologue().front(), "prologue", /*results=*/1, "Q4")))
    return failure();
  return verifyTiles(*this, "Q6");
}

LogicalResult QuantizeOp::verifyRegions() {
  if (!hasPrologue()) return success();
  return verifyScalarRegion(*this, getPrologue().front(), "prologue",
                            getRowValues() ? "one for each input and one of rows(..)" : "one for each input",
                            getInputs().size() + (getRowValues() ? 1 : 0), "Q4");
}

namespace {
// A prologue that hands its one input on is none: without it the maximum is taken on packed 16-bit integers.
struct DropIdentityPrologue : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPrologue() || op.getInputs().size() != 1 || op.getRowValues()) return failure();
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
  static const StringRef plain[] = {"M", "K"}, groups[] = {"M", "K", "G"}, gather[] = {"M", "K", "N"},
                         both[] = {"M", "K", "G", "N"};
  if (hasGroups()) return isGathered() ? ArrayRef(both) : ArrayRef(groups);
  return isGathered() ? ArrayRef(gather) : ArrayRef(plain);
}

ArrayRef<StringRef> QuantizeOp::getTileKinds() {
  static const StringRef rows[] = {QuantizeTileAttr::name}, columns[] = {ColumnTileAttr::name};
  return hasColumnTiles() ? columns : rows;
}

// For scales: as many rows (or blocks of columns) as the groups' tiles have where these are their own.
static AffineMap scalesShape(QuantizeOp op, bool alongRows) {
  MLIRContext *context = op.getContext();
  const mxc::BlockFormatInfo &format = info(op.getFormat());
  int64_t blockColumns = format.blockColumns;
  if (!op.hasCompactGroups())
    return matrixShape(context, alongRows ? 0 : 1, alongRows ? 1 : 0, format.blockRows, blockColumns);
  AffineExpr m = getAffineDimExpr(0, context), k = getAffineDimExpr(1, context),
             g = getAffineDimExpr(2, context);
  AffineExpr tiles = m.ceilDiv(mxc::kScaleTileRows) + g - 1;
  if (alongRows) return AffineMap::get(3, 0, {tiles * mxc::kScaleTileRows, k.ceilDiv(blockColumns)}, context);
  return AffineMap::get(3, 0, {k, tiles * (mxc::kScaleTileRows / blockColumns)}, context);
}

static AffineMap vectorShape(MLIRContext *context, unsigned dimension) {
  return AffineMap::get(dimension + 1, 0, getAffineDimExpr(dimension, context));
}

SmallVector<KernelOperand> QuantizeOp::getKernelOperands() {
  MLIRContext *context = getContext();
  SmallVector<KernelOperand> operands;
  AffineMap inputShape = isGathered() ? matrixShape(context, hasGroups() ? 3 : 2, 1) : matrixShape(context);
  for (Value input : getInputs())
    operands.push_back({.value = input, .shape = inputShape});
  if (hasGroups())
    operands.push_back({.value = getEnds(),
                        .shape = vectorShape(context, 2),
                        .role = OperandRole::Ends,
                        .partner = isGathered() ? getGather() : getInputs().front(),
                        .groupRows = getGroupAlignment()});
  if (isGathered())
    operands.push_back({.value = getGather(),
                        .shape = vectorShape(context, 0),
                        .role = OperandRole::Index,
                        .partner = getInputs().front()});
  if (getTensorScale())
    operands.push_back(tensorScaleOperand(getTensorScale(), getData(), hasTwoTensors() ? 2 : 1));
  if (getRowValues())
    operands.push_back({.value = getRowValues(),
                        .shape = vectorShape(context, 0),
                        .role = OperandRole::RowValues,
                        .partner = getData()});
  if (getRandom())
    operands.push_back({.value = getRandom(),
                        .shape = AffineMap::get(1, 0, getAffineConstantExpr(2, context)),
                        .role = OperandRole::Random,
                        .partner = getData()});
  for (const QuantizedCopy &copy : getCopies()) {
    const bool alongRows = copy.axis == Axis::Row;
    operands.push_back({.value = copy.data,
                        .shape = copy.isTransposed ? matrixShape(context, 1, 0) : matrixShape(context),
                        .role = alongRows ? OperandRole::Codes : OperandRole::ColumnCodes,
                        .isOutput = true});
    operands.push_back({.value = copy.scales,
                        .shape = scalesShape(*this, alongRows),
                        .role = OperandRole::Scales,
                        .partner = copy.data,
                        .isOutput = true});
  }
  if (getAmax())
    operands.push_back(
        {.value = getAmax(),
         .shape = AffineMap::get(1, 0, getAffineConstantExpr(hasTwoTensors() ? 2 : 1, context)),
         .role = OperandRole::Amax,
         .isOutput = true});
  if (getColumnSum())
    operands.push_back({.value = getColumnSum(),
                        .shape = vectorShape(context, 1),
                        .role = OperandRole::ColumnSum,
                        .isOutput = true});
  return operands;
}

AbiAttributes QuantizeOp::getAbiAttributes() {
  QuantizeRule rule = getRule();
  AbiAttributes attributes = {{"axis", stringifyAxis(getQuantizedAxis()).str()},
                              {"format", std::string(info(rule.format).name)},
                              {"special", std::string(name(rule.special))}};
  // For quotients the defaults go without saying, as they did before there were others.
  const ScaleFormat scale = info(rule.format).scale;
  const bool isByte = info(scale).rule == ScaleRule::PowerOfTwo;
  if (isByte || rule.rounding != defaultRounding(scale)) attributes["rounding"] = name(rule.rounding);
  if (isByte || rule.tiny != TinyBlock::Exact) attributes["tiny"] = name(rule.tiny);
  if (getBlockTo())
    attributes["block"] = textOfBlock(getBlockAttr()), attributes["block_to"] = textOfBlock(getBlockToAttr());
  if (getFourOverSix()) attributes["four_over_six"] = stringifyBlockError(*getFourOverSix()).str();
  if (getHadamard()) attributes["hadamard"] = std::to_string(*getHadamard());
  if (getHadamardAxis()) attributes["hadamard_axis"] = stringifyAxis(*getHadamardAxis()).str();
  addTensorSense(attributes, getSense());
  if (getQuantizedAxis() != Axis::Row)
    attributes["transpose"] = getCopies().back().isTransposed ? "true" : "false";
  return attributes;
}

Attribute ColumnTileAttr::parse(AsmParser &parser, Type) {
  return parseMembers<ColumnTileAttr, ColumnTileMembers>(parser);
}
void ColumnTileAttr::print(AsmPrinter &p) const { printMembers(p, getMembers()); }

LogicalResult ColumnTileAttr::verify(function_ref<InFlightDiagnostic()> emitError, ColumnTileMembers of) {
  if (!llvm::is_contained({64u, 128u, 256u}, of.columns))
    return emitError() << "columns must be 64, 128 or 256, found " << of.columns;
  if (!llvm::is_contained({1u, 2u, 4u, 8u, 16u}, of.storeBytes))
    return emitError() << "store_bytes must be 1, 2, 4, 8 or 16, found " << of.storeBytes;
  constexpr unsigned kClusterCtas = 8; // as many as every chip takes
  if (of.clusterRows < 1 || of.clusterColumns < 1 || of.clusterRows > kClusterCtas ||
      of.clusterColumns > kClusterCtas / of.clusterRows)
    return emitError() << "cluster_rows x cluster_columns must be 1 to " << kClusterCtas << " CTAs, found "
                       << of.clusterRows << " x " << of.clusterColumns;
  if (of.ctasPerSm > 8) return emitError() << "ctas_per_sm must be 0 to 8, found " << of.ctasPerSm;
  return success();
}

bool ColumnTileAttr::takesEverything() const {
  return getLoad() == ColumnLoad::Element && getStoreBytes() == 1 && !getWhen();
}

TileAttrInterface ColumnTileAttr::getFallback() const {
  return get(getContext(), {.load = ColumnLoad::Element, .storeBytes = 1, .ctasPerSm = 2});
}
