#include "tools/mxc-lsp-server/HoverDocuments.h"

#include "compiler/OperationDocuments.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace mxc {

// "mx.matmul" in quotes is how the text about an operation begins; that about a value begins otherwise.
static llvm::StringRef operationIn(llvm::StringRef hover) {
  if (!hover.consume_front("\"")) return "";
  return hover.take_until([](char c) { return c == '"'; });
}

std::string withDocuments(const std::string &answer) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(answer);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return answer;
  }
  llvm::json::Object *message = parsed->getAsObject();
  llvm::json::Object *result = message ? message->getObject("result") : nullptr;
  llvm::json::Object *contents = result ? result->getObject("contents") : nullptr;
  std::optional<llvm::StringRef> shown = contents ? contents->getString("value") : std::nullopt;
  if (!shown) return answer;
  const std::string document = documentOf(operationIn(*shown).str());
  if (document.empty()) return answer;
  // After the operation's name and symbol, before its generic form.
  auto [first, rest] = shown->split("\n\n");
  (*contents)["value"] = (first + "\n\n" + document + "\n" + rest).str();
  const bool isPretty = answer.find('\n') != std::string::npos;
  return isPretty ? llvm::formatv("{0:2}", *parsed).str() : llvm::formatv("{0}", *parsed).str();
}

} // namespace mxc
