// What an image is, and whether it holds all that its headers speak of: the driver takes a pointer without a
// length, and follows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mxc {

/// What an image is, by its first bytes. Images that mxc's driver table is never given are Unknown.
enum class ImageFormat : uint8_t { Unknown, Cubin, Fatbin, Ptx };
ImageFormat imageFormat(std::span<const std::byte> image);

/// What of a cubin or fatbin lies beyond its bytes: "its section 3 ends at byte 4096 of 1024"; "" if nothing
/// does. PTX text ends where it ends.
std::string beyondImage(std::span<const std::byte> image, ImageFormat format);

} // namespace mxc
