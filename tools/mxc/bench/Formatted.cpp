#include "tools/mxc/bench/Formatted.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace mxc::bench {

std::string formatted(const char *format, ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  std::string text(size_t(std::max(0, std::vsnprintf(nullptr, 0, format, values))), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(values);
  return text;
}

std::string quotedCell(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

} // namespace mxc::bench
