#include "compiler/lowering/entry/KernelSignature.h"

using namespace mlir;

namespace mxc {

const AbiArgument &KernelSignature::argument(Value value) const {
  return abi.arguments[cast<BlockArgument>(value).getArgNumber()];
}

const Extent &KernelSignature::extent(StringRef name) const {
  return *llvm::find_if(extents, [&](const Extent &extent) { return extent.name == name; });
}

static std::string typeName(Type element, mx::OperandRole role) {
  auto scale = mx::scaleFormatOf(element);
  if (role == mx::OperandRole::Scales && scale) return std::string(info(*scale).name);
  if (auto format = mx::elementFormatOf(element)) return std::string(info(*format).name);
  if (element.isBF16()) return "bf16";
  if (element.isF16()) return "f16";
  if (element.isF32()) return "f32";
  return element.isInteger(32) ? "i32" : "i64";
}

static std::vector<AbiStride> stridesOf(MemRefType type) {
  if (!isa<StridedLayoutAttr>(type.getLayout())) return {};
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  std::vector<AbiStride> result;
  for (int64_t stride : ArrayRef(strides).drop_back())
    result.push_back(ShapedType::isDynamic(stride) ? AbiStride::free()
                                                   : AbiStride::fixed(std::to_string(stride)));
  result.push_back(AbiStride());
  return result;
}

static_assert(int(mx::OperandRole::Scales) == int(ArgumentRole::Scales) &&
              int(mx::OperandRole::Product) == int(ArgumentRole::Product) &&
              int(mx::OperandRole::ColumnSum) == int(ArgumentRole::ColumnSum) &&
              int(mx::OperandRole::Alpha) == int(ArgumentRole::Alpha) &&
              int(mx::OperandRole::Error) == int(ArgumentRole::Error) &&
              int(mx::OperandRole::Random) == int(ArgumentRole::Random));

static AbiArgument describe(mx::KernelOp kernel, BlockArgument argument,
                            const std::optional<mx::KernelOperand> &operand) {
  AbiArgument result;
  result.name = kernel.getArgName(argument.getArgNumber()).str();
  auto type = dyn_cast<MemRefType>(argument.getType());
  result.type = typeName(type ? type.getElementType() : argument.getType(),
                         operand ? operand->role : mx::OperandRole::Data);
  if (!type) {
    result.kind = ArgumentKind::Scalar;
    return result;
  }
  result.isOutput = operand->isOutput, result.isRead = operand->isRead;
  result.isConstant = operand->isConstant;
  result.role = ArgumentRole(operand->role);
  result.groupRows = operand->groupRows;
  result.groupDimension = operand->groupDimension;
  if (auto partner = dyn_cast_or_null<BlockArgument>(operand->partner))
    result.of = kernel.getArgName(partner.getArgNumber()).str();
  if (operand->role == mx::OperandRole::Scales)
    result.layout = argumentLayoutOf(mx::scaleLayoutOf(type).value_or(ScaleLayout::Dense));
  // Tensor maps and the tensor cores' copies read 16-byte runs; everything else needs its element's size.
  const std::optional<ScaleLayout> scales = scaleLayoutOf(result.layout);
  const bool hasRuns = scales && info(*scales).storage != ScaleStorage::Matrix;
  result.alignment = hasRuns ? 16 : mx::storageBytes(type.getElementType(), 1);
  result.strides = stridesOf(type);
  return result;
}

// An operand that has a dimension as it is says its size; of scales only the rows do.
static void refine(MutableArrayRef<Extent> extents, const mx::KernelOperand &operand) {
  auto type = cast<MemRefType>(operand.value.getType());
  for (auto [size, expression] : llvm::zip(type.getShape(), operand.shape.getResults()))
    if (auto dimension = dyn_cast<AffineDimExpr>(expression); dimension && !ShapedType::isDynamic(size))
      extents[dimension.getPosition()].staticSize = size;
}

static std::string expressionText(AffineExpr expression, ArrayRef<Extent> extents) {
  if (auto dimension = dyn_cast<AffineDimExpr>(expression)) return extents[dimension.getPosition()].name;
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return std::to_string(std::max<int64_t>(0, constant.getValue()));
  auto binary = cast<AffineBinaryOpExpr>(expression);
  std::string left = expressionText(binary.getLHS(), extents),
              right = expressionText(binary.getRHS(), extents);
  switch (binary.getKind()) {
  case AffineExprKind::CeilDiv:
    return "ceildiv(" + left + ", " + right + ")";
  case AffineExprKind::FloorDiv:
    return "(" + left + ") / " + right;
  case AffineExprKind::Mod:
    return "(" + left + ") % " + right;
  case AffineExprKind::Mul:
    return "(" + left + ") * " + right;
  default: // a size from which something is taken away is 0 at least
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()); constant && constant.getValue() < 0)
      return "max(" + left + " - " + std::to_string(-constant.getValue()) + ", 0)";
    return left + " + " + right;
  }
}

// The operand's extents as the ABI's expressions, with what the types say put in.
static SmallVector<std::string> shapeTexts(const mx::KernelOperand &operand, ArrayRef<Extent> extents) {
  MLIRContext *context = operand.shape.getContext();
  SmallVector<AffineExpr> sizes;
  for (auto [index, extent] : llvm::enumerate(extents))
    sizes.push_back(extent.staticSize ? getAffineConstantExpr(*extent.staticSize, context)
                                      : getAffineDimExpr(index, context));
  SmallVector<std::string> texts;
  for (AffineExpr expression : operand.shape.getResults())
    texts.push_back(expressionText(expression.replaceDims(sizes), extents));
  return texts;
}

void KernelSignature::addWorkspace(StringRef name, const ShapeExpression &bytes, WorkspaceZeroing zeroing) {
  AbiArgument argument{.name = name.str(), .type = "u8", .alignment = 128};
  argument.kind = ArgumentKind::Workspace;
  argument.bytes = bytes;
  argument.zeroing = zeroing;
  abi.arguments.push_back(argument);
}

// Bytes of a tensor's elements, which padding is none of.
static std::string bytesOf(const AbiArgument &argument, unsigned bits) {
  std::string bytes;
  for (const ShapeExpression &extent : argument.shape)
    bytes += "(" + extent.text() + ") * ";
  return bits % 8 ? bytes + std::to_string(bits) + " / 8" : bytes + std::to_string(bits / 8);
}

static AbiWork workOf(mx::KernelOpInterface op, const KernelSignature &signature) {
  AbiWork work;
  std::string read, written;
  for (const mx::KernelOperand &operand : op.getKernelOperands()) {
    const AbiArgument &argument = signature.argument(operand.value);
    const std::string bytes =
        bytesOf(argument, cast<MemRefType>(operand.value.getType()).getElementTypeBitWidth());
    if (argument.isInput()) read += (read.empty() ? "" : " + ") + bytes;
    if (argument.isOutput) written += (written.empty() ? "" : " + ") + bytes;
  }
  work.bytesRead = ShapeExpression(read).fold(), work.bytesWritten = ShapeExpression(written).fold();
  const mx::MultiplyAdds products = op.getMultiplyAdds();
  if (products.dimensions.empty()) return work;
  std::string count = products.products == 1 ? "" : std::to_string(products.products);
  for (StringRef dimension : products.dimensions)
    count += (count.empty() ? "" : " * ") + signature.extent(dimension).text();
  work.kind = products.kind, work.multiplyAdds = ShapeExpression(count).fold();
  return work;
}

mx::ScaleLayoutKind scaleLayoutKindOf(const AbiArgument &scales) {
  return mx::ScaleLayoutKind(scaleLayoutOf(scales.layout).value_or(ScaleLayout::Dense));
}

KernelSignature signatureOf(mx::KernelOp kernel) {
  KernelSignature signature;
  mx::KernelOpInterface op = kernel.getKernelOperation();
  signature.abi.name = kernel.getSymName().str();
  for (BlockArgument argument : kernel.getBody().getArguments())
    signature.abi.arguments.push_back(describe(kernel, argument, mx::kernelOperandOf(op, argument)));

  std::vector<Extent> &extents = signature.extents;
  for (StringRef name : op.getDimensionNames())
    extents.push_back({name.str(), std::nullopt});
  SmallVector<mx::KernelOperand> operands = op.getKernelOperands();
  for (const mx::KernelOperand &operand : operands)
    refine(extents, operand);

  AbiOperation &operation = signature.abi.operation;
  operation.name = op->getName().stripDialect().str();
  operation.attributes = op.getAbiAttributes();
  operation.hasPrologue = op.getScalarBlock() != nullptr;
  for (const mx::KernelOperand &operand : operands) {
    AbiArgument &argument = signature.abi.arguments[cast<BlockArgument>(operand.value).getArgNumber()];
    auto type = cast<MemRefType>(operand.value.getType());
    for (auto [size, extent] : llvm::zip(type.getShape(), shapeTexts(operand, extents))) {
      argument.shape.push_back(extent);
      if (!ShapedType::isDynamic(size) && !argument.shape.back().constant())
        signature.sizes.push_back(extent + " == " + std::to_string(size));
    }
    for (const mx::KernelOperand &other : operands) { // those in front of it
      if (other.value == operand.value) break;
      argument.number += other.role == operand.role && other.partner == operand.partner &&
                         other.isOutput == operand.isOutput;
    }
  }
  for (const Extent &extent : extents)
    if (!extent.staticSize) signature.abi.dimensions.push_back(extent.name);
  signature.abi.work = workOf(op, signature);
  return signature;
}

} // namespace mxc
