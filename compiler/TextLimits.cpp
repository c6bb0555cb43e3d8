#include "compiler/TextLimits.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

namespace mxc {

namespace {

constexpr size_t kDeepest = 256, kMostOperators = 512, kLongestWord = 4096;
constexpr uint64_t kMostOfAlias = uint64_t(1) << 20, kMostOfAliases = uint64_t(1) << 24; // words

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)); }
bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' || c == '?';
}

class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<TextExcess> scan() {
    while (!excess_ && at_ < text_.size())
      step();
    return excess_;
  }

private:
  struct Alias {
    uint64_t words = 0; // all that follows it, through other aliases too
    size_t depth = 0;   // of brackets
  };

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool follows(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void fail(const std::string &what) {
    const std::string_view before = text_.substr(0, at_);
    const size_t lineBegin = before.rfind('\n') + 1; // npos + 1 is 0
    excess_ = TextExcess{what, size_t(std::ranges::count(before, '\n')) + 1, at_ - lineBegin + 1};
  }

  void step() {
    const char c = peek();
    if (isSpace(c)) {
      isNewLine_ |= c == '\n';
      ++at_;
      return;
    }
    if (follows("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    endAlias(c);
    ++words_;
    if (c == '"') return skipString();
    if ((c == '#' || c == '!') && isOfWord(peek(1))) return name();
    if (isOfWord(c)) return word();
    for (std::string_view sign : {"->", "<=", ">=", "==", "::"})
      if (follows(sign)) return advance(sign.size(), c);
    if (c == '(' || c == '[' || c == '{' || c == '<') open();
    if (c == ')' || c == ']' || c == '}' || c == '>') close();
    if (c == '+' || c == '-' || c == '*') countOperator();
    if (c == ',' || c == '=' || c == ':') operators_.back() = 0;
    advance(1, c);
  }

  void advance(size_t bytes, char last) {
    at_ += bytes;
    last_ = last;
    isNewLine_ = false;
  }

  void open() {
    operators_.push_back(0);
    checkDepth(depth());
  }
  void close() {
    if (operators_.size() > 1) operators_.pop_back();
  }
  size_t depth() const { return operators_.size() - 1; }

  void checkDepth(size_t depth) {
    aliasDepth_ = std::max(aliasDepth_, depth);
    if (depth > kDeepest) fail("nested deeper than " + std::to_string(kDeepest));
  }

  void countOperator() {
    if (++operators_.back() > kMostOperators)
      fail("more than " + std::to_string(kMostOperators) + " operators in one expression");
  }

  void skipString() {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    advance(std::min(end + 1, text_.size()) - at_, '"');
  }

  std::string_view takeWord(size_t prefix) {
    size_t end = at_ + prefix;
    while (end < text_.size() && isOfWord(text_[end]))
      ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.size() > kLongestWord) fail("a word of more than " + std::to_string(kLongestWord) + " letters");
    return word;
  }

  void word() {
    const std::string_view word = takeWord(0);
    if (word == "mod" || word == "floordiv" || word == "ceildiv") countOperator();
    advance(word.size(), 'a');
  }

  /// `#name` or `!name`: a definition, where '=' follows outside of brackets, or what it stands for once
  /// more.
  void name() {
    const std::string_view name = takeWord(1);
    size_t next = at_ + name.size();
    while (next < text_.size() && isSpace(text_[next]))
      ++next;
    const bool isDefinition = depth() == 0 && text_.substr(next, 1) == "=" && text_.substr(next, 2) != "==";
    if (isDefinition) {
      finishAlias();
      defined_ = name;
      words_ = 0, aliasDepth_ = 0;
    } else if (auto known = aliases_.find(name); known != aliases_.end()) {
      words_ += known->second.words;
      expanded_ += known->second.words;
      if (words_ > kMostOfAlias && !defined_.empty())
        fail("an alias that stands for more than " + std::to_string(kMostOfAlias) + " words");
      if (expanded_ > kMostOfAliases)
        fail("aliases that stand for more than " + std::to_string(kMostOfAliases) + " words");
      checkDepth(depth() + known->second.depth);
    }
    advance(name.size(), 'a');
  }

  /// A value ends where a line outside of brackets begins with another operation.
  void endAlias(char c) {
    if (defined_.empty() || depth() || !isNewLine_) return;
    const bool isOpen = last_ == '=' || last_ == ':' || last_ == '-'; // ->
    if (!isOpen && (isOfWord(c) || c == '%' || c == '"')) finishAlias();
  }
  void finishAlias() {
    if (!defined_.empty()) aliases_[defined_] = {words_, aliasDepth_};
    defined_ = {};
  }

  std::string_view text_;
  size_t at_ = 0;
  bool isNewLine_ = false;           // since the last word
  char last_ = '\0';                 // first letter of the last word
  std::vector<size_t> operators_{0}; // in a row, of each bracket that is open
  std::unordered_map<std::string_view, Alias> aliases_;
  std::string_view defined_; // the alias whose value is being read; empty: none
  uint64_t words_ = 0, expanded_ = 0;
  size_t aliasDepth_ = 0;
  std::optional<TextExcess> excess_;
};

} // namespace

std::string TextExcess::text(std::string_view sourceName) const {
  return std::string(sourceName) + ":" + std::to_string(line) + ":" + std::to_string(column) +
         ": error: " + what;
}

std::optional<TextExcess> excessOf(std::string_view mlir) { return Scanner(mlir).scan(); }

} // namespace mxc
