#include "tools/mxc-lsp-server/MessageStream.h"

#include "llvm/ADT/StringRef.h"

#include <cstdlib>

namespace mxc {

static constexpr llvm::StringRef kDelimiter = "// -----", kLength = "content-length:";
static constexpr size_t kMostBytes = size_t(1) << 28;

MessageStyle messageStyleOf(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const llvm::StringRef word = llvm::StringRef(argv[i]).ltrim('-');
    const bool isDelimited =
        word == "lit-test" || word == "lit-test=true" || word == "input-style=delimited" ||
        (word == "input-style" && i + 1 < argc && llvm::StringRef(argv[i + 1]) == "delimited");
    if (isDelimited) return MessageStyle::Delimited;
  }
  return MessageStyle::Headers;
}

namespace {

class Line {
public:
  ~Line() { std::free(text_); }
  /// False at the end.
  bool read(std::FILE *in) { return (length_ = getline(&text_, &capacity_, in)) >= 0; }
  llvm::StringRef text() const { return {text_, size_t(length_)}; }

private:
  char *text_ = nullptr;
  size_t capacity_ = 0;
  ssize_t length_ = 0;
};

} // namespace

static std::optional<std::string> readDelimited(std::FILE *in) {
  Line line;
  std::string message;
  bool isAny = false;
  while (line.read(in)) {
    isAny = true;
    const llvm::StringRef trimmed = line.text().trim();
    if (trimmed.starts_with("//")) {
      if (trimmed == kDelimiter && !llvm::StringRef(message).trim().empty()) return message;
      continue;
    }
    message += line.text();
    if (message.size() > kMostBytes) return std::nullopt;
  }
  if (!isAny || llvm::StringRef(message).trim().empty()) return std::nullopt;
  return message;
}

static std::optional<std::string> readWithHeaders(std::FILE *in) {
  Line line;
  size_t bytes = 0;
  while (line.read(in)) {
    const llvm::StringRef header = line.text().trim();
    if (header.starts_with_insensitive(kLength)) {
      if (header.drop_front(kLength.size()).trim().getAsInteger(10, bytes) || bytes > kMostBytes)
        return std::nullopt;
    } else if (header.empty() && bytes > 0) {
      std::string message(bytes, '\0');
      if (std::fread(message.data(), 1, bytes, in) != bytes) return std::nullopt;
      return message;
    }
  }
  return std::nullopt;
}

std::optional<std::string> readMessage(std::FILE *in, MessageStyle style) {
  return style == MessageStyle::Delimited ? readDelimited(in) : readWithHeaders(in);
}

void writeMessage(std::FILE *out, MessageStyle style, std::string_view message) {
  std::string text;
  if (style == MessageStyle::Delimited)
    (text = message) += "\n" + kDelimiter.str() + "\n";
  else
    (text = "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n") += message;
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

} // namespace mxc
