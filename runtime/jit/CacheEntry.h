// An entry of the kernel cache as bytes; reading it finds all damage.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mxc {

struct CacheEntry {
  std::string image;
  std::string warnings;               // of its compilation
  std::string kernels, target, stage; // for people: "quantize", "sm_90a", "cubin"
};

/// Encodes a head, the key that the entry is stored under, each member after its length, and a hash of it
/// all.
std::string encodeEntry(const std::string &key, const CacheEntry &entry);

/// Returns nullopt unless the bytes are a whole entry of that key. Any bytes are safe to pass.
std::optional<CacheEntry> decodeEntry(const std::string &key, std::string_view bytes);

} // namespace mxc
