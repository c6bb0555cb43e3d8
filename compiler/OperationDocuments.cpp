#include "compiler/OperationDocuments.h"

#include <algorithm>
#include <cctype>

namespace mxc {

static constexpr std::string_view kAllOperations =
#include "compiler/OperationDocuments.inc"
    ;

// From the generated page: "### `mx.name` (class)", the summary, the generated syntax, the description, then
// what is C++'s.
static std::string_view sectionOf(std::string_view operation) {
  const std::string heading = "\n### `" + std::string(operation) + "` ";
  const size_t begin = kAllOperations.find(heading);
  if (begin == std::string_view::npos) return {};
  std::string_view section = kAllOperations.substr(kAllOperations.find('\n', begin + 1) + 1);
  for (const char *end : {"\n### ", "\n#### ", "\nTraits: ", "\nInterfaces: ", "\nEffects: "})
    section = section.substr(0, section.find(end));
  return section;
}

std::string documentOf(std::string_view operation) {
  std::string text(sectionOf(operation));
  if (const size_t syntax = text.find("\nSyntax:\n"); syntax != std::string::npos) {
    constexpr std::string_view kFence = "```\n";
    const size_t opened = text.find(kFence, syntax), closed = text.find(kFence, opened + 1);
    if (closed != std::string::npos) text.erase(syntax, closed + kFence.size() - syntax);
  }
  const size_t first = text.find_first_not_of('\n');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of('\n') + 1 - first) + "\n";
}

static bool isNumber(std::string_view word) { // "Q3", "GM1"
  const size_t digits = word.find_first_of("0123456789");
  return digits > 0 && digits <= 2 && digits != word.npos &&
         std::ranges::all_of(word.substr(0, digits), [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         std::ranges::all_of(word.substr(digits), [](char c) { return c >= '0' && c <= '9'; });
}

/// "Constraints: Q1 at least one input; Q2 ..": what stands between a number and the next one that begins an
/// item.
static std::string itemOf(std::string_view section, std::string_view number) {
  const size_t begin = section.find("Constraints: ");
  if (begin == section.npos) return "";
  std::string words, item;
  for (char c : section.substr(begin, section.find("\n\n", begin) - begin))
    if (!std::isspace(static_cast<unsigned char>(c)))
      words += c;
    else if (words.empty() || words.back() != ' ')
      words += ' ';
  bool isWanted = false, beginsItem = false;
  for (size_t at = 0, end; at < words.size(); at = end + 1) {
    end = std::min(words.find(' ', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, end - at);
    if (beginsItem && isNumber(word))
      isWanted = word == number;
    else if (isWanted)
      item += (item.empty() ? "" : " ") + std::string(word);
    beginsItem = word.ends_with(';') || word.ends_with(':');
  }
  while (!item.empty() && (item.back() == ';' || item.back() == '.'))
    item.pop_back();
  return item;
}

std::string constraintOf(std::string_view operation, std::string_view number) {
  constexpr std::string_view kHeading = "\n### `", kReference = "as ";
  std::string item = itemOf(sectionOf(operation), number);
  for (size_t at = kAllOperations.find(kHeading), next; item.empty() && at != kAllOperations.npos;
       at = next) {
    next = kAllOperations.find(kHeading, at + 1);
    item = itemOf(kAllOperations.substr(at, next - at), number);
  }
  if (!item.starts_with(kReference)) return item;
  const std::string other =
      item.substr(kReference.size(), item.find_first_of(",", kReference.size()) - kReference.size());
  return isNumber(other) && other != number ? item + ": " + constraintOf("", other) : item;
}

} // namespace mxc
