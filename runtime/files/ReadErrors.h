// What readers of files say of a file that they cannot read.
#pragma once

#include "dialect/formats/Error.h"

#include <string>

namespace mxc {

inline Error unreadable(const std::string &path, const std::string &why) {
  return Error(ErrorKind::InvalidInput, "cannot read " + path + ": " + why);
}

} // namespace mxc
