#include "tools/mxc/MatrixShape.h"

#include "dialect/formats/Error.h"

#include <charconv>

namespace mxc {

MatrixShape parseMatrixShape(const std::string &text) {
  MatrixShape shape;
  const char *end = text.data() + text.size();
  auto rows = std::from_chars(text.data(), end, shape.rows);
  bool isValid = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x';
  if (isValid) {
    auto columns = std::from_chars(rows.ptr + 1, end, shape.columns);
    isValid = columns.ec == std::errc() && columns.ptr == end && shape.rows >= 0 && shape.columns >= 0;
  }
  if (!isValid)
    throw Error(ErrorKind::Usage, "--shape: expected two sizes as in 1000x7168, found '" + text + "'");
  return shape;
}

} // namespace mxc
