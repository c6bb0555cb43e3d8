// Where commands write to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// Writes `content` to `path` as a FileWriter does, or to standard output ("-"). Throws mxc::Error
/// (InvalidInput) saying what failed.
void writeOutput(const std::string &path, std::string_view content);

/// Throws mxc::Error (InvalidInput) if anything printed to stdout was lost: a full disk, a closed descriptor.
void finishStandardOutput();

/// Throws what writeOutput would where `path` cannot be made; for commands that take long until they know
/// what to write. A pipe or device is left alone.
void checkWritable(const std::string &path);

/// Throws mxc::Error (Usage) if `output` is the file `input`.
void checkNotInput(const std::string &output, const std::string &input);

/// Throws mxc::Error (Usage) if two outputs are one regular file, there or not, or both standard output; ""
/// is none.
void checkNotOutput(const std::string &output, const std::string &other);

/// All of this of outputs, but for those named "", which are not asked for: each can be made, is no input and
/// is no other output. For commands that take minutes before they write.
void checkOutputs(const std::vector<std::string> &outputs, const std::vector<std::string> &inputs);

} // namespace mxc
