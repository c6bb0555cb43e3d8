// PTX text to tokens, with places.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <string>
#include <string_view>

namespace mxc::sim::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Word,   // ld, %r1, $L__BB0_1, _
    Dotted, // .global, .2d, .shared::cta: `text` lacks the first dot
    Number, // 12, 0x1FU, 0f3F800000, 1.5e-3: whether it is well-formed, Literal.h says
    String, // "..": `text` lacks the quotes, escapes stay
    Sign,   // { } [ ] ( ) , ; : @ ! | + - .. and << >> <= >= == != && ||
  } kind = Kind::End;
  std::string_view text;
  Place place;

  bool is(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
  bool isWord(std::string_view word) const { return kind == Kind::Word && text == word; }
  bool isDotted(std::string_view word) const { return kind == Kind::Dotted && text == word; }
};

/// "'foo'", shortened and made printable for a message; "the end of the text".
std::string described(const Token &token);

class Lexer {
public:
  /// Views of `text` live in tokens; it ends at a NUL. `name` stands in messages.
  Lexer(std::string_view text, std::string_view name);

  const Token &peek();       // the next one
  const Token &peekSecond(); // the one after it
  Token next();

  /// The next token is '{': passes over all to its '}', whatever it is (debug sections hold assembler's
  /// syntax).
  void skipBraces();

  /// Throws "NAME:line:column: error: message".
  [[noreturn]] void fail(Place place, const std::string &message) const;

private:
  Token scan();
  void skipBlanks();
  void advanceLine(size_t newline) { ++line_, lineBegin_ = newline + 1; }
  Token token(Token::Kind kind, size_t begin, size_t end);
  size_t endOfNumber(size_t at) const;
  size_t endOfDotted(size_t at) const;
  size_t endOfString(size_t at) const;
  char at(size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  Place place(size_t at) const { return {line_, uint32_t(at - lineBegin_ + 1)}; }

  std::string_view text_;
  std::string name_;
  size_t position_ = 0, lineBegin_ = 0;
  uint32_t line_ = 1;
  Token ahead_[2];
  int count_ = 0; // of `ahead_`
};

} // namespace mxc::sim::ptx
