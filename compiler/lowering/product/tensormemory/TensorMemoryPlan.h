// Products on tensor memory (tcgen05): what a tile takes, and its roles. Warps 0 to 3 store (a warp reads the
// quarter of the lanes that its number gives), 4 multiplies, the next load, and one may take tiles over.
// Instructions of 96 elements along K have rings and roles of their own (WideStep.h).
#pragma once

#include "compiler/cost/TensorPipeModel.h"
#include "compiler/lowering/product/plan/ClusterTilePlan.h"

namespace mxc {

inline constexpr int kWideStepK = 768; // of instructions of 96 elements

class TensorMemoryPlan : public ClusterTilePlan {
public:
  ProductStep step;
  RingShape scales; // with instructions of 96 elements, whose operands' stages have none; no stages: none
  RingShape accumulators;
  RingShape answers;     // where tiles are numbered by cluster launch control; no stages: none
  int tensorColumns = 0; // to allocate
  int loadWarps = 1;
  bool ordersInShared;

  TensorMemoryPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &target);

  bool isWide() const { return tile.getMmaK() == mx::InstructionK::Wide; }
  /// A grid by cluster launch control has more CTAs than the workspace has tables: the order of as many
  /// groups of K as this lies in shared memory.
  static constexpr int kMostOrderedGroups = 128;
  bool ordersInWorkspace() const override { return !ordersInShared; }
  int stepK() const { return isWide() ? kWideStepK : step.elements; }
  int scaleColumnsA() const; // of tensor memory; b's follow
  const RingShape &scaleRing() const { return isWide() ? scales : operands; }
  static int firstLoadWarp() { return 5; } // after the one that multiplies
  int scheduleWarp() const { return firstLoadWarp() + loadWarps; }
  int warps() const { return scheduleWarp() + (hasQueue() ? 1 : 0); }
  PipeTile pipeTile() const; // for the model

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;
  EntryPlan entry(mx::ProductOpInterface op, const KernelSignature &signature) const override;
  void emit(mx::ProductOpInterface op, const KernelSignature &signature,
            EntryFunction &function) const override;
};

/// What the roles of an entry point share.
struct TensorMemoryEntry : ClusterTileEntry<TensorMemoryPlan> {
  mlir::Value scales;       // ring; null where the operands' stages have them
  mlir::Value accumulators; // ring
  mlir::Value steps;        // i32: along K
};

// A function a role.
void emitMultiply(const TensorMemoryEntry &e); // Multiply.cpp
void emitStore(const TensorMemoryEntry &e);    // Store.cpp

} // namespace mxc
