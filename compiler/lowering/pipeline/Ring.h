// A ring of stages that roles of a CTA hand to each other: one fills a stage, others use it and give it back.
//
//   fill:  waitEmpty -> fill (announce, copies)        -> next
//   use:               waitFull -> read the stage -> release -> next
//
// Every role walks the stages in order with its own position. Round r of a stage is phase r mod 2 of its
// barriers: users wait for the full barrier's phase r, the filling role for the empty barrier's phase r - 1,
// which passes at once in round 0.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "compiler/lowering/entry/SharedLayout.h"

#include <functional>

namespace mxc {

/// How many stages, where they and their barriers lie in an entry's shared memory, and who arrives.
struct RingLayout {
  int stages = 1;
  int fillArrivals = 1;   // that make a stage full, beside announced bytes: threads and commits
  int emptyArrivals = 0;  // that make a stage empty: threads and commits; 0: no stage is filled twice
  int64_t stageBytes = 0; // from one stage to the next
  int64_t memory = 0;     // offset of the first stage
  int64_t barriers = 0;   // offset of the full barriers; the empty ones lie behind them

  /// Reserves the barriers, and room for `stage` in every stage (nothing in it: the stages lie elsewhere, in
  /// tensor memory).
  void placeIn(SharedLayout &entry, llvm::StringRef name, const SharedLayout &stage);
  // Its two halves.
  void placeStages(SharedLayout &entry, llvm::StringRef name, const SharedLayout &stage);
  void placeBarriers(SharedLayout &entry, llvm::StringRef name);
};

/// Where a role is: i32 values, which a loop carries.
struct RingPosition {
  mlir::Value stage, phase;
};

/// A copy that completes on the stage's full barrier, by bytes.
struct RingCopy {
  int64_t offset, bytes; // in the stage
  std::function<void(mlir::Value destination, mlir::Value fullBarrier)> start;
};

class Ring {
public:
  /// `shared`: the entry's dynamic shared memory.
  Ring(const RingLayout &layout, mlir::Value shared) : layout_(layout), shared_(shared) {}

  /// Initializes the barriers: by one thread. nvvm::fenceMbarrierInit and a barrier of all roles come before
  /// the first use.
  void init(const ValueBuilder &v) const;

  RingPosition first(const ValueBuilder &v) const;
  RingPosition next(const ValueBuilder &v, RingPosition at) const;

  mlir::Value stageAddress(const ValueBuilder &v, RingPosition at, int64_t offset = 0) const;
  mlir::Value fullBarrier(const ValueBuilder &v, RingPosition at) const; // commits may arrive on it
  mlir::Value fullBarrierAlone(const ValueBuilder &v,
                               RingPosition at) const; // for who uses no other of the stage
  mlir::Value emptyBarrier(const ValueBuilder &v, RingPosition at) const; // likewise

  void waitEmpty(const ValueBuilder &v, RingPosition at) const;
  /// Announces the bytes of copies, as one of the stage's fillArrivals, and returns the barrier they complete
  /// on.
  mlir::Value announce(const ValueBuilder &v, RingPosition at, int64_t bytes) const;
  /// Announces the sum of the copies' bytes and starts them: by one thread.
  void fill(const ValueBuilder &v, RingPosition at, llvm::ArrayRef<RingCopy> copies) const;

  mlir::Value isFull(const ValueBuilder &v, RingPosition at) const; // i1; does not wait
  void waitFull(const ValueBuilder &v, RingPosition at) const;
  /// The calling thread has read the stage: one of the emptyArrivals.
  void release(const ValueBuilder &v, RingPosition at) const;

private:
  mlir::Value place(const ValueBuilder &v, mlir::Value stage, int64_t offset, int64_t step) const;

  RingLayout layout_;
  mlir::Value shared_;
};

} // namespace mxc
