// A kernel's dimensions and its arguments' shapes: each follows from the other.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "compiler/abi/ShapeExpression.h"
#include "runtime/TensorView.h"

#include <string>
#include <vector>

namespace mxc {

/// What a kernel is called with, by the names that its author gave the arguments.
struct Argument {
  std::string name;
  TensorView view;
};
using Arguments = std::vector<Argument>;

/// Solves the kernel's dynamic dimensions: an argument whose rows or columns are a bare dimension name says
/// how large that dimension is, and all such arguments and `given` must agree. Not every argument need be
/// there (a missing one binds nothing). Throws mxc::Error (InvalidInput) naming the kernel, the argument,
/// expected and found: an unknown or repeated argument, a wrong rank, a negative size, a contradiction, a
/// dimension that nothing binds.
Dimensions solveDimensions(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &given = {});

/// The shape of an argument in elements: [rows, columns] for RowMajor, [rows, blocks] for ScaleDense, and for
/// ScaleTcgen05 the one dimension of whole padded 512-byte tiles. Throws mxc::Error (InvalidInput) if an
/// expression cannot be evaluated or gives a negative size.
std::vector<int64_t> argumentShape(const KernelAbi &kernel, const AbiArgument &argument,
                                   const Dimensions &dimensions);

/// evaluateShape with `what` before the message: "kernel 'gemm': argument 'a': rows". Empty text gives
/// `ifEmpty`.
int64_t evaluateFor(const std::string &what, const ShapeText &text, const Dimensions &dimensions,
                    int64_t ifEmpty);

} // namespace mxc
