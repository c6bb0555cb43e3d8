// Shared memory of one CTA with what is known about each byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxc::sim {

/// What is known of a byte of shared memory.
enum ByteState : uint8_t {
  kWritten = 1,      // somebody wrote it
  kAsyncWrites = 2,  // a pending asynchronous operation will write it
  kAsyncReads = 4,   // a pending asynchronous operation will read it
  kGenericDirty = 8, // written by the generic proxy since the last fence.proxy.async of the writer
  kBarrier = 16,     // the first byte of an mbarrier that was initialized and not invalidated
};

struct SharedMemory {
  std::vector<std::byte> bytes;              // from shared offset kSharedBase on
  std::vector<uint8_t> state;                // ByteState of each; empty with Checks::Off
  std::vector<uint32_t> lastWrite, lastRead; // of each, for SharedRaces.h; empty unless Checks::Strict
};

} // namespace mxc::sim
