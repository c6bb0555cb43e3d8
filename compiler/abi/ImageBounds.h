// Says what an image is, and whether it holds all that its headers refer to: the driver takes a pointer
// without a length and follows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace mxc {

/// The kind of an image, by its first bytes. Unknown is any that mxc's driver table is never given.
enum class ImageFormat : uint8_t { Unknown, Cubin, Fatbin, Ptx };
ImageFormat imageFormat(std::span<const std::byte> image);

/// Says what part of a cubin or fatbin lies beyond its bytes: "its section 3 ends at byte 4096 of 1024".
/// Returns "" if none does, and for PTX text.
std::string beyondImage(std::span<const std::byte> image, ImageFormat format);

/// The names of the sections that hold something, of a cubin of which beyondImage says nothing.
std::set<std::string> sectionsOf(std::span<const std::byte> cubin);

} // namespace mxc
