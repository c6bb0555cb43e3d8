#include "runtime/simulator/instructions/PrintFormat.h"

#include <algorithm>
#include <cstdio>

namespace mxc::sim {

namespace {

constexpr int kMostArguments = 32, kMostDigits = 65536;

/// `%[flags][width][.precision][size]type`
struct Conversion {
  std::string flags;
  int width = -1, precision = -1; // -1: not given, -2: an argument
  std::string_view size;          // "", "h", "hh", "l", "ll", "z", "j", "t", "L"
  char type = 0;                  // 0: this is no conversion
  std::string_view whole;
};

int takeNumber(std::string_view &rest) {
  if (rest.starts_with('*')) return rest.remove_prefix(1), -2;
  int number = 0;
  for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1))
    number = std::min(number * 10 + (rest[0] - '0'), kMostDigits);
  return number;
}

Conversion takeConversion(std::string_view &format) { // which begins with %
  std::string_view rest = format.substr(1);
  Conversion found;
  for (; !rest.empty() && std::string_view("# 0+-").find(rest[0]) != rest.npos; rest.remove_prefix(1))
    if (found.flags.find(rest[0]) == std::string::npos) found.flags += rest[0];
  if (!rest.empty() && (rest[0] == '*' || (rest[0] >= '1' && rest[0] <= '9'))) found.width = takeNumber(rest);
  if (rest.starts_with('.')) rest.remove_prefix(1), found.precision = takeNumber(rest);
  for (std::string_view size : {"hh", "h", "ll", "l", "z", "j", "t", "L"})
    if (found.size.empty() && rest.starts_with(size)) found.size = size, rest.remove_prefix(size.size());
  if (!rest.empty() && std::string_view("%cdiouxXpeEfFgGaAs").find(rest[0]) != rest.npos)
    found.type = rest[0], rest.remove_prefix(1);
  found.whole = format.substr(0, found.type ? format.size() - rest.size() : 1);
  format.remove_prefix(found.whole.size());
  return found;
}

template <class Value> std::string spelled(const Conversion &conversion, const char *size, Value value) {
  std::string format = "%" + conversion.flags;
  if (conversion.width >= 0) format += std::to_string(conversion.width);
  if (conversion.precision >= 0) format += "." + std::to_string(conversion.precision);
  format.append(size).append(1, conversion.type);
  std::string text(size_t(std::max(0, std::snprintf(nullptr, 0, format.c_str(), value))), '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
  return text;
}

std::string integerText(const Conversion &conversion, const PrintSource &from) {
  const bool isWide = !conversion.size.empty() && conversion.size[0] != 'h';
  const uint64_t bits = from.next(isWide ? 8 : 4);
  const bool isSigned = conversion.type == 'd' || conversion.type == 'i';
  if (isWide) return spelled(conversion, "ll", static_cast<unsigned long long>(bits));
  if (conversion.size == "h")
    return spelled(conversion, "", isSigned ? int(int16_t(bits)) : int(uint16_t(bits)));
  if (conversion.size == "hh")
    return spelled(conversion, "", isSigned ? int(int8_t(bits)) : int(uint8_t(bits)));
  return spelled(conversion, "", int(uint32_t(bits)));
}

int argumentNumber(const PrintSource &from) { return int(uint32_t(from.next(4))); }

std::string text(Conversion conversion, const PrintSource &from) {
  if (conversion.width == -2) {
    int width = argumentNumber(from);
    if (width < 0) conversion.flags += '-', width = width == INT32_MIN ? kMostDigits : -width;
    conversion.width = std::min(width, kMostDigits);
  }
  if (conversion.precision == -2) // a negative one is none
    conversion.precision = std::clamp(argumentNumber(from), -1, kMostDigits);
  switch (conversion.type) {
  case 'c':
    return spelled(conversion, "", argumentNumber(from));
  case 's': {
    const uint64_t address = from.next(8);
    return spelled(conversion, "", address ? from.text(address).c_str() : "(null)");
  }
  case 'p':
    return spelled(conversion, "", reinterpret_cast<void *>(from.next(8)));
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    return integerText(conversion, from);
  default:
    return spelled(conversion, "", __builtin_bit_cast(double, from.next(8)));
  }
}

} // namespace

PrintedFormat printFormat(std::string_view format, const PrintSource &from) {
  PrintedFormat printed;
  while (!format.empty()) {
    const size_t plain = std::min(format.find('%'), format.size());
    printed.text.append(format.substr(0, plain));
    format.remove_prefix(plain);
    if (format.empty()) break;
    const Conversion conversion = takeConversion(format);
    const int taken = 1 + (conversion.width == -2) + (conversion.precision == -2);
    if (conversion.type == '%') {
      printed.text += '%';
    } else if (!conversion.type || printed.arguments + taken > kMostArguments) {
      printed.text.append(conversion.whole);
    } else {
      printed.text += text(conversion, from);
      printed.arguments += taken;
    }
  }
  return printed;
}

} // namespace mxc::sim
