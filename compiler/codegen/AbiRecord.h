// The ABI's JSON and record, for files that are built without exceptions.
#pragma once

#include <string>

namespace mxc {

/// The record (header and JSON) of an ABI that mx-lower-kernels wrote as JSON. The text is this compiler's
/// own.
std::string recordOfAbiJson(const std::string &json);

} // namespace mxc
