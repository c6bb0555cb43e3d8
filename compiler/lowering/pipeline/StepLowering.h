// What stands in a role's body to arith, scf and NVVM: one function an operation, a file a family.
#pragma once

#include "compiler/lowering/pipeline/Pipeline.h"

namespace mxc {

// RingLowering.cpp: mx.fill, mx.use, mx.release.
void lowerFill(mx::FillOp op, Pipeline &pipeline);
void lowerUse(mx::UseOp op, Pipeline &pipeline);
void lowerRelease(mx::ReleaseOp op, Pipeline &pipeline);

// TileSchedule.cpp: mx.tiles.
void lowerTiles(mx::TilesOp op, Pipeline &pipeline);

// CopyLowering.cpp: mx.copy_box, mx.store_box, mx.drain_stores.
void lowerCopyBox(mx::CopyBoxOp op, Pipeline &pipeline);
void lowerStoreBox(mx::StoreBoxOp op, Pipeline &pipeline);
void lowerDrainStores(mx::DrainStoresOp op, Pipeline &pipeline);

// WarpgroupLowering.cpp: mx.zero_accumulator, mx.warpgroup_mma, mx.accumulator_columns, and the accumulator's type in
// front of them. RingLowering.cpp: mx.finish, for its stage.
void convertAccumulators(mlir::Operation *function);
void lowerZeroAccumulator(mx::ZeroAccumulatorOp op, Pipeline &pipeline);
void lowerAccumulatorColumns(mx::AccumulatorColumnsOp op, Pipeline &pipeline);
void lowerWarpgroupMma(mx::WarpgroupMmaOp op, Pipeline &pipeline);
void lowerFinish(mx::FinishOp op, Pipeline &pipeline);

// CounterLowering.cpp: mx.ticket, mx.publish, mx.await, mx.clear.
void lowerTicket(mx::TicketOp op, Pipeline &pipeline);
void lowerPublish(mx::PublishOp op, Pipeline &pipeline);
void lowerAwait(mx::AwaitOp op, Pipeline &pipeline);
void lowerClear(mx::ClearOp op, Pipeline &pipeline);

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
