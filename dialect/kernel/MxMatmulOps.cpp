#include "dialect/attributes/OfferedWords.h"
#include "dialect/attributes/TileMemberText.h"
#include "dialect/kernel/MxMatmulClauses.h"
#include "dialect/kernel/MxQuantizeClauses.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mxc::mx;

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

ParseResult mxc::mx::parseFactors(OpAsmParser &parser, UnresolvedOperand &a, UnresolvedOperand &scalesA,
                                  UnresolvedOperand &b, UnresolvedOperand &scalesB, Type &typeA,
                                  Type &typeScalesA, Type &typeB, Type &typeScalesB) {
  constexpr size_t kFactors = 4;
  SMLoc place = parser.getCurrentLocation();
  auto refused = [&](size_t count, StringRef what) {
    return parser.emitError(place) << "ins takes a, its scales, b and its scales (4), found " << count
                                   << what;
  };
  SmallVector<UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parser.parseOperandList(operands)) return failure();
  if (operands.size() > kFactors)
    return refused(operands.size(), " operands: the epilogue's inputs stand in with(..), before outs");
  if (operands.size() < kFactors)
    return refused(operands.size(), " operands: mx.quantize makes both from a matrix of values");
  if (parser.parseColonTypeList(types)) return failure();
  if (types.size() != kFactors) return refused(types.size(), " types");
  a = operands[0], scalesA = operands[1], b = operands[2], scalesB = operands[3];
  typeA = types[0], typeScalesA = types[1], typeB = types[2], typeScalesB = types[3];
  return success();
}

void mxc::mx::printFactors(OpAsmPrinter &p, Operation *, Value a, Value scalesA, Value b, Value scalesB,
                           Type typeA, Type typeScalesA, Type typeB, Type typeScalesB) {
  p << a << ", " << scalesA << ", " << b << ", " << scalesB << " : ";
  p << typeA << ", " << typeScalesA << ", " << typeB << ", " << typeScalesB;
}

ParseResult mxc::mx::parseMatmulClauses(OpAsmParser &parser, IntegerAttr &parts, DenseI64ArrayAttr &block,
                                        DenseI64ArrayAttr &blockB, ReductionAttr &reduction,
                                        UnitAttr &accumulate, UnitAttr &constantB, RoundingModeAttr &rounding,
                                        SpecialModeAttr &special, TinyModeAttr &tiny, StringAttr &compat,
                                        ArrayAttr &tiles) {
  auto value = [&](StringRef keyword, auto parse) { return valueClause(parser, keyword, parse); };
  auto setAccumulate = [&]() -> ParseResult {
    accumulate = parser.getBuilder().getUnitAttr();
    return success();
  };
  auto parseConstant = [&]() -> ParseResult {
    constantB = parser.getBuilder().getUnitAttr();
    return parser.parseKeyword("b", ", the operand that may be constant");
  };
  SmallVector<Clause> clauses = {
      value("parts", [&] { return parser.parseAttribute(parts, parser.getBuilder().getI64Type()); }),
      value("block", [&] { return parseBlockShapes(parser, block, blockB); }),
      value("reduction", [&] { return parseOfferedWord(parser, "reduction", reduction); }),
      {"accumulate", setAccumulate},
      value("constant", parseConstant)};
  llvm::append_range(clauses, ruleClauses(parser, rounding, special, tiny, compat));
  clauses.push_back(value("tiles", [&] { return parser.parseAttribute(tiles); }));
  return parseClauses(parser, clauses, {{"with", "before 'outs'"}, {"alpha", "before 'outs'"}});
}

void mxc::mx::printMatmulClauses(OpAsmPrinter &p, MatmulOp, IntegerAttr parts, DenseI64ArrayAttr block,
                                 DenseI64ArrayAttr blockB, ReductionAttr reduction, UnitAttr accumulate,
                                 UnitAttr constantB, RoundingModeAttr rounding, SpecialModeAttr special,
                                 TinyModeAttr tiny, StringAttr compat, ArrayAttr tiles) {
  if (parts) p << " parts = " << parts.getInt();
  if (block) p << " block = " << textOfBlock(block);
  if (blockB) p << " by " << textOfBlock(blockB);
  if (reduction) p << " reduction = " << stringifyEnum(reduction.getValue());
  if (accumulate) p << " accumulate";
  if (constantB) p << " constant = b";
  printRule(p, rounding, special, tiny, compat);
  if (tiles) p << " tiles = " << tiles;
}

ArrayRef<StringRef> MatmulOp::getTileKinds() {
  static constexpr StringRef kKinds[] = {MatmulTileAttr::name, SwapTileAttr::name};
  return kKinds;
}

ArrayRef<StringRef> MatmulOp::getDimensionNames() {
  static constexpr StringRef kNames[] = {"M", "N", "K", "B"};
  return ArrayRef(kNames).take_front(isBatched() ? 4 : 3);
}

AbiAttributes MatmulOp::getAbiAttributes() {
  AbiAttributes attributes;
  attributes["reduction"] = stringifyReduction(getReduction().value_or(Reduction::Any)).str();
  if (getBlockAttr()) attributes["block"] = textOfBlock(getBlockAttr());
  if (getBlockBAttr()) attributes["block_b"] = textOfBlock(getBlockBAttr());
  addResultAttributes(*this, attributes);
  return attributes;
}

MultiplyAdds MatmulOp::getMultiplyAdds() {
  auto element = [](Value operand) {
    return std::string(info(*elementFormatOf(getElementTypeOrSelf(operand.getType()))).name);
  };
  return {element(getA()) + " x " + element(getB()), llvm::to_vector(getDimensionNames()), getPartCount()};
}

mxc::BlockFormat MatmulOp::getFormatA() {
  return *blockFormatOf(getA().getType(), getScalesA().getType(), getBlockAttr());
}
mxc::BlockFormat MatmulOp::getFormatB() {
  return *blockFormatOf(getB().getType(), getScalesB().getType(), blockOfB());
}

// Extents over (M, N, K[, B]); a batch is outermost.
static AffineMap shapeOver(MatmulOp op, ArrayRef<AffineExpr> matrix) {
  SmallVector<AffineExpr> extents;
  if (op.isBatched()) extents.push_back(getAffineDimExpr(3, op.getContext()));
  extents.append(matrix.begin(), matrix.end());
  return AffineMap::get(op.isBatched() ? 4 : 3, 0, extents, op.getContext());
}

SmallVector<KernelOperand> MatmulOp::getKernelOperands() {
  MLIRContext *context = getContext();
  AffineExpr m = getAffineDimExpr(0, context), n = getAffineDimExpr(1, context),
             k = getAffineDimExpr(2, context), one = getAffineConstantExpr(1, context),
             blocks = k.ceilDiv(info(getFormatA()).blockColumns);
  SmallVector<KernelOperand> operands;
  auto factor = [&](Value codes, Value scales, AffineExpr rows, int64_t blockRows, OperandRole role,
                    bool isConstant) {
    auto over = [&](AffineExpr rows, AffineExpr columns) {
      SmallVector<AffineExpr> matrix = {rows, columns};
      if (role == OperandRole::Right && getPartCount() > 1)
        matrix.insert(matrix.begin(), getAffineConstantExpr(getPartCount(), context));
      return shapeOver(*this, matrix);
    };
    operands.push_back({.value = codes, .shape = over(rows, k), .role = role, .isConstant = isConstant});
    operands.push_back({.value = scales,
                        .shape = over(rows.ceilDiv(blockRows), blocks),
                        .role = OperandRole::Scales,
                        .partner = codes,
                        .isConstant = isConstant});
  };
  factor(getA(), getScalesA(), m, info(getFormatA()).blockRows, OperandRole::Left, false);
  factor(getB(), getScalesB(), n, info(getFormatB()).blockRows, OperandRole::Right, getConstantB());
  for (Value input : getWith()) {
    auto type = cast<MemRefType>(input.getType());
    int rank = type.getRank();
    AffineExpr rows = type.getDimSize(rank - 2) == 1 ? one : m,
               columns = type.getDimSize(rank - 1) == 1 ? one : n;
    operands.push_back({.value = input, .shape = shapeOver(*this, {rows, columns})});
  }
  if (getAlpha())
    operands.push_back({.value = getAlpha(),
                        .shape = AffineMap::get(isBatched() ? 4 : 3, 0, one, context),
                        .role = OperandRole::Alpha});
  // An epilogue, and what c held, have bounds of their own; a sequential sum has one value.
  const bool isProduct = !hasEpilogue() && !getAccumulate() && getReduction() != Reduction::Sequential;
  for (const ProductResult &result : productResults(*this)) {
    if (result.isMatrix()) {
      operands.push_back({.value = result.matrix,
                          .shape = shapeOver(*this, {m, n}),
                          .role = isProduct ? OperandRole::Product : OperandRole::Data,
                          .isOutput = true,
                          .isRead = getAccumulate()});
      continue;
    }
    const AffineExpr blocksOfN = n.ceilDiv(kResultBlock), blocksOfM = m.ceilDiv(kResultBlock);
    addCopyOperands(operands, result.copy,
                    result.copy.axis == Axis::Row ? shapeOver(*this, {m, n}) : shapeOver(*this, {n, m}),
                    result.copy.axis == Axis::Row ? shapeOver(*this, {m, blocksOfN})
                                                  : shapeOver(*this, {n, blocksOfM}));
  }
  return operands;
}

static MemRefType memref(Value value) { return cast<MemRefType>(value.getType()); }

// What the machines read: words for the tensor cores, lines of rows by tensor maps, a number a block of rows.
static mxc::ScaleLayout productScaleLayout(const mxc::BlockFormatInfo &format) {
  if (info(format.scale).bits == 8) return mxc::ScaleLayout::Tcgen05;
  return format.blockRows > 1 ? mxc::ScaleLayout::Dense : mxc::ScaleLayout::MnMajor;
}

// Each operand's extents against those of the dimensions that its shape names.
static LogicalResult verifyExtents(ProductOpInterface op) {
  auto kernelOperation = cast<KernelOpInterface>(op.getOperation());
  SmallVector<int64_t> known(kernelOperation.getDimensionNames().size(), ShapedType::kDynamic);
  for (const KernelOperand &operand : kernelOperation.getKernelOperands()) {
    MemRefType type = memref(operand.value);
    if (operand.role == OperandRole::Alpha) continue;
    if (type.getRank() != operand.shape.getNumResults())
      return op->emitOpError("operands must have one rank, ")
             << (op.isBatched() ? 3 : 2) << ", found " << type << " [M1]";
    for (auto [index, expression] : llvm::enumerate(operand.shape.getResults())) {
      auto dimension = dyn_cast<AffineDimExpr>(expression);
      if (!dimension) continue;
      int64_t &size = known[dimension.getPosition()];
      if (!agree(size, type.getDimSize(index))) {
        InFlightDiagnostic error = op->emitOpError(
            "shapes must be a [.., M, K], b [.., N, K], with [1 or M, 1 or N], results [.., M, N]: ");
        return error << kernelOperation.getDimensionNames()[dimension.getPosition()] << " is " << size
                     << ", found " << type << " [" << (operand.role == OperandRole::Scales ? "M3" : "M2")
                     << "]";
      }
      if (!type.isDynamicDim(index)) size = type.getDimSize(index);
    }
  }
  for (Value scales : {op.getScalesA(), op.getScalesB()}) {
    MemRefType type = memref(scales);
    const mxc::BlockFormatInfo &format = info(scales == op.getScalesA() ? op.getFormatA() : op.getFormatB());
    const std::optional<mxc::ScaleLayout> layout = scaleLayoutOf(type);
    if (const mxc::ScaleLayout expected = productScaleLayout(format); layout != expected)
      return op->emitOpError("scales of ")
             << (scales == op.getScalesA() ? "a" : "b") << " must have the layout "
             << (expected == mxc::ScaleLayout::Dense
                     ? std::string("that is the default")
                     : "#mx.scale_layout<" + std::string(name(expected)) + ">")
             << ", found " << type
             << (layout && expected == mxc::ScaleLayout::Tcgen05 ? ": mx.pack_scales makes them of dense ones"
                                                                 : "")
             << " [M3]";
    if (failed(verifyScaleLayout(op, "M3", type))) return failure();
    int64_t blocks = ShapedType::isDynamic(known[2]) ? known[2] : format.blocks(known[2]);
    if (!agree(blocks, type.getShape().back()))
      return op->emitOpError("scales must be [.., rows, ceil(K/")
             << format.blockColumns << ")] = [.., " << blocks << "], found " << type << " [M3]";
  }
  return success();
}

// Scales that are powers of two are of the tensor cores' blocks alone; larger ones have been converted.
static LogicalResult verifyConverted(ProductOpInterface op, Value data, Value scales,
                                     DenseI64ArrayAttr block) {
  const std::optional<mxc::BlockFormat> known = blockFormatOf(memref(data), memref(scales));
  if (!known || blockFormatOf(memref(data), memref(scales), block) == known ||
      info(info(*known).scale).rule != mxc::ScaleRule::PowerOfTwo)
    return success();
  const std::string of = mxc::text({info(*known).blockRows, info(*known).blockColumns});
  return op->emitOpError("scales of ")
         << memref(scales).getElementType() << " are for blocks of " << of
         << ", found block = " << textOfBlock(block)
         << ": mx.convert_scales writes those of larger blocks for each part of " << of
         << ", and the product has no clause then [M3]";
}

static LogicalResult verifyFormats(ProductOpInterface op) {
  if (failed(verifyConverted(op, op.getA(), op.getScalesA(), op.getBlockAttr())) ||
      failed(verifyConverted(op, op.getB(), op.getScalesB(), op.blockOfB())))
    return failure();
  if (failed(verifyBlockFormat(op, "M3", memref(op.getA()), memref(op.getScalesA()), op.getBlockAttr())) ||
      failed(verifyBlockFormat(op, "M3", memref(op.getB()), memref(op.getScalesB()), op.blockOfB())))
    return failure();
  const mxc::BlockFormatInfo &a = info(op.getFormatA()), &b = info(op.getFormatB());
  if (a.blockRows > 1)
    return op->emitOpError("blocks of a must be of one row, found ")
           << textOfBlock(op.getBlockAttr()) << " [M3]";
  if (a.blockColumns == b.blockColumns) return success();
  return op->emitOpError("blocks of a and b must have one length along K, found ")
         << a.blockColumns << " and " << b.blockColumns << " [M3]";
}

static LogicalResult verifyParts(ProductOpInterface op) {
  const int64_t parts = op.getPartCount();
  if (parts == 1) return success();
  if (parts != 2) return op->emitOpError("parts must be 2, found ") << parts << " [M12]";
  if (op.isBatched() || op.isRaggedK())
    return op->emitOpError("parts are not for ") << (op.isBatched() ? "batches" : "ragged = k") << " [M12]";
  if (!op.hasEpilogue())
    return op->emitOpError("parts need an epilogue that makes one value of both products [M12]");
  const int rank = op.hasGroups() ? 4 : 3;
  for (Value operand : {op.getB(), op.getScalesB()}) {
    MemRefType type = memref(operand);
    if (type.getRank() == rank && agree(type.getDimSize(rank - 3), parts)) continue;
    return op->emitOpError("b and its scales must be [")
           << (op.hasGroups() ? "G, " : "") << parts << ", rows, columns] with parts = " << parts
           << ", found " << type << " [M12]";
  }
  return success();
}

static LogicalResult verifyInputs(ProductOpInterface op) {
  for (Value input : op.getWith()) {
    MemRefType type = memref(input);
    const Type element = type.getElementType();
    if ((type.getRank() == 2 || type.getRank() == 3) && isResultElement(element)) continue;
    InFlightDiagnostic error =
        op->emitOpError("inputs of with(..) must be [.., 1 or M, 1 or N] of bf16, f16 or f32, found ")
        << type;
    if (type.getRank() == 1)
      error << ": a row for all of M is " << MemRefType::get({1, type.getDimSize(0)}, element);
    return error << " [M5]";
  }
  return success();
}

// M11, before the extents, which such results would have others of.
static LogicalResult verifyQuantizedPlace(ProductOpInterface op) {
  if (quantizedResults(op).empty() || !(op.isBatched() || op.isRaggedK() || op.getAccumulate()))
    return success();
  return op->emitOpError("results that are codes with scales are not for ")
         << (op.isBatched()   ? "batches"
             : op.isRaggedK() ? "ragged = k"
                              : "accumulate")
         << " [M11]";
}

LogicalResult mxc::mx::verifyProduct(ProductOpInterface op) {
  if (op.getAlpha() && memref(op.getAlpha()).getDimSize(0) != 1)
    return op->emitOpError("alpha must be memref<1xf32>, found ") << op.getAlpha().getType() << " [M10]";
  if (failed(verifyParts(op)) || failed(verifyFormats(op)) || failed(verifyInputs(op))) return failure();
  if (failed(verifyQuantizedPlace(op)) || failed(verifyExtents(op))) return failure();
  if (failed(verifyProductResults(op))) return failure();
  if (op.hasEpilogue() &&
      failed(verifyYield(op, op.getEpilogue().front(), "epilogue", op.getOutKinds().size(), "M6")))
    return failure();
  if (!op.getWith().empty() && !op.hasEpilogue())
    return op->emitOpError("has inputs in `with`, which need an epilogue that uses them [M6]");
  if (failed(verifyTiles(cast<TiledOpInterface>(op.getOperation()), "M8"))) return failure();
  return verifyProductTiles(op);
}

LogicalResult mxc::mx::verifyProductEpilogue(ProductOpInterface op) {
  if (!op.hasEpilogue()) return success();
  const int64_t parts = op.getPartCount();
  return verifyScalarRegion(op, op.getEpilogue().front(), "epilogue",
                            parts == 1
                                ? "the product, and one for each input that with(..) names before outs"
                                : "both products, and one for each input that with(..) names before outs",
                            parts + op.getWith().size(), "M6");
}

LogicalResult MatmulOp::verify() { return verifyProduct(*this); }
LogicalResult MatmulOp::verifyRegions() { return verifyProductEpilogue(*this); }
