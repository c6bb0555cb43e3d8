// "1000x7168" on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

struct MatrixShape {
  int64_t rows = 0, columns = 0;
};

/// Throws mxc::Error (Usage) unless it is two sizes from 0 with an x between them.
MatrixShape parseMatrixShape(const std::string &text);

} // namespace mxc
