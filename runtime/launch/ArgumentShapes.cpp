#include "runtime/launch/ArgumentShapes.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/ElementTypes.h"

#include <algorithm>

namespace mxc {

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }

static std::string where(const KernelAbi &kernel, const std::string &argument) {
  return "kernel '" + kernel.name + "': argument '" + argument + "': ";
}

static const AbiArgument &argumentNamed(const KernelAbi &kernel, const std::string &name) {
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.name == name) return argument;
  std::string names;
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.kind != ArgumentKind::Workspace) // the runtime's own
      names += (names.empty() ? "" : ", ") + argument.name;
  throw invalid("kernel '" + kernel.name + "' has no argument '" + name + "'; it takes " + names);
}

namespace {
/// The dimensions that are known so far.
class Solver {
public:
  Solver(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given)
      : kernel_(kernel), arguments_(arguments), given_(given) {
    constexpr size_t kPlansOwn =
        std::size(kDeviceFacts) + 5; // what a plan adds: those, and a tensor's strides
    found_.reserve(kernel.dimensions.size() + kPlansOwn);
    for (const auto &[dimension, size] : given) {
      if (std::ranges::find(kernel.dimensions, dimension) == kernel.dimensions.end())
        throw invalid("kernel '" + kernel.name + "' has no dimension '" + dimension + "'");
      if (size < 0)
        throw invalid("kernel '" + kernel.name + "': dimension " + dimension +
                      " is negative: " + std::to_string(size));
      found_.emplace(dimension, size);
    }
  }

  void bind(std::string_view dimension, int64_t size, const Argument &source) {
    const auto [known, isNew] = found_.emplace(dimension, size);
    if (!isNew && known->second != size)
      throw invalid("kernel '" + kernel_.name + "': dimension " + known->first + " is " +
                    std::to_string(known->second) + " by " + firstSource(dimension) + ", but " +
                    std::to_string(size) + " by " + text(source));
  }
  Dimensions finish() {
    for (const std::string &dimension : kernel_.dimensions)
      if (!found_.count(dimension))
        throw invalid("kernel '" + kernel_.name + "': no argument says how large dimension " + dimension +
                      " is");
    return std::move(found_);
  }

private:
  /// The argument that first gave its size; it is looked for again, since only an error needs it.
  std::string firstSource(std::string_view dimension) const {
    if (given_.count(dimension)) return "the dimensions given";
    const auto isSource = [&](const Argument &argument) {
      const AbiArgument &abi = argumentNamed(kernel_, argument.name);
      return saysDimensions(abi) && std::ranges::any_of(abi.shape, [&](const ShapeExpression &size) {
               return size.name() == dimension;
             });
    };
    return text(*std::ranges::find_if(arguments_, isSource));
  }
  static std::string text(const Argument &source) {
    return "argument '" + source.name + "' of shape " + shapeText(source.view.shape);
  }

  const KernelAbi &kernel_;
  const Arguments &arguments_;
  const Dimensions &given_;
  Dimensions found_;
};
} // namespace

Dimensions solveDimensions(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given) {
  Solver solver(kernel, arguments, given);
  for (const Argument &argument : arguments) {
    const AbiArgument &abi = argumentNamed(kernel, argument.name);
    if (std::any_of(arguments.data(), &argument, [&](const Argument &a) { return a.name == argument.name; }))
      throw invalid(where(kernel, argument.name) + "given more than once");
    if (!abi.isTensor()) continue;
    if (argument.value) throw invalid(where(kernel, argument.name) + "expected a tensor, found a number");
    const std::vector<int64_t> &shape = argument.view.shape;
    const bool isTiled = abi.layout == ArgumentLayout::ScaleTcgen05;
    const size_t rank = isTiled ? 1 : abi.rank();
    if (shape.size() != rank)
      throw invalid(where(kernel, argument.name) + "expected " + std::to_string(rank) + " dimension" +
                    (rank == 1 ? "" : "s") + (isTiled ? " (whole 512-byte tiles of scales)" : "") +
                    ", found shape " + shapeText(shape));
    for (int64_t size : shape)
      if (size < 0)
        throw invalid(where(kernel, argument.name) + "negative size in shape " + shapeText(shape));
    if (!saysDimensions(abi)) continue;
    for (size_t i = 0; i < rank; ++i)
      if (const std::optional<std::string_view> name = abi.shape[i].name())
        solver.bind(*name, givenSize(kernel, abi, argument.view, i), argument);
  }
  return solver.finish();
}

int64_t givenSize(const KernelAbi &kernel, const AbiArgument &argument, const TensorView &view,
                  size_t dimension) {
  const int64_t size = view.shape[dimension];
  if (dimension + 1 != view.shape.size()) return size;
  if (const std::optional<int64_t> elements = elementsIn(argument.type, view.type, size)) return *elements;
  throw invalid(where(kernel, argument.name) + std::to_string(size) + " bytes of " + view.type +
                " hold no whole number of " + argument.type);
}

bool saysDimensions(const AbiArgument &argument) {
  return argument.isTensor() && argument.layout != ArgumentLayout::ScaleTcgen05;
}

std::vector<int64_t> argumentShape(const KernelAbi &kernel, const AbiArgument &argument,
                                   const Dimensions &dimensions) {
  std::vector<int64_t> shape(argument.rank());
  shape.resize(argumentShape(kernel, argument, dimensions, shape));
  return shape;
}

size_t argumentShape(const KernelAbi &kernel, const AbiArgument &argument, const Dimensions &dimensions,
                     std::span<int64_t> place) {
  const std::span<int64_t> shape = place.first(argument.rank());
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string error;
    const std::optional<int64_t> value = argument.shape[i].evaluate(dimensions, error);
    if (value && *value >= 0) {
      shape[i] = *value;
      continue;
    }
    const std::string what = where(kernel, argument.name) + "size " + std::to_string(i);
    throw invalid(value ? what + " is negative: " + argument.shape[i].text() + " = " + std::to_string(*value)
                        : what + ": " + error);
  }
  if (argument.layout != ArgumentLayout::ScaleTcgen05) return shape.size();
  int64_t bytes = 0;
  bool overflows = false;
  try {
    bytes = scaleCount(ScaleLayout::Tcgen05, shape[shape.size() - 2], shape.back());
  } catch (const std::overflow_error &) {
    overflows = true;
  }
  for (size_t i = 0; i + 2 < shape.size(); ++i) // batches lie one after the other
    overflows |= __builtin_mul_overflow(bytes, shape[i], &bytes);
  if (overflows)
    throw invalid(where(kernel, argument.name) + "scales of " + shapeText(shape) + " exceed 2^63-1 bytes");
  shape.front() = bytes;
  return 1;
}

} // namespace mxc
