// Memory of the host's own that it registered.
#pragma once

#include <cstdint>
#include <optional>

namespace mxc::sim {

struct RegisteredRange {
  uint64_t address = 0, bytes = 0;
  unsigned flags = 0;
};

/// The range that holds this byte.
std::optional<RegisteredRange> registeredRange(const void *pointer);

} // namespace mxc::sim
