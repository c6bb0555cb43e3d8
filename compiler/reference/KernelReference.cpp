#include "compiler/reference/KernelReference.h"

#include "dialect/formats/Error.h"

namespace mxc {

namespace {

Error damaged(const KernelAbi &kernel, const std::string &what) {
  return Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': damaged ABI: " + what);
}

std::span<const uint8_t> bytesOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

class ReferenceRun {
public:
  ReferenceRun(const KernelAbi &kernel, const Dimensions &dimensions, const HostTensors &inputs,
               const Prologue *prologue)
      : kernel_(kernel), dimensions_(dimensions), inputs_(inputs), prologue_(prologue) {
    const std::string &operation = kernel.operation.name;
    if (operation == "quantize")
      quantize();
    else if (operation == "dequantize")
      dequantize();
    else if (operation == "pack_scales" || operation == "unpack_scales")
      copyScales();
    else
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name +
                                               "': the host reference does not know '" + operation +
                                               "', only quantize, dequantize, pack_scales and unpack_scales");
  }
  KernelReference result;

private:
  const std::string &attribute(const char *name) const {
    auto found = kernel_.operation.attributes.find(name);
    if (found == kernel_.operation.attributes.end())
      throw damaged(kernel_, std::string("no attribute ") + name);
    return found->second;
  }

  std::span<const std::byte> input(const std::string &name) const {
    auto found = inputs_.find(name);
    if (found == inputs_.end())
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "': no input '" + name + "'");
    return found->second;
  }

  std::vector<uint8_t> &output(const AbiArgument &argument, int64_t bytes) {
    std::vector<uint8_t> &output = result.outputs[argument.name];
    output.assign(static_cast<size_t>(bytes), 0);
    return output;
  }

  std::vector<float> load(const AbiArgument &argument, HostExtent extent) const {
    FloatType type = floatTypeOf(argument);
    std::span<const std::byte> data = input(argument.name);
    std::vector<float> values(static_cast<size_t>(extent.rows * extent.columns));
    if (data.size() != values.size() * static_cast<size_t>(byteSize(type)))
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + kernel_.name + "': input '" + argument.name + "' has " +
                      std::to_string(data.size()) + " bytes, expected " +
                      std::to_string(values.size() * static_cast<size_t>(byteSize(type))));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = loadFloat(type, data.data(), static_cast<int64_t>(i));
    return values;
  }

  void quantize() {
    const AbiArgument &data = argumentOf(kernel_, attribute("data"));
    const AbiArgument &scales = argumentOf(kernel_, attribute("scales"));
    auto element = elementFormatNamed(attribute("element"));
    auto rounding = roundingNamed(attribute("rounding"));
    auto special = specialNamed(attribute("special"));
    auto tiny = tinyBlockNamed(attribute("tiny"));
    if (!element || !rounding || !special || !tiny) throw damaged(kernel_, "an unknown rule of quantization");
    if (attribute("axis") != "row")
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name +
                                               "': the host reference knows axis = row only, not " +
                                               attribute("axis"));
    result.rule = {*element, *rounding, *special, *tiny};
    HostExtent extent = hostExtent(data, dimensions_), blocks = hostExtent(scales, dimensions_);
    quantizedValues(extent);
    ScaleLayout layout = scaleLayoutOf(scales);
    std::vector<uint8_t> &codes = output(data, extent.rows * extent.columns);
    std::vector<uint8_t> &bytes = output(scales, scaleBytes(layout, blocks.rows, blocks.columns));
    quantizeRows(result.values, extent.rows, extent.columns, result.rule, layout, codes, bytes);
  }

  void quantizedValues(HostExtent extent) {
    std::vector<std::vector<float>> columns;
    for (const AbiArgument &argument : kernel_.arguments)
      if (!argument.isOutput) columns.push_back(load(argument, extent));
    if (!kernel_.operation.hasPrologue) {
      result.values = std::move(columns.at(0));
      return;
    }
    if (!prologue_)
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name +
                                               "' has a prologue, which an image does not carry as "
                                               "source: give the .mlir file to have it verified");
    std::vector<std::span<const float>> views(columns.begin(), columns.end());
    result.values.resize(static_cast<size_t>(extent.rows * extent.columns));
    result.isExact = prologue_->isExact();
    prologue_->evaluate(views, result.values);
    if (!prologue_->flushes()) return;
    result.flushed.resize(result.values.size());
    prologue_->evaluate(views, result.flushed, Flush::About);
  }

  void dequantize() {
    const AbiArgument &data = argumentOf(kernel_, attribute("data")),
                      &scales = argumentOf(kernel_, attribute("scales"));
    const AbiArgument &values = argumentOf(kernel_, attribute("values"));
    auto element = elementFormatNamed(data.type);
    if (!element) throw damaged(kernel_, "data of type " + data.type);
    HostExtent extent = hostExtent(data, dimensions_);
    result.values.resize(static_cast<size_t>(extent.rows * extent.columns));
    dequantizeRows(bytesOf(input(data.name)), bytesOf(input(scales.name)), extent.rows, extent.columns,
                   *element, scaleLayoutOf(scales), result.values);
    FloatType type = floatTypeOf(values);
    std::vector<uint8_t> &bytes = output(values, static_cast<int64_t>(result.values.size()) * byteSize(type));
    for (size_t i = 0; i < result.values.size(); ++i)
      storeFloat(type, bytes.data(), static_cast<int64_t>(i), result.values[i]);
  }

  void copyScales() {
    if (kernel_.arguments.size() != 2) throw damaged(kernel_, "a copy of scales has two arguments");
    bool firstIsOutput = kernel_.arguments[0].isOutput;
    const AbiArgument &from = kernel_.arguments[firstIsOutput], &to = kernel_.arguments[!firstIsOutput];
    HostExtent extent = hostExtent(from, dimensions_);
    std::vector<uint8_t> &bytes = output(to, scaleBytes(scaleLayoutOf(to), extent.rows, extent.columns));
    convertScales(scaleLayoutOf(from), bytesOf(input(from.name)).data(), scaleLayoutOf(to), bytes.data(),
                  extent.rows, extent.columns);
  }

  const KernelAbi &kernel_;
  const Dimensions &dimensions_;
  const HostTensors &inputs_;
  const Prologue *prologue_;
};

} // namespace

FloatType floatTypeOf(const AbiArgument &argument) {
  if (argument.type == "bf16") return FloatType::BF16;
  if (argument.type == "f16") return FloatType::F16;
  if (argument.type == "f32") return FloatType::F32;
  throw Error(ErrorKind::InvalidInput,
              "argument '" + argument.name + "': expected bf16, f16 or f32, found " + argument.type);
}

ScaleLayout scaleLayoutOf(const AbiArgument &argument) {
  return argument.layout == ArgumentLayout::ScaleTcgen05 ? ScaleLayout::Tcgen05 : ScaleLayout::Dense;
}

const AbiArgument &argumentOf(const KernelAbi &kernel, const std::string &name) {
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.name == name) return argument;
  throw damaged(kernel, "it refers to an argument '" + name + "' that the kernel lacks");
}

HostExtent hostExtent(const AbiArgument &argument, const Dimensions &dimensions) {
  return {evaluateShape(argument.rows, dimensions), evaluateShape(argument.columns, dimensions)};
}

KernelReference referenceOf(const KernelAbi &kernel, const Dimensions &dimensions, const HostTensors &inputs,
                            const Prologue *prologue) {
  return std::move(ReferenceRun(kernel, dimensions, inputs, prologue).result);
}

} // namespace mxc
