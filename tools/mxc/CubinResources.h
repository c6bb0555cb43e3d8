// What ptxas gave the entries of a cubin: registers and stack, as the cubin says.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mxc {

struct EntryResources {
  uint32_t registers = 0;  // a thread
  uint32_t stackBytes = 0; // a thread: spills, local arrays, calls
};
using CubinResources = std::map<std::string, EntryResources>; // by entry

/// The resources of every cubin in an image, in their order; a fatbin (uncompressed) has one a target. Any
/// bytes are safe to pass; what cannot be read is left out.
std::vector<CubinResources> resourcesInImage(std::span<const std::byte> image);

} // namespace mxc
