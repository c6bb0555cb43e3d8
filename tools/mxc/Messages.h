// What mxc says on standard error.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

/// The text with control characters, which names in files may hold, as \x1b; lines and tabs are kept.
std::string printable(std::string_view text);

void say(std::string_view message);  // as it is, and the line's end
void warn(std::string_view message); // behind "mxc: warning: "

} // namespace mxc
