#include "tools/mxc-lsp-server/DocumentGuard.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LSP/Protocol.h"

#include <algorithm>
#include <utility>

namespace mxc {

namespace json = llvm::json;
namespace lsp = llvm::lsp;

static constexpr size_t kMostLevels = 256;

/// Of brackets outside of strings.
static size_t levelsOf(llvm::StringRef text) {
  size_t level = 0, most = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"')
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
    else if (c == '[' || c == '{')
      most = std::max(most, ++level);
    else if ((c == ']' || c == '}') && level > 0)
      --level;
  }
  return most;
}

static std::optional<json::Value> parsed(llvm::StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

static std::string printed(json::Value value, llvm::StringRef like) {
  return like.contains('\n') ? llvm::formatv("{0:2}", value).str() : llvm::formatv("{0}", value).str();
}

DocumentGuard::Admission DocumentGuard::admit(const std::string &message) {
  if (levelsOf(message) <= kMostLevels) return {substitute(message), ""};
  constexpr int kParseError = -32700; // JSON-RPC 2.0, "Error object"
  return {"", printed(json::Object{{"jsonrpc", "2.0"},
                                   {"id", nullptr},
                                   {"error", json::Object{{"code", kParseError},
                                                          {"message", "a message nested deeper than " +
                                                                          std::to_string(kMostLevels)}}}},
                      "")};
}

/// The editor's changes speak of the document that it has: the server, which may have another, gets the whole
/// of it where the two differ, or did.
std::string DocumentGuard::substitute(const std::string &message) {
  std::optional<json::Value> value = parsed(message);
  json::Object *object = value ? value->getAsObject() : nullptr;
  json::Object *params = object ? object->getObject("params") : nullptr;
  json::Object *document = params ? params->getObject("textDocument") : nullptr;
  const std::optional<llvm::StringRef> method = object ? object->getString("method") : std::nullopt;
  const std::optional<llvm::StringRef> uri = document ? document->getString("uri") : std::nullopt;
  if (!method || !uri) return message;
  const bool isOpened = *method == "textDocument/didOpen", isChanged = *method == "textDocument/didChange";

  const std::lock_guard lock(mutex_);
  const std::string name = uri->str();
  if (*method == "textDocument/didClose") documents_.erase(name);
  if (!isOpened && !isChanged) return message;
  Document &known = documents_[name];
  std::string &text = known.text;
  if (isOpened) {
    text = document->getString("text").value_or("").str();
  } else {
    lsp::DidChangeTextDocumentParams changes;
    json::Path::Root root;
    if (!fromJSON(*object->get("params"), changes, root) ||
        failed(lsp::TextDocumentContentChangeEvent::applyTo(changes.contentChanges, text)))
      return message; // the server refuses it likewise
  }
  const std::optional<TextExcess> excess = excessOf(text);
  const bool wasHidden = std::exchange(known.isHidden, excess.has_value());
  if (excess) known.excesses[document->getInteger("version").value_or(0)] = *excess;
  if (!excess && !wasHidden) return message;
  const std::string seen = excess ? "" : text;
  if (isOpened)
    (*document)["text"] = seen;
  else
    (*params)["contentChanges"] = json::Array{json::Object{{"text", seen}}};
  return printed(std::move(*value), "");
}

std::string DocumentGuard::explained(const std::string &message) const {
  if (message.find("publishDiagnostics") == std::string::npos) return message;
  std::optional<json::Value> value = parsed(message);
  json::Object *object = value ? value->getAsObject() : nullptr;
  json::Object *params = object ? object->getObject("params") : nullptr;
  const std::optional<llvm::StringRef> uri = params ? params->getString("uri") : std::nullopt;
  if (!uri) return message;
  const std::lock_guard lock(mutex_);
  const auto known = documents_.find(uri->str());
  if (known == documents_.end()) return message;
  const std::map<int64_t, TextExcess> &excesses = known->second.excesses;
  const auto found = excesses.find(params->getInteger("version").value_or(0));
  if (found == excesses.end()) return message;
  const int64_t line = int64_t(found->second.line) - 1, column = int64_t(found->second.column) - 1;
  const json::Object place{{"line", line}, {"character", column}};
  (*params)["diagnostics"] = json::Array{
      json::Object{{"message", found->second.what},
                   {"severity", 1},
                   {"source", "mxc"},
                   {"range", json::Object{{"start", json::Object(place)}, {"end", json::Object(place)}}}}};
  return printed(std::move(*value), message);
}

} // namespace mxc
