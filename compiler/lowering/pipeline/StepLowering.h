// What the lowerings of a pipeline's operations share.
#pragma once

#include "compiler/lowering/pipeline/Pipeline.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mxc {

/// The body of a step in front of `op`, its arguments replaced; returns what it hands on.
mlir::SmallVector<mlir::Value> inlineBody(mlir::Operation *op, mlir::Region &body,
                                          mlir::ValueRange arguments);

/// The calling role has used the stage, by `engine`.
void giveBack(const ValueBuilder &v, mlir::Value ring, mlir::Value stage, Engine engine, Pipeline &pipeline);

/// CounterLowering.cpp: what lane 0 computes (i32), in all lanes.
mlir::Value ofLaneZero(const ValueBuilder &v, Pipeline &pipeline, llvm::function_ref<mlir::Value()> body);

/// RowCopies.cpp: the rows of a fill, whose body stands in front of `v`, and what each thread announces.
void lowerRowCopies(const ValueBuilder &v, llvm::ArrayRef<mx::CopyRowOp> rows, mlir::Value fullBarrier,
                    Pipeline &pipeline);

/// TileSchedule.cpp: the body of `op` at the place of `v`, for the tile with those fields (mx.tile_fields).
void emitTile(const ValueBuilder &v, mx::TilesOp op, llvm::ArrayRef<mlir::Value> fields);

/// HandOut.cpp: mx.hand_out, and tiles by the records that it brings.
void lowerHandOut(mx::HandOutOp op, Pipeline &pipeline);
void walkHandedOut(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline);

/// TilesAhead.cpp: the loop over tiles again, with `fields` and what steps::kIsFetched marks computed a tile
/// ahead.
void fetchAhead(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> fields);

/// TileSchedule.cpp: the cluster's number and how many there are.
std::pair<mlir::Value, mlir::Value> clusterInGrid(const ValueBuilder &v, Pipeline &pipeline);

// GroupTiles.cpp: the tiles of #mx.group_schedule.
void walkGroups(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline);

/// What carries an accumulator of warpgroups has the registers' type from here on.
void convertAccumulators(mlir::Operation *function);

} // namespace mxc
