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
  OperandRing scales; // with instructions of 96 elements, whose operands' stages have none; no stages: none
  RingShape accumulators;
  RingShape answers;     // where tiles are numbered by cluster launch control; no stages: none
  int tensorColumns = 0; // to allocate
  int loadWarps = 1;
  bool ordersInShared;

  TensorMemoryPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &target);
  static void declare(mx::ProductOpInterface op, KernelSignature &signature);

  bool isWide() const { return tile.getMmaK() == mx::InstructionK::Wide; }
  /// A grid by cluster launch control has more CTAs than the workspace has tables: the order of as many
  /// groups of K as this lies in shared memory.
  static constexpr int kMostOrderedGroups = 128;
  int scaleColumnsA() const; // of tensor memory; b's follow
  const RingShape &scaleRing() const { return isWide() ? scales : operands; }
  static int firstLoadWarp() { return 5; } // after the one that multiplies
  int stepK() const override { return isWide() ? kWideStepK : step.elements; }
  PipeTile pipeTile() const; // for the model

  std::string refusal(const Target &target) const override;
  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  llvm::SmallVector<RingShape> rings() const override;
  llvm::SmallVector<OperandBox> operandBoxes() const override;
  bool ordersInWorkspace() const override { return !ordersInShared; }
  mlir::Value orders(const ValueBuilder &v) const override;
  PipelineShape pipeline() const override;
  int scheduleWarp() const override { return firstLoadWarp() + loadWarps; }
  void finish(mx::ProductOpInterface op, const KernelSignature &signature, EntryPlan &entry) const override;
  void emitRoles(const TileEntry &e) const override;
};

struct TensorMemoryEntry : MachineEntry<TensorMemoryPlan> {
  mlir::Value scales = ring("scales"); // null where the operands' stages have them
  mlir::Value accumulators = ring("accumulators");
  mlir::Value steps; // i32: along K

  TensorMemoryEntry(const TileEntry &e, const TensorMemoryPlan &plan);
};

// A function a role.
void emitMultiply(const TensorMemoryEntry &e); // Multiply.cpp
void emitStore(const TensorMemoryEntry &e);    // Store.cpp

} // namespace mxc
