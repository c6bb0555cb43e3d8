// Shapes on the command line, written one way in all commands: "M=8192,K=7168", or "8192x7168" with the sizes
// in the order in which the kernel (or the command's help) names the dimensions.
#pragma once

#include "runtime/launch/ArgumentShapes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mxc {

/// Throws mxc::Error (Usage) unless `text` has one of the two forms, whatever the names: before the kernel is
/// known.
void checkShapeForm(const std::string &text);

/// Returns the sizes of the dimensions `names`, in that order the ones of "8192x7168". Spaces are allowed, so
/// that what mxc prints of shapes can be given back. Throws mxc::Error (Usage): another form, a size below 0,
/// a name that is not among them, given twice or left out. `whose` begins the message: "kernel 'quantize'".
Dimensions parseShape(const std::string &text, const std::vector<std::string> &names,
                      const std::string &whose);

/// Returns the shapes of a kernel that `texts` name, each with all dimensions; the one shape of a kernel
/// without dynamic dimensions. Throws mxc::Error (Usage) as parseShape does, or where there are none.
std::vector<Dimensions> shapesOf(const KernelAbi &kernel, const std::vector<std::string> &texts);

/// Returns the sizes that are given of `names`, which may be some of them.
Dimensions parsePartOfShape(const std::vector<std::string> &texts, const std::vector<std::string> &names,
                            const std::string &whose);

/// Two sizes of a matrix.
struct MatrixShape {
  int64_t rows = 0, columns = 0;
};
/// Throws as parseShape does; the dimensions have these two names.
MatrixShape parseMatrixShape(const std::string &text, const std::string &rows, const std::string &columns);

} // namespace mxc
