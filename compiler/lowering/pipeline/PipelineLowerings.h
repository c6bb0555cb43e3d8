// Who lowers which operation of a pipeline: families add functions, one an operation, and those of tile
// schedules.
#pragma once

#include "compiler/lowering/pipeline/Pipeline.h"
#include "compiler/targets/Target.h"

namespace mxc {

class PipelineLowerings {
public:
  /// `lower` replaces the operation with what it becomes, and erases it. Operations in its body are lowered
  /// by then.
  template <class Op> void add(void (*lower)(Op, Pipeline &)) {
    operations_[Op::getOperationName()] = [lower](mlir::Operation *op, Pipeline &pipeline) {
      lower(mlir::cast<Op>(op), pipeline);
    };
  }

  /// `walk` emits the body of an mx.tiles with that schedule, and what walks the tiles around it.
  using WalkTiles = void (*)(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline);
  template <class Schedule> void addSchedule(WalkTiles walk) {
    schedules_[mlir::TypeID::get<Schedule>()] = walk;
  }

  /// Lowers all of `function`, whose roles become branches of warps. Failure after an error at an operation
  /// that no family of the target lowers.
  mlir::LogicalResult lower(mlir::Operation *function) const;

private:
  mlir::LogicalResult lowerTiles(mx::TilesOp op, Pipeline &pipeline) const;

  llvm::StringMap<std::function<void(mlir::Operation *, Pipeline &)>> operations_;
  llvm::DenseMap<mlir::TypeID, WalkTiles> schedules_;
};

/// All that the target has.
PipelineLowerings pipelineLowerings(const Target &target);

// A function a family, in the file of its name.
void populateRoleLowerings(PipelineLowerings &lowerings, const Target &target);
void populateTileLowerings(PipelineLowerings &lowerings, const Target &target);
void populateRingLowerings(PipelineLowerings &lowerings, const Target &target);
void populateCopyLowerings(PipelineLowerings &lowerings, const Target &target);
void populateCounterLowerings(PipelineLowerings &lowerings, const Target &target);
void populateClusterLowerings(PipelineLowerings &lowerings, const Target &target);
void populateTcgen05Lowerings(PipelineLowerings &lowerings, const Target &target);
void populateWarpgroupLowerings(PipelineLowerings &lowerings, const Target &target);
void populateAccumulatorLowerings(PipelineLowerings &lowerings, const Target &target);
void populateFragmentLowerings(PipelineLowerings &lowerings, const Target &target);
void populateWarpLowerings(PipelineLowerings &lowerings, const Target &target);

} // namespace mxc
