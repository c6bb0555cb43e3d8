// What a process of mxc ends with: 0 done, 1 the input is at fault, 2 the usage is, 3 the device or driver
// is.
#pragma once

#include <functional>

namespace mxc {

/// Something went wrong in a process that has said so: thrown where the one that waited for it ends as it
/// did.
struct AlreadyTold {
  int status;
};

/// What `command` returns, or, where it throws, the status that says so, once standard error says what.
/// Standard output is written out.
int exitStatusOf(const std::function<int()> &command);

} // namespace mxc
