// What a ring takes of a CTA's memories, before and after there are operations of it.
#pragma once

#include "compiler/lowering/pipeline/Ring.h"

#include <string>

namespace mxc {

/// The attributes of mx.ring.
struct RingShape {
  std::string name;
  int stages = 1;
  llvm::SmallVector<int64_t> regions; // bytes of shared memory of a stage
  int columns = 0, overlap = 0;       // of tensor memory
  bool once = false;                  // filled once: no barrier says that a stage is empty
  int64_t alignment = 1024;           // of parts that are multiples of it: what the 128B swizzle repeats in

  int columnPitch() const { return columns - overlap; }
  int allColumns() const { return stages * columnPitch() + overlap; }
  int handedOver() const { return overlap ? 1 : stages; } // stages that have barriers
};

/// A ring in a CTA's shared memory, with the byte offset of each part in a stage.
struct PlacedRing {
  RingLayout layout;
  llvm::SmallVector<int64_t> regions;
};
/// Reserves the memory of rings one after the other, then their barriers.
llvm::SmallVector<PlacedRing> placeRings(SharedLayout &shared, llvm::ArrayRef<RingShape> shapes);

/// An mx.ring of that shape; `name` where it is another than the shape's.
mlir::Value createRing(const ValueBuilder &v, const RingShape &shape, llvm::StringRef name = "");

/// Where the address of tensor memory is handed to all warps.
int64_t placeTensorAddress(SharedLayout &shared);

} // namespace mxc
