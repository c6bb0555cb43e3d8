// What stands in a role's body to arith, scf and NVVM: one function an operation, a file a family.
#pragma once

#include "compiler/lowering/pipeline/Pipeline.h"

namespace mxc {

// RingLowering.cpp: mx.fill, mx.use, mx.release.
void lowerFill(mx::FillOp op, Pipeline &pipeline);
void lowerUse(mx::UseOp op, Pipeline &pipeline);
void lowerRelease(mx::ReleaseOp op, Pipeline &pipeline);

/// The calling role has used the stage, by `engine`.
void giveBack(const ValueBuilder &v, mlir::Value ring, mlir::Value stage, Engine engine, Pipeline &pipeline);

// TileSchedule.cpp: mx.tiles. TileQueue.cpp: mx.take_over, and tiles by its answers.
void lowerTiles(mx::TilesOp op, Pipeline &pipeline);
void lowerTakeOver(mx::TakeOverOp op, Pipeline &pipeline);
void walkQueuedTiles(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline,
                     llvm::function_ref<void(mlir::Value tile)> body);

// CopyLowering.cpp: mx.copy_box, mx.store_box, mx.drain_stores.
void lowerCopyBox(mx::CopyBoxOp op, Pipeline &pipeline);
void lowerStoreBox(mx::StoreBoxOp op, Pipeline &pipeline);
void lowerDrainStores(mx::DrainStoresOp op, Pipeline &pipeline);

/// Fields of a shared-memory descriptor for wgmma (PTX ISA, wgmma matrix descriptor), K-major in 128-byte
/// rows under the 128B swizzle: bits 0-13 address / 16, 16-29 leading and 32-45 stride byte offset / 16 (8
/// rows lie 1024 bytes apart), 62-63 swizzle (1: 128B).
inline constexpr int64_t kWarpgroupOperand = int64_t(1) << 62 | int64_t(1024 / 16) << 32 | int64_t(1) << 16;

// WarpgroupLowering.cpp: mx.zero_accumulator, mx.warpgroup_mma, mx.accumulator_columns, and the accumulator's
// type in front of them. RingLowering.cpp: mx.finish, for its stage.
void convertAccumulators(mlir::Operation *function);
void lowerZeroAccumulator(mx::ZeroAccumulatorOp op, Pipeline &pipeline);
void lowerAccumulatorColumns(mx::AccumulatorColumnsOp op, Pipeline &pipeline);
void lowerWarpgroupMma(mx::WarpgroupMmaOp op, Pipeline &pipeline);
void lowerFinish(mx::FinishOp op, Pipeline &pipeline);

// FragmentLowering.cpp: mx.load_fragments, mx.fragment_mma. ClusterLowering.cpp: mx.cluster_barrier,
// mx.cluster_load.
void lowerLoadFragments(mx::LoadFragmentsOp op, Pipeline &pipeline);
void lowerFragmentMma(mx::FragmentMmaOp op, Pipeline &pipeline);
void lowerClusterBarrier(mx::ClusterBarrierOp op, Pipeline &pipeline);
void lowerClusterLoad(mx::ClusterLoadOp op, Pipeline &pipeline);

// CounterLowering.cpp: mx.ticket, mx.publish, mx.await, mx.leave.
void lowerTicket(mx::TicketOp op, Pipeline &pipeline);
void lowerPublish(mx::PublishOp op, Pipeline &pipeline);
void lowerAwait(mx::AwaitOp op, Pipeline &pipeline);
void lowerLeave(mx::LeaveOp op, Pipeline &pipeline);
void lowerLastOf(mx::LastOfOp op, Pipeline &pipeline);

// Tcgen05Lowering.cpp: mx.copy_scales, mx.block_mma, mx.read_accumulator.
void lowerCopyScales(mx::CopyScalesOp op, Pipeline &pipeline);
void lowerBlockMma(mx::BlockMmaOp op, Pipeline &pipeline);
void lowerReadAccumulator(mx::ReadAccumulatorOp op, Pipeline &pipeline);

/// All of a function: its roles become branches of warps.
void lowerPipeline(mlir::Operation *function);

/// The body of a step in front of `op`, its arguments replaced; returns what it hands on.
mlir::SmallVector<mlir::Value> inlineBody(mlir::Operation *op, mlir::Region &body,
                                          mlir::ValueRange arguments);

} // namespace mxc
