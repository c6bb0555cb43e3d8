// Files that appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

/// Writes `content` to `path`: aside, then renamed into place, so that no partial file is ever seen; "-" and
/// what is no regular file (a pipe, a device) are written directly. Throws mxc::Error (InvalidInput) saying
/// what failed.
void writeOutput(const std::string &path, std::string_view content);

/// Throws mxc::Error (Usage) if `output` is the file `input`.
void checkNotInput(const std::string &output, const std::string &input);

} // namespace mxc
