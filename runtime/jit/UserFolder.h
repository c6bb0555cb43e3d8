// Where what mxc keeps for a user lies.
#pragma once

#include <optional>
#include <string>

namespace mxc {

/// $XDG_CACHE_HOME/mxc or $HOME/.cache/mxc; nothing where neither is an absolute path. It need not be there.
std::optional<std::string> userFolder();

/// With the folders above it. Only its owner's, as the XDG base directory specification asks; whoever writes
/// into it says what went wrong.
void makeFolder(const std::string &path);

} // namespace mxc
