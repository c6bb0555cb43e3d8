#include "runtime/simulator/ptx/Lexer.h"

#include "dialect/formats/Error.h"

#include <algorithm>

namespace mxc::sim::ptx {

namespace {

// Not <cctype>: that one asks the locale.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || c == '$';
}

constexpr std::string_view kDoubleSigns[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kSigns = "{}[]()<>,;:@!|&^~+-*/%=?";

} // namespace

std::string described(const Token &token) {
  if (token.kind == Token::Kind::End) return "the end of the text";
  constexpr size_t kLongest = 40;
  std::string text = token.kind == Token::Kind::Dotted ? "." : "";
  text += token.text.substr(0, kLongest);
  for (char &c : text)
    if (c < ' ' || c > '~') c = '?';
  if (token.text.size() > kLongest) text += "..";
  return token.kind == Token::Kind::String ? "\"" + text + "\"" : "'" + text + "'";
}

Lexer::Lexer(std::string_view text, std::string_view name)
    : text_(text.substr(0, text.find('\0'))), name_(name) {}

void Lexer::fail(Place place, const std::string &message) const {
  throw Error(ErrorKind::InvalidInput, name_ + ":" + std::to_string(place.line) + ":" +
                                           std::to_string(place.column) + ": error: " + message);
}

const Token &Lexer::peek() {
  if (count_ == 0) ahead_[count_++] = scan();
  return ahead_[0];
}

const Token &Lexer::peekSecond() {
  peek();
  if (count_ == 1) ahead_[count_++] = scan();
  return ahead_[1];
}

Token Lexer::next() {
  Token token = peek();
  ahead_[0] = ahead_[1];
  --count_;
  return token;
}

void Lexer::skipBlanks() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == '\n') {
      advanceLine(position_++);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && at(position_ + 1) == '*') {
      Place begin = place(position_);
      size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos)
        fail(begin, "expected '*/' to end this comment, got the end of the text");
      for (; position_ < end + 2; ++position_)
        if (text_[position_] == '\n') advanceLine(position_);
    } else {
      return;
    }
  }
}

Token Lexer::token(Token::Kind kind, size_t begin, size_t end) {
  position_ = end;
  return {kind, text_.substr(begin, end - begin), place(begin)};
}

Token Lexer::scan() {
  skipBlanks();
  const size_t begin = position_;
  if (begin == text_.size()) return token(Token::Kind::End, begin, begin);
  const char c = text_[begin], second = at(begin + 1);
  if (isDigit(c)) return token(Token::Kind::Number, begin, endOfNumber(begin));
  if (isWordChar(c) || (c == '%' && isWordChar(second))) {
    size_t end = begin + 1;
    while (isWordChar(at(end)))
      ++end;
    return token(Token::Kind::Word, begin, end);
  }
  if (c == '.' && isWordChar(second)) {
    Token result = token(Token::Kind::Dotted, begin, endOfDotted(begin + 1));
    result.text.remove_prefix(1);
    return result;
  }
  if (c == '"') {
    Token result = token(Token::Kind::String, begin, endOfString(begin + 1) + 1);
    result.text = result.text.substr(1, result.text.size() - 2);
    return result;
  }
  for (std::string_view sign : kDoubleSigns)
    if (c == sign[0] && second == sign[1]) return token(Token::Kind::Sign, begin, begin + 2);
  if (kSigns.find(c) != std::string_view::npos) return token(Token::Kind::Sign, begin, begin + 1);
  constexpr char kHex[] = "0123456789abcdef";
  const bool isPrintable = c > ' ' && c <= '~';
  fail(place(begin), isPrintable ? std::string("'") + c + "' begins nothing in PTX"
                                 : std::string("byte 0x") + kHex[uint8_t(c) >> 4] + kHex[c & 15] +
                                       " begins nothing in PTX");
}

size_t Lexer::endOfNumber(size_t at) const {
  size_t end = at;
  while (isWordChar(this->at(end)))
    ++end;
  // 0x.., 0f.., 0d..: no fraction and no exponent.
  const char prefix = this->at(at) == '0' && end > at + 1 ? text_[at + 1] : '0';
  if (!isDigit(prefix) && prefix != 'e' && prefix != 'E') return end;
  if (this->at(end) == '.' && !(isWordChar(this->at(end + 1)) && !isDigit(this->at(end + 1))))
    for (++end; isWordChar(this->at(end));)
      ++end;
  const char last = text_[end - 1], sign = this->at(end);
  if ((last == 'e' || last == 'E') && (sign == '+' || sign == '-') && isDigit(this->at(end + 1)))
    for (++end; isWordChar(this->at(end));)
      ++end;
  return end;
}

size_t Lexer::endOfDotted(size_t at) const {
  for (;; ++at)
    if (this->at(at) == ':' && this->at(at + 1) == ':' && isWordChar(this->at(at + 2))) {
      ++at; // a::b is one word
    } else if (!isWordChar(this->at(at))) {
      return at;
    }
}

size_t Lexer::endOfString(size_t at) const {
  const size_t begin = at - 1;
  for (; this->at(at) != '"'; ++at) {
    if (this->at(at) == '\\' && at + 1 < text_.size()) ++at;
    if (at >= text_.size() || text_[at] == '\n')
      fail(place(begin), "expected '\"' to end this string in its line");
  }
  return at;
}

void Lexer::skipBraces() {
  Token open = next();
  if (count_ != 0) fail(open.place, "nothing after the brace may be read before it is skipped");
  for (uint32_t depth = 1; depth != 0;) {
    skipBlanks();
    if (position_ == text_.size())
      fail(open.place, "expected '}' to end this section, got the end of the text");
    char c = text_[position_];
    if (c == '"') position_ = endOfString(position_ + 1);
    depth += c == '{';
    depth -= c == '}';
    ++position_;
  }
}

} // namespace mxc::sim::ptx
