// A kernel's dimensions and its arguments' shapes: each follows from the other.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "dialect/formats/Error.h"
#include "runtime/device/TensorView.h"

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mxc {

/// One argument of a call, under the name that the kernel's author gave it: a tensor, or a scalar's value.
struct Argument {
  std::string name;
  TensorView view;
  std::optional<std::variant<int64_t, double>> value =
      std::nullopt; // a scalar's; an f32 is rounded to nearest

  Argument(std::string name, TensorView view) : name(std::move(name)), view(std::move(view)) {}
  template <std::integral T>
  Argument(std::string name, T value) : name(std::move(name)), value(static_cast<int64_t>(value)) {}
  template <std::floating_point T>
  Argument(std::string name, T value) : name(std::move(name)), value(static_cast<double>(value)) {}
};
using Arguments = std::vector<Argument>;

/// Solves the kernel's dynamic dimensions: every size of an argument's shape that is a bare dimension name
/// says how large that dimension is, and all such sizes and `given` must agree. Arguments may be missing (a
/// missing one binds nothing). Throws mxc::Error (InvalidInput) naming the kernel, the argument, expected and
/// found: an unknown or repeated argument, a wrong rank, a negative size, a contradiction, a dimension that
/// nothing binds.
Dimensions solveDimensions(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given = {});

/// The elements along `dimension` of a tensor that is given for `argument`: its size there, or where bytes
/// hold packed elements, how many they hold. Throws mxc::Error (InvalidInput) if that is no whole number.
int64_t givenSize(const KernelAbi &kernel, const AbiArgument &argument, const TensorView &view,
                  size_t dimension);

/// Returns whether a tensor's own shape says how large its dimensions are; padded scale tiles' does not.
bool saysDimensions(const AbiArgument &argument);

/// Returns the shape of a tensor in elements: what its expressions say, or for ScaleTcgen05 the one dimension
/// of whole padded 512-byte tiles. Throws mxc::Error (InvalidInput) if an expression cannot be evaluated or
/// gives a negative size.
std::vector<int64_t> argumentShape(const KernelAbi &kernel, const AbiArgument &argument,
                                   const Dimensions &dimensions);
/// Writes the same into `place`, which has room for the argument's rank, and returns the number of sizes.
size_t argumentShape(const KernelAbi &kernel, const AbiArgument &argument, const Dimensions &dimensions,
                     std::span<int64_t> place);

/// Returns the value of `expression`, or `ifEmpty` if it is empty. An error (InvalidInput) begins with
/// `what`(), such as "kernel 'gemm': argument 'a': size 0", which is called only then.
template <std::invocable What>
int64_t evaluateFor(const What &what, const ShapeExpression &expression, const Dimensions &values,
                    int64_t ifEmpty) {
  if (expression.empty()) return ifEmpty;
  std::string error;
  if (const std::optional<int64_t> value = expression.evaluate(values, error)) return *value;
  throw Error(ErrorKind::InvalidInput, what() + ": " + error);
}

} // namespace mxc
