#include "compiler/reference/OperationReference.h"

#include "dialect/formats/Error.h"

namespace mxc {

#define MXC_KERNEL_FAMILY(Name) std::span<const OperationReference> referencesOf##Name();
#include "compiler/KernelFamilies.def"
#undef MXC_KERNEL_FAMILY

static std::vector<OperationReference> allReferences() {
  std::vector<OperationReference> all;
  auto add = [&](std::span<const OperationReference> family) {
    all.insert(all.end(), family.begin(), family.end());
  };
#define MXC_KERNEL_FAMILY(Name) add(referencesOf##Name());
#include "compiler/KernelFamilies.def"
#undef MXC_KERNEL_FAMILY
  return all;
}

std::span<const uint8_t> KernelReference::untouchedOf(const std::string &output) const {
  auto found = untouched.find(output);
  return found == untouched.end() ? std::span<const uint8_t>() : found->second;
}

FloatType floatTypeOf(const AbiArgument &argument) {
  if (argument.type == "bf16") return FloatType::BF16;
  if (argument.type == "f16") return FloatType::F16;
  if (argument.type == "f32") return FloatType::F32;
  throw Error(ErrorKind::InvalidInput,
              "argument '" + argument.name + "': expected bf16, f16 or f32, found " + argument.type);
}

ScaleLayout scaleLayoutOf(const AbiArgument &argument) {
  return scaleLayoutOf(argument.layout).value_or(ScaleLayout::Dense);
}

ScaleFormat scaleFormatOf(const AbiArgument &argument) {
  if (std::optional<ScaleFormat> format = scaleFormatNamed(argument.type)) return *format;
  throw Error(ErrorKind::InvalidInput,
              "argument '" + argument.name + "': expected a format of scales, found " + argument.type);
}

std::optional<BlockFormat> blockFormatOf(const KernelAbi &kernel, const AbiArgument &data,
                                         const AbiArgument &scales) {
  const std::optional<ElementFormat> element = elementFormatNamed(data.type);
  const std::optional<ScaleFormat> scale = scaleFormatNamed(scales.type);
  if (!element || !scale) return std::nullopt;
  const auto &attributes = kernel.operation.attributes;
  auto block = data.role == ArgumentRole::Right ? attributes.find("block_b") : attributes.end();
  if (block == attributes.end()) block = attributes.find("block");
  const bool isGiven = block != attributes.end();
  return mxc::blockFormatOf(*element, *scale, isGiven ? blockShapeNamed(block->second) : std::nullopt);
}

const AbiArgument &argumentOf(const KernelAbi &kernel, const std::string &name) {
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.name == name) return argument;
  throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name +
                                           "': damaged ABI: it refers to an argument '" + name +
                                           "' that the kernel lacks");
}

HostExtent hostExtent(const AbiArgument &argument, const Dimensions &dimensions) {
  if (argument.rank() < 1)
    throw Error(ErrorKind::InvalidInput,
                "argument '" + argument.name +
                    "': expected a vector, a matrix or a batch, found no dimensions");
  HostExtent result{1, argument.shape.back().evaluate(dimensions)};
  for (size_t i = 0; i + 1 < argument.rank(); ++i) // a batch's matrices lie one below the other
    result.rows *= argument.shape[i].evaluate(dimensions);
  return result;
}

KernelReference referenceOf(const KernelAbi &kernel, const Dimensions &dimensions, const HostTensors &inputs,
                            const Prologue *prologue) {
  static const std::vector<OperationReference> references = allReferences();
  std::string known;
  for (const OperationReference &reference : references) {
    known += (known.empty() ? "" : ", ") + std::string(reference.operation);
    if (reference.operation != kernel.operation.name) continue;
    ReferenceRun run(kernel, dimensions, inputs, prologue);
    reference.compute(run);
    return std::move(run.result);
  }
  throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': the host reference does not know '" +
                                           kernel.operation.name + "', only " + known);
}

} // namespace mxc
