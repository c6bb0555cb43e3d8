#include "dialect/attributes/OfferedWords.h"
#include "dialect/kernel/MxMatmulClauses.h"
#include "dialect/kernel/MxQuantizeClauses.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mxc::mx;

ParseResult mxc::mx::parseGroupedMatmulClauses(OpAsmParser &parser, RaggedAttr &ragged, IntegerAttr &align,
                                               IntegerAttr &parts, DenseI64ArrayAttr &block,
                                               DenseI64ArrayAttr &blockB, ReductionAttr &reduction,
                                               UnitAttr &accumulate, RoundingModeAttr &rounding,
                                               SpecialModeAttr &special, TinyModeAttr &tiny,
                                               StringAttr &compat, ArrayAttr &tiles) {
  auto value = [&](StringRef keyword, auto parse) { return valueClause(parser, keyword, parse); };
  auto setAccumulate = [&]() -> ParseResult {
    accumulate = parser.getBuilder().getUnitAttr();
    return success();
  };
  auto number = [&](StringRef keyword, IntegerAttr &attribute) {
    return value(keyword, [&] { return parser.parseAttribute(attribute, parser.getBuilder().getI64Type()); });
  };
  SmallVector<Clause> clauses = {
      value("ragged", [&] { return parseOfferedWord(parser, "ragged", ragged); }),
      number("align", align),
      number("parts", parts),
      value("block", [&] { return parseBlockShapes(parser, block, blockB); }),
      value("reduction", [&] { return parseOfferedWord(parser, "reduction", reduction); }),
      {"accumulate", setAccumulate}};
  llvm::append_range(clauses, ruleClauses(parser, rounding, special, tiny, compat));
  clauses.push_back(value("tiles", [&] { return parser.parseAttribute(tiles); }));
  return parseClauses(parser, clauses,
                      {{"groups", "before 'outs'"},
                       {"gather", "before 'outs'"},
                       {"with", "before 'outs'"},
                       {"alpha", "before 'outs'"}});
}

void mxc::mx::printGroupedMatmulClauses(OpAsmPrinter &p, Operation *, RaggedAttr ragged, IntegerAttr align,
                                        IntegerAttr parts, DenseI64ArrayAttr block, DenseI64ArrayAttr blockB,
                                        ReductionAttr reduction, UnitAttr accumulate,
                                        RoundingModeAttr rounding, SpecialModeAttr special, TinyModeAttr tiny,
                                        StringAttr compat, ArrayAttr tiles) {
  if (ragged) p << " ragged = " << stringifyEnum(ragged.getValue());
  if (align) p << " align = " << align.getInt();
  if (parts) p << " parts = " << parts.getInt();
  if (block) p << " block = " << textOfBlock(block);
  if (blockB) p << " by " << textOfBlock(blockB);
  if (reduction) p << " reduction = " << stringifyEnum(reduction.getValue());
  if (accumulate) p << " accumulate";
  printRule(p, rounding, special, tiny, compat);
  if (tiles) p << " tiles = " << tiles;
}

ArrayRef<StringRef> GroupedMatmulOp::getTileKinds() {
  static constexpr StringRef kKinds[] = {MatmulTileAttr::name, SwapTileAttr::name};
  return ArrayRef(kKinds).take_front(isRaggedK() ? 1 : 2);
}

ArrayRef<StringRef> GroupedMatmulOp::getDimensionNames() {
  static constexpr StringRef kNames[] = {"M", "N", "K", "G", "T"}; // T: rows of a that is gathered
  return ArrayRef(kNames).take_front(getGather() ? 5 : 4);
}

AbiAttributes GroupedMatmulOp::getAbiAttributes() {
  AbiAttributes attributes;
  attributes["ragged"] = stringifyEnum(getRagged().value_or(Ragged::M)).str();
  attributes["reduction"] = stringifyReduction(getReduction().value_or(Reduction::Any)).str();
  if (getBlockAttr()) attributes["block"] = textOfBlock(getBlockAttr());
  if (getBlockBAttr()) attributes["block_b"] = textOfBlock(getBlockBAttr());
  addResultAttributes(*this, attributes);
  return attributes;
}

// For a capacity that is all tokens.
MultiplyAdds GroupedMatmulOp::getMultiplyAdds() {
  auto element = [](Value operand) {
    return std::string(info(*elementFormatOf(getElementTypeOrSelf(operand.getType()))).name);
  };
  return {element(getA()) + " x " + element(getB()), llvm::to_vector(getDimensionNames().take_front(3)),
          getPartCount()};
}

mxc::BlockFormat GroupedMatmulOp::getFormatA() {
  return *blockFormatOf(getA().getType(), getScalesA().getType(), getBlockAttr());
}
mxc::BlockFormat GroupedMatmulOp::getFormatB() {
  return *blockFormatOf(getB().getType(), getScalesB().getType(), blockOfB());
}

static MemRefType memref(Value value) { return cast<MemRefType>(value.getType()); }

SmallVector<KernelOperand> GroupedMatmulOp::getKernelOperands() {
  MLIRContext *context = getContext();
  const mxc::BlockFormatInfo &formatA = info(getFormatA()), &formatB = info(getFormatB());
  AffineExpr m = getAffineDimExpr(0, context), n = getAffineDimExpr(1, context),
             k = getAffineDimExpr(2, context), g = getAffineDimExpr(3, context),
             rowsA = getGather() ? getAffineDimExpr(4, context) : m, one = getAffineConstantExpr(1, context),
             blocks = k.ceilDiv(formatA.blockColumns);
  auto over = [&](ArrayRef<AffineExpr> extents) {
    return AffineMap::get(unsigned(getDimensionNames().size()), 0, extents, context);
  };
  auto overB = [&](AffineExpr rows, AffineExpr columns) {
    SmallVector<AffineExpr> extents = {rows, columns};
    if (getPartCount() > 1) extents.insert(extents.begin(), getAffineConstantExpr(getPartCount(), context));
    if (!isRaggedK()) extents.insert(extents.begin(), g);
    return over(extents);
  };
  AffineExpr rowsOfCopies = m;
  if (getGroupAlignment() == 1) // tiles of each group's own
    rowsOfCopies = (m.ceilDiv(mxc::kScaleTileRows) + g - 1) * mxc::kScaleTileRows;
  AffineExpr scaleRows = getGather() ? rowsA : rowsOfCopies;
  SmallVector<KernelOperand> operands = {
      {.value = getA(), .shape = over({rowsA, k}), .role = OperandRole::Left},
      {.value = getScalesA(),
       .shape = over({scaleRows, blocks}),
       .role = OperandRole::Scales,
       .partner = getA()},
      {.value = getB(), .shape = overB(n, k), .role = OperandRole::Right},
      {.value = getScalesB(),
       .shape = overB(n.ceilDiv(formatB.blockRows), blocks),
       .role = OperandRole::Scales,
       .partner = getB()},
      {.value = getEnds(),
       .shape = over({g}),
       .role = OperandRole::Ends,
       .partner = getGather() ? Value(getGather()) : Value(getA()),
       .groupRows = getGroupAlignment(),
       .groupDimension = isRaggedK() ? 1u : 0u}};
  if (getGather())
    operands.push_back(
        {.value = getGather(), .shape = over({m}), .role = OperandRole::Index, .partner = getA()});
  for (Value input : getWith()) {
    ArrayRef<int64_t> sizes = memref(input).getShape();
    AffineExpr columns = sizes.back() == 1 ? one : n;
    bool isOfGroup = sizes.size() == 3;
    AffineExpr rows = sizes[sizes.size() - 2] == 1 ? one : m;
    operands.push_back(
        {.value = input, .shape = isOfGroup ? over({g, rows, columns}) : over({rows, columns})});
  }
  if (getAlpha()) operands.push_back({.value = getAlpha(), .shape = over({one}), .role = OperandRole::Alpha});
  // As of mx.matmul.
  const bool isProduct = !hasEpilogue() && !getAccumulate() && !isSequential();
  for (const ProductResult &result : productResults(*this)) {
    if (result.isMatrix()) {
      operands.push_back({.value = result.matrix,
                          .shape = isRaggedK() ? over({g, m, n}) : over({m, n}),
                          .role = isProduct ? OperandRole::Product : OperandRole::Data,
                          .isOutput = true,
                          .isRead = getAccumulate()});
      continue;
    }
    const AffineExpr blocksOfN = n.ceilDiv(kResultBlock), blocksOfM = rowsOfCopies.ceilDiv(kResultBlock);
    addCopyOperands(operands, result.copy, result.copy.axis == Axis::Row ? over({m, n}) : over({n, m}),
                    result.copy.axis == Axis::Row ? over({rowsOfCopies, blocksOfN}) : over({n, blocksOfM}));
  }
  return operands;
}

static LogicalResult verifyRank(GroupedMatmulOp op, Value operand, StringRef name, bool hasGroups) {
  if (memref(operand).getRank() == (hasGroups ? 3 : 2)) return success();
  return op.emitOpError() << name << " must be "
                          << (hasGroups ? "a matrix for every group, of rank 3" : "a matrix") << ", found "
                          << operand.getType() << " [GM1]";
}

LogicalResult GroupedMatmulOp::verify() {
  const bool isOfB = !isRaggedK(); // the leading dimension of groups
  if (failed(verifyRank(*this, getA(), "a", false)) ||
      failed(verifyRank(*this, getScalesA(), "scales of a", false)))
    return failure();
  if (getPartCount() == 1 && (failed(verifyRank(*this, getB(), "b", isOfB)) ||
                              failed(verifyRank(*this, getScalesB(), "scales of b", isOfB))))
    return failure();
  for (Value output : getOuts())
    if (failed(verifyRank(*this, output, "results", !isOfB))) return failure();
  for (Value input : getWith())
    if (isOfB && memref(input).getRank() == 3 && memref(input).getDimSize(1) != 1)
      return emitOpError("inputs of with(..) that are a group's own must be [G, 1, 1 or N], found ")
             << input.getType() << " [GM1]";
  if (int64_t align = getGroupAlignment(); align != 1 && align != 128)
    return emitOpError("align must be 1 or 128, found ") << align << " [GM2]";
  if (isRaggedK() && getGroupAlignment() != 128)
    return emitOpError("align must be 128 with ragged = k, whose steps are groups' own, found ")
           << getGroupAlignment() << " [GM2]";
  if (getGather() && isRaggedK())
    return emitOpError("gather is for ragged = m: groups of K have no rows of their own [GM4]");
  return verifyProduct(*this);
}

LogicalResult GroupedMatmulOp::verifyRegions() { return verifyProductEpilogue(*this); }
