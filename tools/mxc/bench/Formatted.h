// Text by printf's formats, as tables of numbers want it.
#pragma once

#include <string>

namespace mxc::bench {

/// Of any length.
std::string formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace mxc::bench
