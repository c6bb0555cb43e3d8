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

  void bind(const std::string &dimension, int64_t size, const std::string &source) {
    auto [known, isNew] = found_.try_emplace(dimension, size);
    if (isNew)
      sources_[dimension] = source;
    else if (known->second != size)
      throw invalid("kernel '" + kernel_.name + "': dimension " + dimension + " is " +
                    std::to_string(known->second) + " by " + sources_[dimension] + ", but " +
                    std::to_string(size) + " by " + source);
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
  const KernelAbi &kernel_;
  Dimensions found_;
  std::map<std::string, std::string> sources_;
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
    solver.bind(dimension, size, "the dimensions given");
  }
  std::set<std::string> seen;
  for (const Argument &argument : arguments) {
    const AbiArgument &abi = argumentNamed(kernel, argument.name);
    if (!seen.insert(argument.name).second)
      throw invalid(place(kernel, argument.name) + "given more than once");
    const std::vector<int64_t> &shape = argument.view.shape;
    size_t rank = abi.layout == ArgumentLayout::ScaleTcgen05 ? 1 : 2;
    if (shape.size() != rank)
      throw invalid(place(kernel, argument.name) + "expected " + std::to_string(rank) + " dimension" +
                    (rank == 1 ? " (whole 512-byte tiles of scales)" : "s") + ", found shape " +
                    shapeText(shape));
    for (int64_t size : shape)
      if (size < 0)
        throw invalid(place(kernel, argument.name) + "negative size in shape " + shapeText(shape));
    if (rank != 2) continue; // padded tiles say nothing exact about rows and blocks
    std::string source = "argument '" + argument.name + "' of shape " + shapeText(shape);
    if (solver.isDimension(abi.rows)) solver.bind(abi.rows, shape[0], source);
    if (solver.isDimension(abi.columns)) solver.bind(abi.columns, shape[1], source);
  }
  return solver.finish();
}

std::vector<int64_t> argumentShape(const KernelAbi &kernel, const AbiArgument &argument,
                                   const Dimensions &dimensions) {
  std::string where = place(kernel, argument.name);
  auto evaluate = [&](const ShapeText &text, const char *what) {
    int64_t size = evaluateFor(where + what, text, dimensions, 1);
    if (size < 0) throw invalid(where + what + " are negative: " + text + " = " + std::to_string(size));
    return size;
  };
  int64_t rows = evaluate(argument.rows, "rows"), columns = evaluate(argument.columns, "columns");
  if (argument.layout != ArgumentLayout::ScaleTcgen05) return {rows, columns};
  try {
    return {scaleBytes(ScaleLayout::Tcgen05, rows, columns)};
  } catch (const std::overflow_error &) {
    throw invalid(where + "scales of " + shapeText(std::vector{rows, columns}) + " exceed 2^63-1 bytes");
  }
}

int64_t evaluateFor(const std::string &what, const ShapeText &text, const Dimensions &dimensions,
                    int64_t ifEmpty) {
  if (text.empty()) return ifEmpty;
  try {
    return evaluateShape(text, dimensions);
  } catch (const Error &error) {
    throw Error(error.kind(), what + ": " + error.what());
  }
}

} // namespace mxc
