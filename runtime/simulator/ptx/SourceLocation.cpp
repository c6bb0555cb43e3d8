#include "runtime/simulator/ptx/SourceLocation.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace mxc::sim::ptx {

/// The words of a line without commas: ".loc", "1", "23", "5", "function_name", "L", "inlined_at", ..
static std::vector<std::string_view> wordsOf(std::string_view line) {
  constexpr std::string_view kBetween = " \t\r,";
  std::vector<std::string_view> words;
  while ((line = line.substr(std::min(line.find_first_not_of(kBetween), line.size()))).size()) {
    const size_t end = std::min(line.find_first_of(kBetween), line.size());
    words.push_back(line.substr(0, end));
    line = line.substr(end);
  }
  return words;
}

static uint32_t number(std::string_view word) {
  uint32_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

/// Calls `visit` with each line that begins with this directive, until it returns true.
template <typename Visit>
static void forEachDirective(std::string_view text, std::string_view directive, const Visit &visit) {
  for (size_t at = text.find(directive); at != text.npos; at = text.find(directive, at + 1)) {
    const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    if (text.substr(begin, at - begin).find_first_not_of(" \t") != text.npos)
      continue; // in a comment, a name
    const std::string_view line = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
    if (const std::vector<std::string_view> words = wordsOf(line);
        words.front() == directive && visit(words, line))
      return;
  }
}

/// The name between the quotes of `.file N "NAME"`; "" if nobody says it.
static std::string fileName(std::string_view text, uint32_t file) {
  std::string name;
  forEachDirective(text, ".file", [&](const auto &words, std::string_view line) {
    if (words.size() < 3 || number(words[1]) != file) return false;
    const size_t open = line.find('"');
    if (open == line.npos) return false;
    name = line.substr(open + 1, std::min(line.find('"', open + 1), line.size()) - open - 1);
    return true;
  });
  return name;
}

static std::string place(std::string_view text, const std::vector<std::string_view> &words, size_t first) {
  if (words.size() < first + 3 || number(words[first + 1]) == 0) return ""; // line 0: of no source
  const std::string name = fileName(text, number(words[first]));
  return (name.empty() ? "file " + std::string(words[first]) : name) + ":" +
         std::to_string(number(words[first + 1])) + ":" + std::to_string(number(words[first + 2]));
}

static bool beginsFunction(const std::vector<std::string_view> &words) {
  return std::ranges::any_of(words,
                             [](std::string_view word) { return word == ".entry" || word == ".func"; });
}

std::string sourceLocation(std::string_view text, uint32_t line) {
  size_t end = 0;
  for (uint32_t i = 0; i < line; ++i) {
    if (end >= text.size()) return "";
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  for (size_t begin; end > 0; end = begin) { // from the line's own end backwards
    begin = end < 2 ? 0 : text.rfind('\n', end - 2) + 1;
    const std::vector<std::string_view> words =
        wordsOf(text.substr(begin, end - begin - (text[end - 1] == '\n')));
    if (words.empty()) continue;
    if (words.front() == ".loc") {
      std::string result = place(text, words, 1);
      const auto inlined = std::ranges::find(words, std::string_view("inlined_at"));
      if (!result.empty() && inlined != words.end())
        if (std::string at = place(text, words, size_t(inlined - words.begin()) + 1); !at.empty())
          result += ", inlined at " + at;
      return result;
    }
    if (beginsFunction(words)) return "";
  }
  return "";
}

} // namespace mxc::sim::ptx
