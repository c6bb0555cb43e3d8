#include "tools/mxc/RunInputs.h"

#include "dialect/formats/Error.h"
#include "runtime/device/ElementTypes.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/NameList.h"

#include <algorithm>
#include <charconv>

namespace mxc {

namespace {

class Binder {
public:
  Binder(const KernelAbi &kernel, std::span<const InputFile> files) : kernel_(kernel), files_(files) {
    for (const InputFile &file : files)
      fileNames_ += (fileNames_.empty() ? "" : ", ") + file.name;
  }

  RunInputs bind(const Dimensions &given, const Arguments &scalars) {
    for (const AbiArgument &argument : kernel_.arguments)
      if (argument.isInput()) take(argument);
    takeScalars(scalars);
    for (const InputFile &file : files_)
      warnOfOthers(file);
    requireDeterminedDimensions(given);
    result_.dimensions = solveDimensions(kernel_, arguments_, given);
    for (const Argument &argument : arguments_)
      checkShape(argument);
    return std::move(result_);
  }

private:
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(ErrorKind::InvalidInput, fileNames_ + ": " + what);
  }

  const Tensor *find(const std::string &name) const {
    const Tensor *found = nullptr;
    for (const InputFile &file : files_)
      if (const Tensor *tensor = file.content.find(name)) {
        if (found) refuse("expected tensor '" + name + "' in one of the files, found it in two");
        found = tensor;
      }
    return found;
  }

  void take(const AbiArgument &argument) {
    const Tensor *tensor = find(argument.name);
    if (!tensor)
      refuse("no tensor '" + argument.name + "', an input of kernel '" + kernel_.name + "'; the " +
             (files_.size() == 1 ? "file holds " : "files hold ") + held());
    std::string expected = safetensorsTypeOf(argument);
    const ElementType *own = elementTypeNamed(argument.type);
    const bool isPacked = own && own->bits < 8;
    const std::string other = isPacked                              ? "U8"
                              : own && own->safetensors != expected ? std::string(own->safetensors)
                                                                    : "";
    if (tensor->dtype != expected && (other.empty() || tensor->dtype != other))
      refuse("tensor '" + argument.name + "' is " + tensor->dtype + ", but kernel '" + kernel_.name +
             "' takes " + argument.type + " (" + expected + (other.empty() ? "" : " or " + other) +
             "); convert the tensor, or change the argument's type");
    std::vector<int64_t> shape = tensor->shape;
    if (isPacked && tensor->dtype == "U8" && !shape.empty()) {
      const std::optional<int64_t> elements = elementsIn(argument.type, "u8", shape.back());
      if (!elements)
        refuse("tensor '" + argument.name + "': " + std::to_string(shape.back()) +
               " bytes a row hold no whole number of " + argument.type);
      shape.back() = *elements;
    }
    arguments_.push_back({argument.name, TensorView{0, argument.type, shape, {}}});
    result_.tensors[argument.name] = tensor->data;
  }

  void takeScalars(const Arguments &scalars) {
    for (const Argument &scalar : scalars)
      if (std::ranges::none_of(kernel_.arguments, [&](const AbiArgument &argument) {
            return argument.kind == ArgumentKind::Scalar && argument.name == scalar.name;
          }))
        throw Error(ErrorKind::Usage, "--scalar " + scalar.name + ": it is no scalar argument of kernel '" +
                                          kernel_.name + "'");
    for (const AbiArgument &argument : kernel_.arguments) {
      if (argument.kind != ArgumentKind::Scalar) continue;
      auto given = std::find_if(scalars.begin(), scalars.end(),
                                [&](const Argument &scalar) { return scalar.name == argument.name; });
      if (given == scalars.end())
        throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "' takes a number '" +
                                                 argument.name + "' of type " + argument.type +
                                                 "; add --scalar " + argument.name + "=NUMBER");
      result_.scalars.push_back(*given);
    }
  }

  std::string held() const {
    std::vector<std::string> names;
    for (const InputFile &file : files_)
      for (const auto &[name, tensor] : file.content.tensors())
        names.push_back(name + " (" + tensor.dtype + " " + shapeText(tensor.shape) + ")");
    return nameList(names);
  }

  void warnOfOthers(const InputFile &file) const {
    std::vector<std::string> others;
    for (const std::string &name : file.content.names())
      if (!result_.tensors.count(name)) others.push_back("'" + name + "'");
    if (others.size() == 1)
      warn(file.name + ": tensor " + others[0] + " is not used: it is no input of kernel '" + kernel_.name +
           "'");
    if (others.size() > 1)
      warn(file.name + ": tensors " + nameList(others) + " are not used: they are no inputs of kernel '" +
           kernel_.name + "'");
  }

  void requireDeterminedDimensions(const Dimensions &given) const {
    std::string missing, option;
    for (const std::string &dimension : kernel_.dimensions) {
      bool isDetermined = given.count(dimension) != 0;
      for (const AbiArgument &argument : kernel_.arguments)
        if (argument.isInput() && saysDimensions(argument))
          for (const ShapeExpression &size : argument.shape)
            isDetermined |= size.text() == dimension;
      if (isDetermined) continue;
      missing += (missing.empty() ? "" : " and ") + dimension;
      option += (option.empty() ? " --shape " : ",") + dimension + "=SIZE";
    }
    if (!missing.empty())
      throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.name + "': the inputs do not say how large " +
                                               missing + (missing.size() > 2 ? " are" : " is") +
                                               " (tcgen05 scales are whole padded tiles); add" + option);
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
           (isTiled ? "whole 512-byte tiles of " : "") + shapeText(argument.shape) +
           (sizes.empty() ? "" : " with " + sizes) + "), found " + shapeText(given.view.shape));
  }

  const KernelAbi &kernel_;
  std::span<const InputFile> files_;
  std::string fileNames_;
  Arguments arguments_;
  RunInputs result_;
};

} // namespace

std::vector<InputFile> readInputFiles(const std::vector<std::string> &names) {
  std::vector<InputFile> files;
  for (const std::string &name : names)
    files.push_back({name, TensorFile::read(name)});
  return files;
}

RunInputs RunInputs::bind(const KernelAbi &kernel, std::span<const InputFile> files, const Dimensions &given,
                          const Arguments &scalars) {
  return Binder(kernel, files).bind(given, scalars);
}

Arguments parseScalars(const std::vector<std::string> &texts) {
  Arguments result;
  for (const std::string &text : texts) {
    const size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    const char *begin = text.data() + std::min(equals + 1, text.size()), *end = text.data() + text.size();
    int64_t integer = 0;
    double real = 0;
    const auto [integerEnd, integerError] = std::from_chars(begin, end, integer);
    const auto [realEnd, realError] = std::from_chars(begin, end, real);
    if (name.empty() || begin == end || realError != std::errc() || realEnd != end)
      throw Error(ErrorKind::Usage, "--scalar: expected NAME=NUMBER, found '" + text + "'");
    if (std::any_of(result.begin(), result.end(), [&](const Argument &known) { return known.name == name; }))
      throw Error(ErrorKind::Usage, "--scalar: " + name + " is given twice");
    if (integerError == std::errc() && integerEnd == end)
      result.emplace_back(name, integer);
    else
      result.emplace_back(name, real);
  }
  return result;
}

Prologue::ScalarValues RunInputs::scalarValues() const {
  Prologue::ScalarValues values;
  for (const Argument &scalar : scalars)
    values[scalar.name] = *scalar.value;
  return values;
}

std::string safetensorsTypeOf(const AbiArgument &argument) {
  if (argument.type == "ue8m0" || argument.type == "ue4m3") return "U8";
  const ElementType *type = elementTypeNamed(argument.type);
  return type ? std::string(type->safetensors) : argument.type;
}

} // namespace mxc
