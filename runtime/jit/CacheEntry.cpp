#include "runtime/jit/CacheEntry.h"

#include "runtime/jit/ContentHash.h"

#include <cstdint>

namespace mxc {

static constexpr std::string_view kHead = "mxc kernel 1\n";

static void append(std::string &bytes, std::string_view member) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(uint64_t(member.size()) >> shift);
  bytes += member;
}

static std::optional<std::string_view> take(std::string_view &bytes) {
  constexpr size_t kLength = 8;
  if (bytes.size() < kLength) return std::nullopt;
  uint64_t length = 0;
  for (size_t i = kLength; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(kLength);
  if (length > bytes.size()) return std::nullopt;
  std::string_view member = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return member;
}

static std::string hashOf(std::string_view bytes) {
  const ContentHash hash = contentHash({bytes});
  return std::string(hash.begin(), hash.end());
}

std::string encodeEntry(const std::string &key, const CacheEntry &entry) {
  std::string bytes(kHead);
  append(bytes, key);
  for (const std::string *member :
       {&entry.kernels, &entry.target, &entry.stage, &entry.warnings, &entry.image})
    append(bytes, *member);
  return bytes + hashOf(bytes);
}

std::optional<CacheEntry> decodeEntry(const std::string &key, std::string_view bytes) {
  constexpr size_t kHash = sizeof(ContentHash);
  if (!bytes.starts_with(kHead) || bytes.size() < kHead.size() + kHash) return std::nullopt;
  if (hashOf(bytes.substr(0, bytes.size() - kHash)) != bytes.substr(bytes.size() - kHash))
    return std::nullopt;
  bytes = bytes.substr(kHead.size(), bytes.size() - kHead.size() - kHash);
  if (take(bytes) != key) return std::nullopt;
  CacheEntry entry;
  for (std::string *member : {&entry.kernels, &entry.target, &entry.stage, &entry.warnings, &entry.image}) {
    std::optional<std::string_view> found = take(bytes);
    if (!found) return std::nullopt;
    *member = *found;
  }
  if (!bytes.empty()) return std::nullopt;
  return entry;
}

} // namespace mxc
