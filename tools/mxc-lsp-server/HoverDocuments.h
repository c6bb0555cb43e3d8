// MLIR's language server shows an operation's generic form where the mouse rests; here its documentation is
// added.
#pragma once

#include <string>

namespace mxc {

/// An answer of the server, JSON: one to a hover over an operation of the dialect comes back with its
/// documentation, every other as it was.
std::string withDocuments(const std::string &answer);

} // namespace mxc
