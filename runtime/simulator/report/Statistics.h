// What a launch did, counted.
//
// An instruction that a warp executes counts once, for its 32 lanes; "an element" counts are of lanes: 32
// times that over the elements, which is how docs/performance/quantize.md counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace mxc::sim {

struct Statistics {
  uint64_t warpInstructions = 0, laneInstructions = 0;
  std::map<std::string, uint64_t> byOpcode;               // warp instructions by "ld.global", "fma", ..
  std::map<std::string, uint64_t> byClass;                // .. by "integer", "memory", .. (Counted.h)
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0;     // that lanes asked for
  uint64_t globalLoadSectors = 0, globalStoreSectors = 0; // of 32 bytes
  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0;
  uint64_t sharedWavefronts = 0, sharedIdealWavefronts = 0; // bank conflicts: the difference
  uint64_t bulkLoadBytes = 0, bulkStoreBytes = 0;
  uint64_t tensorOperations = 0; // multiply-adds of wgmma, mma and tcgen05
  uint64_t barrierWaits = 0;
  void add(const Statistics &other);
  /// `elements`: of the kernel's result, for the counts of an element; 0: without them.
  std::string text(uint64_t elements = 0) const;
  std::string json(uint64_t elements = 0) const;
};

} // namespace mxc::sim
