// Text of strangers in messages: file names, lines of PTX, what a kernel says when an assertion fails.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

/// The text with control characters, which a terminal would obey, as \x1b, and bytes that are no UTF-8
/// likewise; lines and tabs are kept.
std::string printable(std::string_view text);

} // namespace mxc
