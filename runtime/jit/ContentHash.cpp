#include "runtime/jit/ContentHash.h"

#include "llvm-c/blake3.h"

#include <cstdint>

namespace mxc {

ContentHash contentHash(std::initializer_list<std::string_view> parts) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  for (std::string_view part : parts) {
    const uint64_t bytes = part.size();
    llvm_blake3_hasher_update(&hasher, &bytes, sizeof bytes);
    llvm_blake3_hasher_update(&hasher, part.data(), part.size());
  }
  ContentHash hash;
  llvm_blake3_hasher_finalize(&hasher, hash.data(), hash.size());
  return hash;
}

std::string hexadecimal(const ContentHash &hash) {
  std::string text;
  for (unsigned char byte : hash)
    for (int shift : {4, 0})
      text += "0123456789abcdef"[byte >> shift & 15];
  return text;
}

} // namespace mxc
