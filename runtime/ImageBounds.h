// Whether an image holds all that its headers speak of. The driver takes a pointer without a length, and
// follows them.
#pragma once

#include "runtime/Module.h"

#include <cstddef>
#include <span>
#include <string>

namespace mxc {

/// What of a cubin or fatbin lies beyond its bytes: "its section 3 ends at byte 4096 of 1024"; "" if nothing
/// does. PTX text ends where it ends.
std::string beyondImage(std::span<const std::byte> image, ImageFormat format);

} // namespace mxc
