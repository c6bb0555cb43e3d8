// Which line of a CUDA or MLIR source a line of PTX comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxc::sim::ptx {

/// Returns "file.cu:23:5" of the last .loc before the line (counted from 1) in its function, and where that
/// was inlined: "device.h:7:3, inlined at file.cu:23:5". "" without one. Any text is safe to pass.
std::string sourceLocation(std::string_view text, uint32_t line);

} // namespace mxc::sim::ptx
