#include "tools/mxc-lsp-server/OperationDocuments.h"

namespace mxc {

static constexpr std::string_view kAllOperations =
#include "tools/OperationDocuments.inc"
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

} // namespace mxc
