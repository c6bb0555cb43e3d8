#include "runtime/simulator/ptx/Literal.h"

#include <bit>
#include <charconv>

namespace mxc::sim::ptx {

namespace {

/// The letter after a leading zero in lower case: 'x', 'b', 'f', 'd'; or 0.
char prefixOf(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 0;
  char letter = char(text[1] | 0x20);
  return letter == 'x' || letter == 'b' || letter == 'f' || letter == 'd' ? letter : 0;
}

std::optional<uint64_t> digits(std::string_view text, int base) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

} // namespace

std::optional<Integer> integerOf(std::string_view text) {
  bool isUnsigned = !text.empty() && text.back() == 'U';
  if (isUnsigned) text.remove_suffix(1);
  const char prefix = prefixOf(text);
  const bool isOctal = !prefix && text.size() > 1 && text[0] == '0';
  const int base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : isOctal ? 8 : 10;
  std::optional<uint64_t> value = digits(text.substr(prefix ? 2 : 0), base);
  if (!value) return std::nullopt;
  return Integer{int64_t(*value), isUnsigned || int64_t(*value) < 0};
}

double Float::value() const {
  return isSingle ? double(std::bit_cast<float>(uint32_t(bits))) : std::bit_cast<double>(bits);
}

bool looksLikeFloat(std::string_view text) {
  const char prefix = prefixOf(text);
  return prefix == 'f' || prefix == 'd' || (!prefix && text.find_first_of(".eE") != std::string_view::npos);
}

std::optional<Float> floatOf(std::string_view text) {
  const char prefix = prefixOf(text);
  if (prefix == 'f' || prefix == 'd') {
    if (text.size() != (prefix == 'f' ? 10 : 18)) return std::nullopt;
    std::optional<uint64_t> bits = digits(text.substr(2), 16);
    return bits ? std::optional(Float{prefix == 'f', *bits}) : std::nullopt;
  }
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Float{false, std::bit_cast<uint64_t>(value)};
}

} // namespace mxc::sim::ptx
