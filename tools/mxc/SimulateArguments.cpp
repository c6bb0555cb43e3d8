#include "tools/mxc/SimulateArguments.h"

#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"
#include "tools/mxc/OutputFile.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace mxc {

static Error usage(const std::string &word, const std::string &why) {
  return Error(ErrorKind::Usage, "--arg " + word + ": " + why);
}

/// The bits of a float: Inf only where it is asked for.
static uint64_t floatBits(const std::string &text, unsigned bits, char *&end) {
  double value = std::strtod(text.c_str(), &end);
  if (bits == 64) return std::bit_cast<uint64_t>(value);
  auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) errno = ERANGE;
  return std::bit_cast<uint32_t>(narrow);
}

/// The bits of an integer that the type holds: b types take either sign.
static uint64_t integerBits(const std::string &text, const sim::ptx::Type &type, char *&end) {
  using Kind = sim::ptx::Type::Kind;
  unsigned unused = 64 - type.bits;
  if (text.starts_with('-')) {
    int64_t value = std::strtoll(text.c_str(), &end, 0);
    if (type.kind == Kind::Unsigned || (unused && value < -(int64_t(1) << (type.bits - 1)))) errno = ERANGE;
    return static_cast<uint64_t>(value);
  }
  uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (value > UINT64_MAX >> (unused + (type.kind == Kind::Signed))) errno = ERANGE;
  return value;
}

/// "s32:-5": its bits, in as many bytes as the type has.
static std::vector<std::byte> valueOf(const std::string &word) {
  size_t colon = word.find(':');
  std::string typeName = word.substr(0, colon),
              text = colon == std::string::npos ? "" : word.substr(colon + 1);
  std::optional<sim::ptx::Type> type = sim::ptx::typeNamed(typeName);
  if (!type || type->bits < 8 || type->bits > 64 || type->isPacked)
    throw usage(word,
                "expected TYPE:VALUE with a type such as u32 or f32, in:FILE, inout:FILE or out:FILE:BYTES");
  char *end = nullptr;
  errno = 0;
  bool isFloat = type->kind == sim::ptx::Type::Kind::Float && type->bits >= 32;
  uint64_t bits = isFloat ? floatBits(text, type->bits, end) : integerBits(text, *type, end);
  if (text.empty() || *end || errno == ERANGE) throw usage(word, "'" + text + "' is no value of " + typeName);
  std::vector<std::byte> bytes(type->bytes());
  std::memcpy(bytes.data(), &bits, bytes.size());
  return bytes;
}

/// The address of the buffer that "in:FILE", "inout:FILE" or "out:FILE:BYTES" names.
uint64_t SimulateArguments::buffer(const std::string &word, sim::GlobalMemory &memory) {
  size_t colon = word.find(':');
  std::string kind = word.substr(0, colon), file = word.substr(colon + 1);
  uint64_t bytes = 0;
  FileBytes content;
  if (kind == "out") {
    size_t last = file.rfind(':');
    char *end = nullptr;
    errno = 0;
    if (last != std::string::npos && file.find('-', last) == std::string::npos)
      bytes = std::strtoull(file.c_str() + last + 1, &end, 0);
    if (!end || *end || bytes == 0 || errno == ERANGE) throw usage(word, "expected out:FILE:BYTES");
    file.resize(last);
  } else {
    content = readFile(file, size_t(1) << 36);
    bytes = content.size;
  }
  uint64_t address = memory.allocate(std::max<uint64_t>(bytes, 1), word);
  if (!address)
    throw Error(ErrorKind::Device, "no simulated memory for " + std::to_string(bytes) + " bytes of " + word);
  if (kind != "out") {
    memory.requireRoom(address, bytes, budget_);
    std::memcpy(memory.host(address), content.data.get(), bytes);
    memory.markWritten(address, bytes);
  }
  if (kind != "in") outputs_.push_back({file, address, bytes, kind == "inout"});
  if (kind == "in") inputs_.push_back(file);
  return address;
}

SimulateArguments::SimulateArguments(const std::vector<std::string> &words, const sim::KernelFacts &facts,
                                     sim::GlobalMemory &memory, const std::string &ptx, uint64_t budget)
    : budget_(budget), parameters_(facts.parameterBytes), inputs_{ptx} {
  if (words.size() != facts.parameterOffsets.size())
    throw Error(ErrorKind::Usage, "the kernel takes " + std::to_string(facts.parameterOffsets.size()) +
                                      " parameters, found " + std::to_string(words.size()) + " --arg");
  for (size_t i = 0; i < words.size(); ++i) {
    std::string kind = words[i].substr(0, words[i].find(':'));
    std::vector<std::byte> value(8);
    if (kind == "in" || kind == "out" || kind == "inout") {
      uint64_t address = buffer(words[i], memory);
      std::memcpy(value.data(), &address, 8);
    } else {
      value = valueOf(words[i]);
    }
    if (value.size() != facts.parameterSizes[i])
      throw usage(words[i], "parameter " + std::to_string(i) + " has " +
                                std::to_string(facts.parameterSizes[i]) + " bytes, found " +
                                std::to_string(value.size()));
    std::memcpy(&parameters_[facts.parameterOffsets[i]], value.data(), value.size());
  }
}

void SimulateArguments::checkFiles(const std::vector<std::string> &others) const {
  checkOutputs(others, inputs_);
  for (const Output &own : outputs_) {
    checkOutputs({own.file}, inputs_);
    for (const std::string &other : others)
      checkNotOutput(own.file, other);
    for (const Output &other : outputs_) // two that are not read may be one: a file for what nobody wants
      if (&other != &own && other.isRead) checkNotInput(own.file, other.file);
  }
}

void SimulateArguments::writeOutputs(const sim::GlobalMemory &memory) const {
  for (const Output &output : outputs_)
    writeOutput(output.file, {reinterpret_cast<const char *>(memory.host(output.address)), output.bytes});
}

} // namespace mxc
