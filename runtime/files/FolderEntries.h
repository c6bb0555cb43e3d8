// What lies in a folder.
#pragma once

#include <string>
#include <vector>

namespace mxc {

/// The names of a folder's entries, sorted. Throws mxc::Error (InvalidInput), "cannot read <folder>: ...".
std::vector<std::string> entriesOf(const std::string &folder);

} // namespace mxc
