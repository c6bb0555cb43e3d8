#include "tools/mxc/Messages.h"

#include <cstdio>

namespace mxc {

std::string printable(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    bool isControl = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    bool isUtf8Control = byte == 0xC2 && next >= 0x80 && next < 0xA0; // U+0080 to U+009F
    if (!isControl && !isUtf8Control) {
      result += text[i];
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", isUtf8Control ? next : byte);
    result += escaped;
    i += isUtf8Control;
  }
  return result;
}

void say(std::string_view message) { std::fprintf(stderr, "%s\n", printable(message).c_str()); }
void warn(std::string_view message) { say("mxc: warning: " + std::string(message)); }

} // namespace mxc
