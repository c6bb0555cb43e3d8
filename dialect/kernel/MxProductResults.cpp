// Results of products: matrices, and what is quantized of them. Their syntax, their constraints (M4, M7,
// M11), and what the ABI says of them.
#include "dialect/kernel/MxMatmulClauses.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mxc::mx;

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

ParseResult mxc::mx::parseMatmulOuts(OpAsmParser &parser, SmallVectorImpl<UnresolvedOperand> &outs,
                                     SmallVectorImpl<Type> &types, ArrayAttr &kinds) {
  SmallVector<Attribute> found;
  auto parseOne = [&]() -> ParseResult {
    NamedAttrList kind;
    bool isPair = succeeded(parser.parseOptionalLParen());
    if (parser.parseOperand(outs.emplace_back())) return failure();
    if (isPair && (parser.parseComma() || parser.parseOperand(outs.emplace_back()) || parser.parseRParen()))
      return failure();
    if (isPair) kind.set("pair", parser.getBuilder().getUnitAttr());
    if (succeeded(parser.parseOptionalLBrace())) {
      StringRef clause, value;
      if (parser.parseKeyword(&clause) || parser.parseEqual() || parser.parseKeyword(&value) ||
          parser.parseRBrace())
        return failure();
      kind.set(clause, parser.getBuilder().getStringAttr(value));
    }
    found.push_back(kind.getDictionary(parser.getContext()));
    return success();
  };
  auto parseOneType = [&]() -> ParseResult {
    if (*parser.getCurrentLocation().getPointer() == '%')
      return parser.emitError(parser.getCurrentLocation())
             << "expected a type, found an operand: all results stand before ':', "
                "and their types after it";
    return parser.parseType(types.emplace_back());
  };
  if (parser.parseCommaSeparatedList(parseOne) || parser.parseColon() ||
      parser.parseCommaSeparatedList(parseOneType))
    return failure();
  kinds = parser.getBuilder().getArrayAttr(found);
  return success();
}

void mxc::mx::printMatmulOuts(OpAsmPrinter &p, Operation *, OperandRange outs, TypeRange types,
                              ArrayAttr kinds) {
  size_t next = 0;
  llvm::interleaveComma(kinds, p, [&](Attribute attribute) {
    auto kind = cast<DictionaryAttr>(attribute);
    if (kind.contains("pair")) {
      p << '(' << outs[next] << ", " << outs[next + 1] << ')';
      next += 2;
    } else {
      p << outs[next++];
    }
    for (NamedAttribute clause : kind)
      if (auto value = dyn_cast<StringAttr>(clause.getValue()))
        p << " {" << clause.getName().getValue() << " = " << value.getValue() << '}';
  });
  p << " : " << types;
}

static std::optional<Axis> axisOf(DictionaryAttr kind) {
  auto word = kind.getAs<StringAttr>("axis");
  return word ? symbolizeAxis(word.getValue()) : std::nullopt;
}

SmallVector<ProductResult> mxc::mx::productResults(ProductOpInterface op) {
  SmallVector<ProductResult> results;
  size_t next = 0;
  OperandRange outs = op.getOuts();
  for (Attribute attribute : op.getOutKinds()) {
    auto kind = cast<DictionaryAttr>(attribute);
    if (!kind.contains("pair")) {
      results.push_back({outs[next++]});
      continue;
    }
    const Axis axis = axisOf(kind).value_or(Axis::Row);
    results.push_back({Value(), {outs[next], outs[next + 1], axis, axis == Axis::Column}});
    next += 2;
  }
  return results;
}

SmallVector<QuantizedCopy> mxc::mx::quantizedResults(ProductOpInterface op) {
  SmallVector<QuantizedCopy> copies;
  for (const ProductResult &result : productResults(op))
    if (!result.isMatrix()) copies.push_back(result.copy);
  return copies;
}

SmallVector<Value> mxc::mx::matrixResults(ProductOpInterface op) {
  SmallVector<Value> matrices;
  for (const ProductResult &result : productResults(op))
    if (result.isMatrix()) matrices.push_back(result.matrix);
  return matrices;
}

void mxc::mx::addCopyOperands(SmallVectorImpl<KernelOperand> &operands, const QuantizedCopy &copy,
                              AffineMap codes, AffineMap scales) {
  operands.push_back({.value = copy.data,
                      .shape = codes,
                      .role = copy.axis == Axis::Row ? OperandRole::Codes : OperandRole::ColumnCodes,
                      .isOutput = true});
  operands.push_back({.value = copy.scales,
                      .shape = scales,
                      .role = OperandRole::Scales,
                      .partner = copy.data,
                      .isOutput = true});
}

void mxc::mx::addResultAttributes(ProductOpInterface op, AbiAttributes &attributes) {
  std::string roles;
  bool areQuantized = false;
  for (const ProductResult &result : productResults(op)) {
    areQuantized |= !result.isMatrix();
    roles += roles.empty() ? "" : " ";
    roles += result.isMatrix() ? "data" : result.copy.axis == Axis::Row ? "codes" : "column_codes";
  }
  if (!areQuantized) return;
  const mxc::QuantizeRule rule = op.getRule();
  attributes["results"] = roles;
  attributes["rounding"] = name(rule.rounding);
  attributes["special"] = name(rule.special);
  attributes["tiny"] = name(rule.tiny);
}

static MemRefType memref(Value value) { return cast<MemRefType>(value.getType()); }

// M4 of the kind as it is written.
static LogicalResult verifyKind(ProductOpInterface op, DictionaryAttr kind) {
  const bool isPair = kind.contains("pair");
  for (NamedAttribute clause : kind) {
    auto value = dyn_cast<StringAttr>(clause.getValue());
    if (!value) continue;
    if (clause.getName() != "axis" || !isPair)
      return op->emitOpError("'") << clause.getName().getValue() << "' of an output "
                                  << (clause.getName() == "axis" ? "is for codes with scales"
                                                                 : "is not yet there")
                                  << ": outputs must be matrices, or (codes, scales) {axis = row} [M4]";
    std::optional<Axis> axis = symbolizeAxis(value.getValue());
    if (!axis || *axis == Axis::Both)
      return op->emitOpError("axis of an output must be row or column, found ")
             << value.getValue() << " [M4]";
  }
  return success();
}

// M11 of one copy.
static LogicalResult verifyCopy(ProductOpInterface op, const QuantizedCopy &copy) {
  MemRefType data = memref(copy.data), scales = memref(copy.scales);
  std::optional<mxc::BlockFormat> format = blockFormatOf(data, scales);
  if (!format) return verifyBlockFormat(op, "M11", data, scales, {});
  const mxc::BlockFormatInfo &block = info(*format);
  if (block.blockRows != 1 || block.blockColumns != kResultBlock || info(block.element).bits() != 8 ||
      info(block.scale).rule != mxc::ScaleRule::PowerOfTwo)
    return op->emitOpError("results are quantized to elements of 8 bits with a scale of f8E8M0FNU for ")
           << kResultBlock << " of them, found " << StringRef(block.name) << " [M11]";
  if (scaleLayoutOf(scales) == mxc::ScaleLayout::MnMajor)
    return op->emitOpError("scales of results must be dense or in the layout tcgen05, found ")
           << scales << " [M11]";
  if (data.getRank() != 2 || scales.getRank() != 2)
    return op->emitOpError("codes and scales of results must be matrices, found ")
           << (data.getRank() != 2 ? data : scales) << " [M11]";
  if (op.hasGroups() && op.getGroupAlignment() == 1) return verifyScaleLayout(op, "M11", scales);
  return verifyScalesShape(op, "M11", data, block, scales);
}

static LogicalResult verifyQuantized(ProductOpInterface op, ArrayRef<QuantizedCopy> copies) {
  if (op.hasRuleClauses() && copies.empty())
    return op->emitOpError("rounding, special, tiny and compat are for results that are codes with scales, "
                           "found none [M11]");
  if (StringAttr compat = op.getCompatAttr();
      compat &&
      failed(verifyPreset(op, compat.getValue(), op.saysRuleTwice(), mxc::ScaleFormat::UE8M0, "M11")))
    return failure();
  if (copies.empty()) return success();
  if (failed(verifyRule(op, op.getRule(), mxc::ScaleFormat::UE8M0, "M11"))) return failure();
  for (const QuantizedCopy &copy : copies)
    if (failed(verifyCopy(op, copy))) return failure();
  return success();
}

LogicalResult mxc::mx::verifyProductResults(ProductOpInterface op) {
  if (op.getOuts().empty()) return op->emitOpError("needs at least one output [M4]");
  for (Attribute kind : op.getOutKinds())
    if (failed(verifyKind(op, cast<DictionaryAttr>(kind)))) return failure();
  SmallVector<Value> matrices = matrixResults(op);
  for (Value output : matrices)
    if (!isResultElement(memref(output).getElementType()))
      return op->emitOpError("outputs must be bf16, f16 or f32, or codes with their scales, found ")
             << output.getType() << " [M4]";
  for (Value output : matrices) // boxes of one shape leave through one staging memory
    if (memref(output).getElementTypeBitWidth() != memref(matrices.front()).getElementTypeBitWidth())
      return op->emitOpError("outputs must have elements of one width, found ")
             << matrices.front().getType() << " and " << output.getType() << " [M4]";
  if (op.getOutKinds().size() > 1 && !op.hasEpilogue())
    return op->emitOpError("has ") << op.getOutKinds().size()
                                   << " outputs, which need an epilogue that yields them [M7]";
  return verifyQuantized(op, quantizedResults(op));
}
