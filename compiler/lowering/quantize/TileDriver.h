// The entry points of an op with #mx.quantize_tile tiles: one a tile that its shapes allow.
#pragma once

#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/TileTable.h"
#include "compiler/lowering/quantize/TilePosition.h"

#include <functional>

namespace mxc {

/// What an op says of one of its tiles.
struct TilePlan {
  std::vector<AbiAlignment> alignments;
  llvm::SmallVector<TensorMapRecipe> maps;
  SharedLayout shared;
  int rowsApart = 32;                  // of a warp
  bool keepsResidency = false;         // no more threads are resident than its bytes under way need
  uint32_t mostResidentThreads = 1024; // of a multiprocessor: of more, a lane's steps have too few registers
  // Where rows do not follow from the grid alone:
  std::string tileRows = {};                                             // the grid's blocks of 128 rows
  std::function<mlir::Value(EntryFunction &, CtaPosition &)> place = {}; // moves to its rows; i1: has any
  std::function<void(EntryFunction &, const TilePosition &)> body;       // for lanes of CTAs that have work
};

/// The whole blocks side by side in a row that a lane of the tile has; 1: also where lanes share a block.
int blocksPerLane(mx::QuantizeTileAttr tile, const BlockFormatInfo &format);

/// Reports a tile whose lanes cannot share the format's blocks, or whose warps cannot store their scales in
/// `layout`. A lane has `mostBlocks` of them at most.
mlir::LogicalResult requireTile(mlir::Operation *op, mx::QuantizeTileAttr tile, const BlockFormatInfo &format,
                                ScaleLayout layout, int mostBlocks = 1);
/// Those of a chip's table that can, and whose lanes have no more than 16 bytes of a row's codes.
Tiles tilesThatFit(mlir::Operation *op, std::span<const std::string_view> table,
                   const BlockFormatInfo &format, ScaleLayout layout, int mostBlocks = 1);

/// Plans and emits every tile whose condition can hold. Failure after an error at `op`.
mlir::LogicalResult
emitTiles(mlir::Operation *op, mlir::ArrayAttr tiles, mlir::ModuleOp module, const Target &target,
          KernelSignature &signature, const BlockFormatInfo &format,
          llvm::function_ref<mlir::FailureOr<TilePlan>(mx::QuantizeTileAttr tile)> planTile);

} // namespace mxc
