// Text by printf's formats, as tables of numbers want it.
#pragma once

#include <string>

namespace mxc::bench {

/// Text of any length.
std::string formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A cell of CSV that may hold anything.
std::string quotedCell(const std::string &text);

} // namespace mxc::bench
