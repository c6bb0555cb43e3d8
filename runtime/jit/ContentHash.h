// Content is named by its BLAKE3 hash.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mxc {

using ContentHash = std::array<unsigned char, 32>;

/// Hashes the parts and where each ends: {"ab", "c"} differs from {"a", "bc"}.
ContentHash contentHash(std::initializer_list<std::string_view> parts);

std::string hexadecimal(const ContentHash &hash); // 64 digits

} // namespace mxc
