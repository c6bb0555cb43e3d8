#include "runtime/ArgumentShapes.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/ScaleLayout.h"

#include <algorithm>
#include <set>

namespace mxc {

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }

static std::string place(const KernelAbi &kernel, const std::string &argument) {
  return "kernel '" + kernel.name + "': argument '" + argument + "': ";
}

static const AbiArgument &argumentNamed(const KernelAbi &kernel, const std::string &name) {
  std::string names;
  for (const AbiArgument &argument : kernel.arguments) {
    if (argument.name == name) return argument;
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  throw invalid("kernel '" + kernel.name + "' has no argument '" + name + "'; it takes " + names);
}

namespace {
/// The dimensions found so far, each with who said so.
class Solver {
public:
  Solver(const KernelAbi &kernel) : kernel_(kernel) {}

  /// `source` is null for the dimensions given.
  void bind(const std::string &dimension, int64_t size, const Argument *source) {
    auto [known, isNew] = found_.try_emplace(dimension, size);
    if (isNew)
      sources_.emplace_back(dimension, source);
    else if (known->second != size)
      throw invalid("kernel '" + kernel_.name + "': dimension " + dimension + " is " +
                    std::to_string(known->second) + " by " + text(firstSource(dimension)) + ", but " +
                    std::to_string(size) + " by " + text(source));
  }
  bool isDimension(const std::string &text) const {
    return std::find(kernel_.dimensions.begin(), kernel_.dimensions.end(), text) != kernel_.dimensions.end();
  }
  Dimensions finish() {
    for (const std::string &dimension : kernel_.dimensions)
      if (!found_.count(dimension))
        throw invalid("kernel '" + kernel_.name + "': no argument says how large dimension " + dimension +
                      " is");
    return std::move(found_);
  }

private:
  const Argument *firstSource(const std::string &dimension) const {
    return std::find_if(sources_.begin(), sources_.end(), [&](auto &s) { return s.first == dimension; })
        ->second;
  }
  static std::string text(const Argument *source) {
    return source ? "argument '" + source->name + "' of shape " + shapeText(source->view.shape)
                  : "the dimensions given";
  }

  const KernelAbi &kernel_;
  Dimensions found_;
  std::vector<std::pair<std::string, const Argument *>> sources_;
};
} // namespace

Dimensions solveDimensions(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given) {
  Solver solver(kernel);
  for (const auto &[dimension, size] : given) {
    if (!solver.isDimension(dimension))
      throw invalid("kernel '" + kernel.name + "' has no dimension '" + dimension + "'");
    if (size < 0)
      throw invalid("kernel '" + kernel.name + "': dimension " + dimension +
                    " is negative: " + std::to_string(size));
    solver.bind(dimension, size, nullptr);
  }
  std::set<std::string> seen;
  for (const Argument &argument : arguments) {
    const AbiArgument &abi = argumentNamed(kernel, argument.name);
    if (!seen.insert(argument.name).second)
      throw invalid(place(kernel, argument.name) + "given more than once");
    if (!abi.isTensor()) continue;
    if (argument.value) throw invalid(place(kernel, argument.name) + "expected a tensor, found a number");
    const std::vector<int64_t> &shape = argument.view.shape;
    const bool isTiled = abi.layout == ArgumentLayout::ScaleTcgen05;
    const size_t rank = isTiled ? 1 : abi.rank();
    if (shape.size() != rank)
      throw invalid(place(kernel, argument.name) + "expected " + std::to_string(rank) + " dimension" +
                    (rank == 1 ? "" : "s") + (isTiled ? " (whole 512-byte tiles of scales)" : "") +
                    ", found shape " + shapeText(shape));
    for (int64_t size : shape)
      if (size < 0)
        throw invalid(place(kernel, argument.name) + "negative size in shape " + shapeText(shape));
    if (!saysDimensions(abi)) continue;
    for (size_t i = 0; i < rank; ++i)
      if (std::optional<std::string> name = abi.shape[i].name()) solver.bind(*name, shape[i], &argument);
  }
  return solver.finish();
}

bool saysDimensions(const AbiArgument &argument) {
  return argument.isTensor() && argument.layout != ArgumentLayout::ScaleTcgen05;
}

std::vector<int64_t> argumentShape(const KernelAbi &kernel, const AbiArgument &argument,
                                   const Dimensions &dimensions) {
  std::vector<int64_t> shape;
  for (const ShapeExpression &size : argument.shape) {
    std::string error;
    const std::optional<int64_t> value = size.evaluate(dimensions, error);
    if (value && *value >= 0) {
      shape.push_back(*value);
      continue;
    }
    const std::string what =
        place(kernel, argument.name) + "size " + std::to_string(&size - argument.shape.data());
    throw invalid(value ? what + " is negative: " + size.text() + " = " + std::to_string(*value)
                        : what + ": " + error);
  }
  if (argument.layout != ArgumentLayout::ScaleTcgen05) return shape;
  int64_t bytes = 0;
  bool overflows = false;
  try {
    bytes = scaleBytes(ScaleLayout::Tcgen05, shape[shape.size() - 2], shape.back());
  } catch (const std::overflow_error &) {
    overflows = true;
  }
  for (size_t i = 0; i + 2 < shape.size(); ++i) // batches lie one after the other
    overflows |= __builtin_mul_overflow(bytes, shape[i], &bytes);
  if (overflows)
    throw invalid(place(kernel, argument.name) + "scales of " + shapeText(shape) + " exceed 2^63-1 bytes");
  return {bytes};
}

int64_t evaluateFor(const std::string &what, const ShapeExpression &expression, const Dimensions &values,
                    int64_t ifEmpty) {
  if (expression.empty()) return ifEmpty;
  std::string error;
  if (const std::optional<int64_t> value = expression.evaluate(values, error)) return *value;
  throw invalid(what + ": " + error);
}

} // namespace mxc
