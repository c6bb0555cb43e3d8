#include "tools/dev/bandwidth/Candidate.h"

#include "runtime/ArgumentShapes.h"
#include "runtime/ElementTypes.h"
#include "tools/dev/bandwidth/Yardstick.h"

#include <algorithm>
#include <filesystem>

namespace mxc::bandwidth {

namespace {

/// The dimensions that make the first row-major argument rows x columns.
Dimensions dimensionsFor(const KernelAbi &abi, int64_t rows, int64_t columns) {
  Dimensions dimensions;
  for (const AbiArgument &argument : abi.arguments) {
    if (!argument.isTensor() || argument.layout != ArgumentLayout::RowMajor || argument.rank() != 2) continue;
    if (std::optional<std::string> name = argument.shape[0].name()) dimensions[*name] = rows;
    if (std::optional<std::string> name = argument.shape[1].name()) dimensions[*name] = columns;
    if (std::vector<int64_t> shape{rows, columns}; argumentShape(abi, argument, dimensions) != shape)
      throw Error(ErrorKind::InvalidInput, "kernel '" + abi.name + "' cannot take the shape " +
                                               shapeText(shape) + ": its '" + argument.name + "' is " +
                                               shapeText(argument.shape));
    return dimensions;
  }
  throw Error(ErrorKind::InvalidInput,
              "kernel '" + abi.name + "' has no row-major argument to take its shape from");
}

} // namespace

Kernel loadKernel(const Device &device, const std::string &text) {
  size_t colon = text.rfind(':');
  bool named = colon != std::string::npos && !std::filesystem::exists(text);
  return Module::load(device, text.substr(0, named ? colon : text.npos))
      .kernel(named ? text.substr(colon + 1) : "");
}

Program candidate(const Kernel &kernel, const std::string &name, int64_t rows, int64_t columns) {
  const KernelAbi &abi = kernel.abi();
  const Dimensions dimensions = dimensionsFor(abi, rows, columns);

  Program program;
  program.name = name;
  Arguments arguments; // without addresses
  double bytesRead = 0, bytesWritten = 0;
  for (const AbiArgument &argument : abi.arguments) {
    const ElementType *type = elementTypeNamed(argument.type);
    if (!type)
      throw Error(ErrorKind::InvalidInput,
                  "kernel '" + abi.name + "': unknown element type " + argument.type);
    arguments.push_back({argument.name, {0, argument.type, argumentShape(abi, argument, dimensions), {}}});
    const int64_t bytes = extentBytes(arguments.back().view);
    if (argument.isOutput)
      program.outputBytes.push_back(bytes);
    else
      program.inputs.push_back({argument.type, bytes});
    const std::string what = "kernel '" + abi.name + "': argument '" + argument.name + "'";
    double needed = type->bits / 8.0;
    for (const ShapeExpression &size : argument.shape)
      needed *= double(evaluateFor(what, size, dimensions, 1));
    program.bytes += needed; // padding of scales is not the caller's wish
    if (argument.layout == ArgumentLayout::RowMajor) (argument.isOutput ? bytesWritten : bytesRead) += needed;
  }
  const double elements = double(rows) * double(columns);
  program.ceiling = trafficNamed(bytesRead / elements, bytesWritten / elements);

  program.launch = [kernel, arguments](const BufferSet &set, bool pdl, CUstream stream) {
    Arguments bound = arguments;
    size_t input = 0, output = 0;
    for (size_t i = 0; i < bound.size(); ++i)
      bound[i].view.address =
          kernel.abi().arguments[i].isOutput ? set.outputs[output++] : set.inputs[input++];
    kernel.launch(bound, {.stream = stream, .pdl = pdl});
  };
  return program;
}

} // namespace mxc::bandwidth
