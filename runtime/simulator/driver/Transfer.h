// Ranges of bytes that copies and fills go to and come from, and what is known of them.
#pragma once

#include "runtime/simulator/driver/SimulatedDevice.h"

namespace mxc::sim {

struct Range {
  uint64_t address = 0, bytes = 0;
  SimulatedDevice *device = nullptr; // null: the host's own memory
};

// Each throws Refusal (INVALID_VALUE) if the range is not wholly allocated.
Range deviceRange(CUdeviceptr address, uint64_t bytes);
Range unifiedRange(uint64_t address,
                   uint64_t bytes); // device memory or, if the address is none of ours, the host's

/// Rows of `to.bytes / rows` bytes each; the ranges hold the first byte of the first row up to the last of
/// the last.
struct Rows {
  uint64_t count = 1, bytes = 0, toPitch = 0, fromPitch = 0;
};

/// Unwritten bytes stay unwritten where they arrive.
void copy(const Range &to, const Range &from, const Rows &rows);

/// `patternBytes` (1, 2 or 4) of `pattern`, again and again.
void fill(const Range &to, uint32_t pattern, unsigned patternBytes, const Rows &rows);

} // namespace mxc::sim
