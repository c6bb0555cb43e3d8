#include "compiler/lowering/KernelSignature.h"

using namespace mlir;

namespace mxc {

const AbiArgument &KernelSignature::argument(Value value) const {
  return abi.arguments[cast<BlockArgument>(value).getArgNumber()];
}

static std::string typeName(Type element) {
  if (auto format = mx::elementFormatOf(element)) return std::string(info(*format).name);
  if (isa<Float8E8M0FNUType>(element)) return "ue8m0";
  return element.isBF16() ? "bf16" : element.isF16() ? "f16" : "f32";
}

static void refine(Extent &extent, int64_t size) {
  if (!ShapedType::isDynamic(size)) extent.staticSize = size;
}

static AbiArgument describe(mx::KernelOp kernel, BlockArgument argument) {
  AbiArgument result;
  auto type = cast<MemRefType>(argument.getType());
  result.name = kernel.getArgName(argument.getArgNumber()).str();
  result.type = typeName(type.getElementType());
  if (result.type == "ue8m0") {
    result.role = ArgumentRole::Scales;
    result.layout = mx::scaleLayoutOf(type) == ScaleLayout::Tcgen05 ? ArgumentLayout::ScaleTcgen05
                                                                    : ArgumentLayout::ScaleDense;
  }
  // The tensor cores' copies read 16-byte runs; everything else needs its element's size.
  result.alignment =
      result.layout == ArgumentLayout::ScaleTcgen05 ? 16 : std::max(1u, type.getElementTypeBitWidth() / 8);
  if (isa<StridedLayoutAttr>(type.getLayout())) {
    SmallVector<int64_t> strides;
    int64_t offset;
    (void)type.getStridesAndOffset(strides, offset);
    result.strides = {ShapedType::isDynamic(strides[0]) ? AbiStride::free()
                                                        : AbiStride::fixed(std::to_string(strides[0])),
                      AbiStride()};
  }
  return result;
}

static void describeOperation(KernelSignature &signature, Operation *op, ArrayRef<Value> data,
                              ArrayRef<Value> scales) {
  for (Value value : data) {
    auto type = cast<MemRefType>(value.getType());
    refine(signature.rows, type.getDimSize(0));
    refine(signature.columns, type.getDimSize(1));
  }
  for (Value value : scales)
    refine(signature.rows, cast<MemRefType>(value.getType()).getDimSize(0));
  auto at = [&](Value value) -> AbiArgument & {
    return signature.abi.arguments[cast<BlockArgument>(value).getArgNumber()];
  };
  for (Value value : data)
    at(value).shape = {signature.rows.text(), signature.columns.text()};
  std::optional<int64_t> columns = signature.columns.staticSize;
  for (Value value : scales) {
    at(value).shape = {signature.rows.text(),
                       columns ? std::to_string(llvm::divideCeil(*columns, kBlockSize)) : "ceildiv(K, 32)"};
  }
  signature.abi.operation.name = op->getName().stripDialect().str();
}

KernelSignature signatureOf(mx::KernelOp kernel) {
  KernelSignature signature;
  signature.abi.name = kernel.getSymName().str();
  for (BlockArgument argument : kernel.getBody().getArguments())
    signature.abi.arguments.push_back(describe(kernel, argument));
  auto markOutput = [&](Value value) {
    signature.abi.arguments[cast<BlockArgument>(value).getArgNumber()].isOutput = true;
  };
  std::map<std::string, std::string> &attributes = signature.abi.operation.attributes;
  signature.rows.name = "M", signature.columns.name = "K";

  Operation *op = kernel.getKernelOperation();
  if (auto quantize = dyn_cast<mx::QuantizeOp>(op)) {
    SmallVector<Value> data(quantize.getInputs());
    data.push_back(quantize.getData());
    describeOperation(signature, op, data, {quantize.getScales()});
    markOutput(quantize.getData()), markOutput(quantize.getScales());
    QuantizeRule rule = quantize.getRule();
    attributes = {{"axis", stringifyAxis(quantize.getQuantizedAxis()).str()},
                  {"data", signature.argument(quantize.getData()).name},
                  {"scales", signature.argument(quantize.getScales()).name},
                  {"element", std::string(info(rule.element).name)},
                  {"rounding", std::string(name(rule.rounding))},
                  {"special", std::string(name(rule.special))},
                  {"tiny", std::string(name(rule.tiny))}};
    signature.abi.operation.hasPrologue = quantize.hasPrologue();
  } else if (auto dequantize = dyn_cast<mx::DequantizeOp>(op)) {
    describeOperation(signature, op, {dequantize.getData(), dequantize.getValues()},
                      {dequantize.getScales()});
    markOutput(dequantize.getValues());
    attributes = {{"data", signature.argument(dequantize.getData()).name},
                  {"scales", signature.argument(dequantize.getScales()).name},
                  {"values", signature.argument(dequantize.getValues()).name}};
  } else {
    signature.columns.name = "KB"; // both matrices are of scales: columns are blocks
    describeOperation(signature, op, {op->getOperand(0), op->getOperand(1)}, {});
    markOutput(op->getOperand(1));
  }
  auto data = attributes.find("data"), scales = attributes.find("scales");
  if (data != attributes.end() && scales != attributes.end())
    for (AbiArgument &argument : signature.abi.arguments)
      if (argument.name == scales->second) argument.of = data->second;
  for (const Extent &extent : {signature.rows, signature.columns})
    if (!extent.staticSize) signature.abi.dimensions.push_back(extent.name);
  return signature;
}

} // namespace mxc
