// An entry of the kernel cache as bytes: every damage is found when it is read.
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

/// A head, the key that it is stored under, each member behind its length, and the hash of all that.
std::string encodeEntry(const std::string &key, const CacheEntry &entry);

/// Any bytes are safe to pass. Nothing unless they are a whole entry of that key.
std::optional<CacheEntry> decodeEntry(const std::string &key, std::string_view bytes);

} // namespace mxc
