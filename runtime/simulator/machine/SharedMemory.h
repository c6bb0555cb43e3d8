// Shared memory of one CTA with what is known about each byte.
#pragma once

#include "runtime/simulator/Options.h"
#include "runtime/simulator/machine/LaneReads.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxc::sim {

/// What is known of a byte of shared memory.
enum ByteState : uint8_t {
  kWritten = 1,       // somebody wrote it
  kAsyncWrites = 2,   // a pending asynchronous operation will write it
  kAsyncReads = 4,    // a pending asynchronous operation will read it
  kGenericDirty = 8,  // written by the generic proxy since the last fence.proxy.async of the writer
  kBarrier = 16,      // the first byte of an mbarrier that was initialized and not invalidated
  kResponse = 32,     // Checks::Strict: a response of clusterlaunchcontrol.try_cancel ..
  kResponseRead = 64, // .. which a warp has read that no proxy fence has followed
};

/// An mbarrier that was initialized: its shared address, by which warp, and whether that warp has released
/// since.
struct FreshBarrier {
  uint32_t address = 0, warp = 0;
  bool isReleased = false;
};

/// What the wgmma of a warpgroup read, or the tcgen05 operations of a CTA or pair (ReadObservation.h).
struct ProductReads {
  std::vector<uint32_t> groups; // of each 16 bytes: how many groups end with the last one that reads them
  uint32_t clock = 0;           // the place of those that are known to be done in AccessOrder
};

struct SharedMemory {
  std::vector<std::byte> bytes;              // from shared offset kSharedBase on
  std::vector<uint8_t> state;                // ByteState of each; empty with Checks::Off
  std::vector<uint32_t> lastWrite, lastRead; // of each, for SharedRaces.h: 0, a warp's stamp, or for reads a
                                             // number of ReaderSets.h; empty unless Checks::Strict
  std::vector<uint8_t> lastLane;             // of the warp that lastWrite names, for LaneMeetings.h
  WordReaders laneReads;                     // of each 4 bytes, for LaneMeetings.h; Checks::Strict
  std::vector<uint32_t> copied;    // of each 4 bytes: by which phase's copy (CopyObservation.h); 0: by none;
                                   // empty unless Checks::Strict
  std::vector<uint32_t> bulkReads; // of each 16 bytes: the group of copies that reads them
                                   // (ReadObservation.h), 0: none; Checks::Strict; empty before the first
  std::vector<ProductReads> productReads; // of each warpgroup, or leading CTA, up to the last that
                                          // multiplies; Checks::Strict
  std::vector<uint16_t>
      readers; // pending operations that read each 16 bytes: kAsyncReads while there are some
  std::vector<FreshBarrier> freshBarriers; // Checks::Strict: until a fence

  /// Zeroed, nothing known of it; memory that it has is used again.
  void reset(size_t size, Checks checks) {
    auto clear = [](auto &vector, size_t count) { vector.assign(count, {}); };
    clear(bytes, size);
    clear(state, checks == Checks::Off ? 0 : size);
    clear(lastWrite, checks == Checks::Strict ? size : 0);
    clear(lastRead, checks == Checks::Strict ? size : 0);
    clear(lastLane, checks == Checks::Strict ? size : 0);
    laneReads.reset(checks == Checks::Strict ? size / 4 + 1 : 0);
    clear(copied, checks == Checks::Strict ? size / 4 + 1 : 0);
    readers.clear(), freshBarriers.clear(), bulkReads.clear(), productReads.clear();
  }
};

} // namespace mxc::sim
