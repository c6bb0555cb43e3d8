// Messages of the language server protocol in a stream of bytes.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {

enum class MessageStyle {
  Headers,  // "Content-Length: N", an empty line, N bytes
  Delimited // lines of "// -----" between messages; other lines that begin with // are comments
};
/// What a server is told to read by its arguments (-lit-test, --input-style=delimited).
MessageStyle messageStyleOf(int argc, char **argv);

/// The next message, JSON; nothing at the end, or where a message is longer than 2^28 bytes.
std::optional<std::string> readMessage(std::FILE *in, MessageStyle style);

/// Writes all of it at once, so that threads do not mix their messages.
void writeMessage(std::FILE *out, MessageStyle style, std::string_view message);

} // namespace mxc
