// The folder where mxc keeps a user's files.
#pragma once

#include <optional>
#include <string>

namespace mxc {

/// Returns $XDG_CACHE_HOME/mxc or $HOME/.cache/mxc, which need not exist; nothing if neither is an absolute
/// path.
std::optional<std::string> userFolder();

/// Makes a folder and those above it, open to its owner alone, as the XDG base directory specification asks.
/// Failures show when something is written into it.
void makeFolder(const std::string &path);

} // namespace mxc
