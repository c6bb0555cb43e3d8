#include "compiler/abi/CompiledKernel.h"
#include "compiler/abi/AbiNames.h"

#include "dialect/formats/Error.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

namespace mxc {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMark = "MXC-ABI\0"sv; // then the version in 8 digits
constexpr std::string_view kMagic = "MXC-ABI\0"
                                    "00000003"sv;
static_assert(kMagic.back() - '0' == ModuleAbi::kVersion);
constexpr std::string_view kSymbol = "__mxc_abi";
constexpr size_t kHeaderBytes = 32;
constexpr uint64_t kMaxPayloadBytes = 1 << 24; // far above any real record; a hostile length beyond is damage

void appendLittleEndian(std::string &out, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out += char(value >> (8 * i) & 0xFF);
}

uint64_t littleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= uint64_t(static_cast<unsigned char>(bytes[size_t(i)])) << (8 * i);
  return value;
}

uint64_t checksum(std::string_view payload) {
  return crc32(0, reinterpret_cast<const Bytef *>(payload.data()), uInt(payload.size()));
}

/// Reads the record at the front of `bytes`, or nothing when it is damaged. `budget` bounds the bytes
/// checksummed over one image, so that an image of overlapping false records takes linear time.
std::optional<ModuleAbi> readRecord(std::string_view bytes, uint64_t &budget, size_t &recordBytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  const uint64_t length = littleEndian(bytes.substr(16)), crc = littleEndian(bytes.substr(24));
  if (length > std::min<uint64_t>({kMaxPayloadBytes, bytes.size() - kHeaderBytes, budget}))
    return std::nullopt;
  budget -= length;
  const std::string_view payload = bytes.substr(kHeaderBytes, size_t(length));
  if (checksum(payload) != crc) return std::nullopt;
  recordBytes = kHeaderBytes + size_t(length);
  try {
    return abiFromJson(payload);
  } catch (const Error &) {
    return std::nullopt;
  }
}

/// Any binary: a section's alignment may be lost in a fatbin, so every byte position counts.
void findInBytes(std::string_view image, uint64_t &budget, std::vector<ModuleAbi> &found) {
  size_t position = 0;
  while (const void *hit =
             memmem(image.data() + position, image.size() - position, kMagic.data(), kMagic.size())) {
    position = size_t(static_cast<const char *>(hit) - image.data());
    size_t recordBytes = 1;
    if (std::optional<ModuleAbi> abi = readRecord(image.substr(position), budget, recordBytes))
      found.push_back(std::move(*abi));
    position += recordBytes;
  }
}

/// Decodes "[123] = {77, 88, 67}", as LLVM's NVPTX prints a constant's bytes (trailing zeros left out).
/// Whatever follows the last well-formed number, or `most` bytes, ends it; the checksum judges the result.
std::string decodeByteList(std::string_view text, size_t most = std::string::npos) {
  std::string bytes;
  size_t position = 0;
  const auto take = [&](char wanted) {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
    if (position == text.size() || text[position] != wanted) return false;
    ++position;
    return true;
  };
  const auto takeNumber = [&](uint64_t &value) {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
    const auto [end, error] = std::from_chars(text.data() + position, text.data() + text.size(), value);
    position = size_t(end - text.data());
    return error == std::errc();
  };
  uint64_t value;
  if (!take('[') || !takeNumber(value) || !take(']') || !take('=') || !take('{')) return bytes;
  do {
    if (!takeNumber(value) || value > 255) break;
    bytes += char(value);
  } while (bytes.size() < most && take(','));
  return bytes;
}

void findInPtx(std::string_view image, uint64_t &budget, std::vector<ModuleAbi> &found) {
  for (size_t position = image.find(kSymbol); position != image.npos;
       position = image.find(kSymbol, position)) {
    position += kSymbol.size();
    size_t recordBytes;
    if (std::optional<ModuleAbi> abi =
            readRecord(decodeByteList(image.substr(position)), budget, recordBytes))
      found.push_back(std::move(*abi));
  }
}

/// The version of a record of another version at the front of `bytes`.
std::optional<std::string> otherVersion(std::string_view bytes) {
  if (!bytes.starts_with(kMark) || bytes.size() < kMagic.size() || bytes.starts_with(kMagic))
    return std::nullopt;
  std::string_view digits = bytes.substr(kMark.size(), kMagic.size() - kMark.size());
  if (digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return std::string(digits);
}

std::optional<std::string> otherVersionIn(std::string_view image) {
  for (size_t at = image.find(kMark); at != image.npos; at = image.find(kMark, at + 1))
    if (std::optional<std::string> version = otherVersion(image.substr(at))) return version;
  for (size_t at = image.find(kSymbol); at != image.npos; at = image.find(kSymbol, at + 1))
    if (std::optional<std::string> version =
            otherVersion(decodeByteList(image.substr(at + kSymbol.size()), kMagic.size())))
      return version;
  return std::nullopt;
}

} // namespace

std::string_view AbiArgument::accessName() const {
  return kAccessNames[isOutput ? isRead ? 2 : 1 : isConstant ? 3 : 0];
}

size_t AbiArgument::innermost() const {
  for (size_t i = strides.size(); i-- > 0;)
    if (strides[i].kind == AbiStride::Kind::Fixed && strides[i].value.text() == "1") return i;
  return rank() ? rank() - 1 : 0;
}

const AbiArgument *KernelAbi::argumentOf(ArgumentRole role, std::string_view of) const {
  const AbiArgument *first = nullptr;
  for (const AbiArgument &argument : arguments)
    if (argument.isTensor() && argument.role == role && (of.empty() || argument.of == of))
      if (!first || argument.number < first->number) first = &argument;
  return first;
}

std::vector<const AbiArgument *> KernelAbi::argumentsOf(ArgumentRole role, bool areOutputs) const {
  std::vector<const AbiArgument *> found;
  for (const AbiArgument &argument : arguments)
    if (argument.isTensor() && argument.role == role && argument.isOutput == areOutputs)
      found.push_back(&argument);
  std::ranges::sort(found, {}, &AbiArgument::number);
  return found;
}

std::string shapeText(std::span<const ShapeExpression> shape) {
  std::string text;
  for (const ShapeExpression &size : shape)
    text += (text.empty() ? "" : " x ") + size.text();
  return text;
}

std::string versionMismatch(const std::string &found) {
  return "it carries version " + found + " of the ABI, and this mxc reads version " +
         std::to_string(ModuleAbi::kVersion) + " alone: compile the kernel again with this mxc";
}

std::string whyNoRecord(std::span<const char> image) {
  if (std::optional<std::string> version = otherVersionIn({image.data(), image.size()}))
    return versionMismatch(*version);
  return "it holds no intact ABI record: it was not made by mxc, or it is damaged or compressed; compile the "
         "kernel again with mxc compile";
}

std::string abiRecord(const ModuleAbi &abi) {
  const std::string payload = abiToJson(abi);
  std::string record(kMagic);
  appendLittleEndian(record, payload.size());
  appendLittleEndian(record, checksum(payload));
  return record + payload;
}

std::vector<ModuleAbi> abiFromImage(std::span<const char> image) {
  const std::string_view bytes(image.data(), image.size());
  std::vector<ModuleAbi> found;
  if (bytes.empty()) return found;
  uint64_t budget = 8 * uint64_t(bytes.size());
  findInBytes(bytes, budget, found);
  if (found.empty()) findInPtx(bytes, budget, found); // a fatbin holds the PTX of its machine code too
  return found;
}

} // namespace mxc
