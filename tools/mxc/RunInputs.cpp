#include "tools/mxc/RunInputs.h"

#include "dialect/formats/Error.h"
#include "runtime/ElementTypes.h"
#include "tools/mxc/Messages.h"

#include <algorithm>
#include <charconv>

namespace mxc {

namespace {

class Binder {
public:
  Binder(const KernelAbi &kernel, const TensorFile &file, const std::string &fileName)
      : kernel_(kernel), file_(file), fileName_(fileName) {}

  RunInputs bind(const Dimensions &given) {
    for (const AbiArgument &argument : kernel_.arguments)
      if (!argument.isOutput) take(argument);
    warnOfOthers();
    requireDeterminedDimensions(given);
    result_.dimensions = solveDimensions(kernel_, arguments_, given);
    for (const Argument &argument : arguments_)
      checkShape(argument);
    return std::move(result_);
  }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, fileName_ + ": " + what);
  }

  void take(const AbiArgument &argument) {
    const Tensor *tensor = file_.find(argument.name);
    if (!tensor)
      refuse("no tensor '" + argument.name + "', an input of kernel '" + kernel_.name + "'; the file holds " +
             held());
    std::string expected = safetensorsTypeOf(argument);
    bool isScale = argument.type == "ue8m0" && tensor->dtype == "F8_E8M0";
    if (tensor->dtype != expected && !isScale)
      refuse("tensor '" + argument.name + "' is " + tensor->dtype + ", but kernel '" + kernel_.name +
             "' takes " + argument.type + " (" + expected + (argument.type == "ue8m0" ? " or F8_E8M0" : "") +
             "); convert the tensor, or change the argument's type");
    arguments_.push_back({argument.name, TensorView{0, argument.type, tensor->shape, {}}});
    result_.tensors[argument.name] = tensor->data;
  }

  std::string held() const {
    std::string text;
    for (const auto &[name, tensor] : file_.tensors())
      text += (text.empty() ? "" : ", ") + name + " (" + tensor.dtype + " " + shapeText(tensor.shape) + ")";
    return text.empty() ? "none" : text;
  }

  void warnOfOthers() const {
    for (const std::string &name : file_.names())
      if (!result_.tensors.count(name))
        warn(fileName_ + ": tensor '" + name + "' is not used: it is no input of kernel '" + kernel_.name +
             "'");
  }

  void requireDeterminedDimensions(const Dimensions &given) const {
    std::string missing, options;
    for (const std::string &dimension : kernel_.dimensions) {
      bool isDetermined = given.count(dimension) != 0;
      for (const AbiArgument &argument : kernel_.arguments)
        if (!argument.isOutput && argument.layout != ArgumentLayout::ScaleTcgen05)
          isDetermined |= argument.rows == dimension || argument.columns == dimension;
      if (isDetermined) continue;
      missing += (missing.empty() ? "" : " and ") + dimension;
      options += " --dim " + dimension + "=SIZE";
    }
    if (!missing.empty())
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "': the inputs do not say how large " +
                                               missing + (missing.size() > 2 ? " are" : " is") +
                                               " (tcgen05 scales are whole padded tiles); add" + options);
  }

  void checkShape(const Argument &given) const {
    const AbiArgument &argument = argumentOf(kernel_, given.name);
    std::vector<int64_t> expected = argumentShape(kernel_, argument, result_.dimensions);
    if (given.view.shape == expected) return;
    std::string sizes;
    for (const auto &[name, size] : result_.dimensions)
      sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(size);
    bool isTiled = argument.layout == ArgumentLayout::ScaleTcgen05;
    refuse("tensor '" + given.name + "': expected shape " + shapeText(expected) + " (" +
           (isTiled ? "whole 512-byte tiles of " : "") + argument.rows + " x " + argument.columns +
           (sizes.empty() ? "" : " with " + sizes) + "), found " + shapeText(given.view.shape));
  }

  const KernelAbi &kernel_;
  const TensorFile &file_;
  const std::string &fileName_;
  Arguments arguments_;
  RunInputs result_;
};

} // namespace

RunInputs RunInputs::bind(const KernelAbi &kernel, const TensorFile &file, const std::string &fileName,
                          const Dimensions &given) {
  return Binder(kernel, file, fileName).bind(given);
}

Dimensions parseDimensions(const std::vector<std::string> &texts) {
  Dimensions result;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    int64_t size = 0;
    const char *end = text.data() + text.size(), *begin = text.data() + std::min(equals, text.size() - 1) + 1;
    auto [stop, error] = std::from_chars(begin, end, size);
    if (equals == std::string::npos || equals == 0 || error != std::errc() || stop != end || size < 0)
      throw Error(ErrorKind::Usage, "--dim: expected NAME=SIZE with a size from 0, found '" + text + "'");
    if (!result.emplace(text.substr(0, equals), size).second)
      throw Error(ErrorKind::Usage, "--dim: " + text.substr(0, equals) + " is given twice");
  }
  return result;
}

std::string safetensorsTypeOf(const AbiArgument &argument) {
  if (argument.type == "ue8m0") return "U8";
  const ElementType *type = elementTypeNamed(argument.type);
  return type ? std::string(type->safetensors) : argument.type;
}

} // namespace mxc
