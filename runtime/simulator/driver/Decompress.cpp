#include "runtime/simulator/driver/Decompress.h"

#include "runtime/simulator/driver/Image.h"

#include <dlfcn.h>

#include <cstdint>

namespace mxc::sim {

// LZ4 block format: sequences of a token (4 bits of literal length, 4 bits of match length - 4; 15 goes on in
// bytes up to one below 255), literals, a 16-bit distance back. The last sequence has literals alone.
bool decompressLz4(std::string_view block, std::string &text) {
  size_t in = 0, out = 0;
  auto length = [&](size_t nibble) {
    for (uint8_t byte = 255; nibble >= 15 && byte == 255 && in < block.size(); nibble += byte)
      byte = static_cast<uint8_t>(block[in++]);
    return nibble;
  };
  while (in < block.size()) {
    uint8_t token = static_cast<uint8_t>(block[in++]);
    size_t literals = length(token >> 4);
    if (literals > block.size() - in || literals > text.size() - out) return false;
    block.copy(text.data() + out, literals, in);
    in += literals, out += literals;
    if (in == block.size()) break;
    if (block.size() - in < 2) return false;
    size_t distance =
        static_cast<uint8_t>(block[in]) | static_cast<size_t>(static_cast<uint8_t>(block[in + 1])) << 8;
    in += 2;
    size_t match = length(token & 15) + 4;
    if (distance == 0 || distance > out || match > text.size() - out) return false;
    for (; match > 0; --match, ++out) // byte by byte: a match may reach into itself
      text[out] = text[out - distance];
  }
  return out == text.size();
}

bool decompressZstd(std::string_view frames, std::string &text) {
  // Not a dependency: fatbins of PTX alone need not be compressed.
  using Decompress = size_t (*)(void *, size_t, const void *, size_t);
  static void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  static auto decompress =
      library ? reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress")) : nullptr;
  if (!decompress)
    throw ImageError(CUDA_ERROR_INVALID_IMAGE,
                     "this fatbin's PTX is compressed by zstd, and libzstd.so.1 is not there: "
                     "install it, or compile with -Xfatbin --compress=false");
  return decompress(text.data(), text.size(), frames.data(), frames.size()) == text.size();
}

} // namespace mxc::sim
