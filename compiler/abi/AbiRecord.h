// The ABI's JSON and record, for files that are built without exceptions.
#pragma once

#include <optional>
#include <string>

namespace mxc {

/// The record (header and JSON) of an ABI that mx-lower-kernels wrote as JSON. Nullopt, with `error` set: the
/// text is no such ABI (a file that mxc-opt read can say anything).
std::optional<std::string> recordOfAbiJson(const std::string &json, std::string &error);

} // namespace mxc
