// The two ways in which fatbinary compresses entries.
#pragma once

#include <string>
#include <string_view>

namespace mxc::sim {

/// One LZ4 block. `text` has the size that it decompresses to; false: it does not, exactly.
bool decompressLz4(std::string_view block, std::string &text);

/// Zstandard frames, by the system's libzstd.so.1. Throws ImageError (INVALID_IMAGE) with what to try where
/// it is missing.
bool decompressZstd(std::string_view frames, std::string &text);

} // namespace mxc::sim
