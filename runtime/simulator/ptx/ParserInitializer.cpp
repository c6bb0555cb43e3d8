// Initializers of variables: numbers, addresses, nested braces.
#include "runtime/simulator/ptx/Parser.h"

#include <algorithm>
#include <bit>

namespace mxc::sim::ptx {

/// Where the next element goes.
struct InitializerCursor {
  Variable &variable;
  Type type;
  std::vector<uint64_t> itemElements; // of an item in braces of this level: {4, 1} for x[3][4]
  uint64_t at = 0, count = 0;         // the element; those that the braces so far make
  // 0xFF(s), 0xFF00(s), ..: the bytes of one address, told one by one
  uint32_t maskedBytes = 0;

  void put(uint64_t low, uint64_t high);
  Initializer &newPiece() {
    return variable.initializers.emplace_back(Initializer{uint32_t(at * type.bytes()), {}, "", 0, false});
  }
};

namespace {

constexpr uint64_t kMostInitialized = uint64_t(1) << 31; // bytes: offsets have 32 bits
constexpr uint32_t kAddressBytes = 8;

uint64_t floatBits(const Operand &number, uint32_t bits) {
  double value = double(number.bits);
  if (number.kind == Operand::Kind::Float64) value = std::bit_cast<double>(number.bits);
  if (number.kind == Operand::Kind::Float32) value = double(std::bit_cast<float>(uint32_t(number.bits)));
  if (bits == 64) return std::bit_cast<uint64_t>(value);
  // Not through double: that would quiet a signaling NaN.
  if (number.kind == Operand::Kind::Float32) return uint32_t(number.bits);
  return std::bit_cast<uint32_t>(float(value));
}

bool fits(int64_t value, uint32_t bits) {
  return bits >= 64 || (value >= -(int64_t(1) << (bits - 1)) && value < (int64_t(1) << bits));
}

} // namespace

void InitializerCursor::put(uint64_t low, uint64_t high) {
  std::vector<Initializer> &pieces = variable.initializers;
  const uint64_t offset = at * type.bytes();
  const bool continues = !pieces.empty() && pieces.back().symbol.empty() &&
                         pieces.back().offset + pieces.back().bytes.size() == offset;
  std::vector<uint8_t> &bytes = continues ? pieces.back().bytes : newPiece().bytes;
  for (uint32_t i = 0; i < type.bytes(); ++i)
    bytes.push_back(uint8_t((i < 8 ? low : high) >> (8 * (i % 8))));
}

void Parser::initializer(Variable &variable, const DeclaredType &declared) {
  next();
  if (declared.components > 1) dimensions_.push_back(declared.components); // a vector is one more dimension
  InitializerCursor cursor{variable, declared.type, {}};
  const bool isUnsized = !dimensions_.empty() && dimensions_[0] == 0;
  uint64_t item = 1;
  for (size_t i = dimensions_.size(); i-- > 0; item *= dimensions_[i])
    cursor.itemElements.push_back(item);
  std::ranges::reverse(cursor.itemElements);
  const uint64_t elementBytes = declared.type.bytes();
  const uint64_t end = (isUnsized ? kMostInitialized : variable.bytes) / elementBytes;

  if (peek().kind == Token::Kind::String)
    initializerString(cursor, end);
  else if (peek().is("{"))
    initializerList(cursor, 0, 0, end);
  else if (cursor.itemElements.empty())
    initializerElement(cursor);
  else
    failExpected("'{' before the elements of an array");
  if (cursor.maskedBytes != 0) failExpected("all eight bytes of an address, one after the other");
  if (!isUnsized) return;
  const uint64_t items =
      (cursor.count + cursor.itemElements[0] - 1) / std::max<uint64_t>(cursor.itemElements[0], 1);
  variable.bytes = items * cursor.itemElements[0] * elementBytes;
}

/// The braces of one dimension: elements in those of the last, inner lists in the others.
void Parser::initializerList(InitializerCursor &cursor, size_t level, uint64_t begin, uint64_t end) {
  Nesting nesting(*this);
  if (level == cursor.itemElements.size()) fail(peek().place, "more braces than dimensions");
  const uint64_t item = cursor.itemElements[level];
  const bool isLast = level + 1 == cursor.itemElements.size();
  expect("{", "before the items of an array");
  if (accept("}")) return;
  for (uint64_t at = begin;; at += item) {
    if (item == 0 || at > end || item > end - at) fail(peek().place, "more initializers than elements");
    cursor.at = at;
    isLast ? initializerElement(cursor) : initializerList(cursor, level + 1, at, at + item);
    cursor.count = std::max(cursor.count, at + item);
    if (!accept(",")) break;
  }
  if (!accept("}")) failExpected("',' or '}' in an initializer");
}

void Parser::initializerElement(InitializerCursor &cursor) {
  if (cursor.at * cursor.type.bytes() >= kMostInitialized) fail(peek().place, "initialized beyond 2 GiB");
  if (peek().kind == Token::Kind::Word && !beginsConstant())
    initializerSymbol(cursor);
  else
    initializerNumber(cursor);
}

/// Like C's, in an unsized array with a zero at its end.
void Parser::initializerString(InitializerCursor &cursor, uint64_t end) {
  const Token token = next();
  if (cursor.type.bits != 8 || cursor.itemElements.size() != 1)
    fail(token.place, "a string initializes only an array of bytes");
  for (size_t i = 0; i < token.text.size(); ++i) {
    char c = token.text[i];
    if (c == '\\') {
      constexpr std::string_view kLetters = "nrt0\\\"'", kMeanings("\n\r\t\0\\\"'", 7);
      const size_t meaning = kLetters.find(token.text[++i]);
      if (meaning == kLetters.npos) fail(token.place, "unknown escape in a string");
      c = kMeanings[meaning];
    }
    if (cursor.at >= end) fail(token.place, "the string is longer than its array");
    cursor.put(uint8_t(c), 0);
    cursor.count = ++cursor.at;
  }
  if (cursor.variable.bytes == 0 && end > cursor.at) {
    cursor.put(0, 0);
    cursor.count = ++cursor.at;
  }
}

void Parser::initializerNumber(InitializerCursor &cursor) {
  const Token token = peek();
  if (!beginsConstant()) failExpected("an initializer");
  const Operand number = numberOperand();
  if (number.kind == Operand::Kind::Integer && peek().is("("))
    return initializerMask(cursor, {number.bits, true}, token.place);
  if (cursor.maskedBytes != 0)
    fail(token.place, "expected all eight bytes of an address, one after the other");
  const Type type = cursor.type;
  const bool isFloat = type.kind == Type::Kind::Float && type.bits >= 32 && !type.isPacked;
  if (isFloat) {
    cursor.put(floatBits(number, type.bits), 0);
  } else if (number.kind == Operand::Kind::Integer) {
    if (!fits(number.bits, type.bits))
      fail(token.place, "an initializer does not fit in " + std::to_string(type.bits) + " bits");
    cursor.put(uint64_t(number.bits), number.bits < 0 ? ~uint64_t(0) : 0);
  } else {
    const uint32_t bits = number.kind == Operand::Kind::Float32 ? 32 : 64;
    if (type.kind != Type::Kind::Bits || type.bits != bits)
      fail(token.place, "a floating-point number does not initialize this type");
    cursor.put(uint64_t(number.bits), 0);
  }
}

/// `symbol`, `symbol+8`, `generic(symbol)+8`
Initializer Parser::addressOfSymbol() {
  Initializer address;
  Token name = expectWord("a variable or a function");
  address.isGeneric = name.text == "generic" && peek().is("(");
  if (address.isGeneric) {
    next();
    name = expectWord("a variable");
    address.addend = offsets();
    expect(")", "after a variable");
  }
  address.symbol = name.text;
  address.addend = int64_t(uint64_t(address.addend) + uint64_t(offsets()));
  initializerSymbols_.push_back({address.symbol, name.place});
  return address;
}

void Parser::initializerSymbol(InitializerCursor &cursor) {
  const Place place = peek().place;
  if (cursor.type.bits != 8 * kAddressBytes) fail(place, "an address initializes only 64 bits");
  Initializer address = addressOfSymbol();
  address.offset = cursor.newPiece().offset;
  cursor.variable.initializers.back() = std::move(address);
}

/// `0xFF(s), 0xFF00(s), .., 0xFF00000000000000(s)`: an address among bytes (PTX ISA, "Initializers").
void Parser::initializerMask(InitializerCursor &cursor, Integer mask, Place place) {
  next();
  Initializer address = addressOfSymbol();
  expect(")", "after a masked address");
  std::vector<Initializer> &pieces = cursor.variable.initializers;
  const bool isFirst = cursor.maskedBytes == 0;
  const bool isSame =
      !isFirst && pieces.back().symbol == address.symbol && pieces.back().addend == address.addend &&
      pieces.back().isGeneric == address.isGeneric && pieces.back().offset + cursor.maskedBytes == cursor.at;
  if (cursor.type.bits != 8 || (!isFirst && !isSame) ||
      uint64_t(mask.bits) != uint64_t(0xFF) << (8 * cursor.maskedBytes))
    fail(place, "expected all eight bytes of an address, one after the other");
  if (isFirst) {
    address.offset = cursor.newPiece().offset;
    pieces.back() = std::move(address);
  }
  cursor.maskedBytes = (cursor.maskedBytes + 1) % kAddressBytes;
}

} // namespace mxc::sim::ptx
