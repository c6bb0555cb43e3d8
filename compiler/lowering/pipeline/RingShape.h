// What a ring takes of a CTA's memories, before and after there are operations of it.
#pragma once

#include "compiler/lowering/pipeline/Ring.h"

#include <string>

namespace mxc {

/// The attributes of mx.ring.
struct RingShape {
  std::string name;
  int stages = 1;
  llvm::SmallVector<int64_t> parts; // bytes of shared memory of a stage
  int columns = 0, overlap = 0;     // of tensor memory

  int columnPitch() const { return columns - overlap; }
  int allColumns() const { return stages * columnPitch() + overlap; }
  int handedOver() const { return overlap ? 1 : stages; } // stages that have barriers
};

/// A ring in a CTA's shared memory, with the byte offset of each part in a stage.
struct PlacedRing {
  RingLayout layout;
  llvm::SmallVector<int64_t> parts;
};
/// Reserves the memory of rings one after the other, then their barriers.
llvm::SmallVector<PlacedRing> placeRings(SharedLayout &shared, llvm::ArrayRef<RingShape> shapes);

/// Where the address of tensor memory is handed to all warps.
int64_t placeTensorAddress(SharedLayout &shared);

} // namespace mxc
