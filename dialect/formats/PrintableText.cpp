#include "dialect/formats/PrintableText.h"

#include <cstdio>

namespace mxc {

/// Bytes of the UTF-8 character at the front; 0: there is none (RFC 3629; overlong forms and surrogates are
/// none).
static size_t characterBytes(std::string_view text) {
  auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follow = [&](size_t count) {
    for (size_t i = 1; i <= count; ++i)
      if ((at(i) & 0xC0) != 0x80) return false;
    return true;
  };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follow(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    bool isBad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F);
    return !isBad && follow(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    bool isBad = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return !isBad && follow(3) ? 4 : 0;
  }
  return 0;
}

static bool isControl(std::string_view character) {
  auto byte = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
  return byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0; // U+0080 to U+009F
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t bytes = characterBytes(text);
    const std::string_view character = text.substr(0, bytes ? bytes : 1);
    if (bytes && !isControl(character)) {
      result += character;
    } else {
      char escaped[8]; // of U+0080 to U+009F the code, which is the second byte
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(character.back()));
      result += escaped;
    }
    text.remove_prefix(character.size());
  }
  return result;
}

} // namespace mxc
