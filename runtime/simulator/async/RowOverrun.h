// What a tensor store changes past the end of a row. The innermost dimension of a store or reduction is
// clipped only to whole pieces of 16 bytes: where a row's length is no multiple of 16 bytes, the rest of its
// last piece gets the box's bytes too (seen on an H200, for every element size, rank and swizzle; no document
// says so).
#pragma once

#include "runtime/simulator/async/TensorBox.h"

namespace mxc::sim {

inline constexpr uint32_t kStorePieceBytes = 16;

/// Stores or reduces `bytes` of `from` at `end`, where a row of the map ends. Bytes that no allocation holds
/// belong to nobody and are left out. Throws FaultError (OutOfBounds) where other bytes than the map's
/// change: standard checks if somebody wrote them, strict checks whoever did. Does not mark them as written.
void overrunRow(Cluster &cluster, const TensorMap &map, uint64_t end, const std::byte *from, uint32_t bytes,
                BulkReduction reduction);

} // namespace mxc::sim
