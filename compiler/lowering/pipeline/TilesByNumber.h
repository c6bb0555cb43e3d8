// The tiles of a schedule by their numbers, whoever says which number is next.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "dialect/MxOps.h"

#include <functional>

namespace mxc {

/// What mx.tiles walks and mx.hand_out gives out: their operands.
struct TileCut {
  mlir::Value rows, columns, batches, m, k; // i32
  int64_t tileM, tileN, tileK;
  mx::TileScheduleAttrInterface schedule;
  mlir::Value groups; // or null

  template <class Op> static TileCut of(Op op) {
    return {op.getRows(),     op.getColumns(),        op.getBatches(),        op.getM(),
            op.getK(),        int32_t(op.getTileM()), int32_t(op.getTileN()), int32_t(op.getTileK()),
            op.getSchedule(), op.getGroups()};
  }
};

/// A tile's record as mx.tile_fields has it, i32 each; and its fields' places.
using TileFields = llvm::SmallVector<mlir::Value, 9>;
enum TileField : unsigned {
  kGroup,
  kBatch,
  kRow,
  kColumn,
  kRows,
  kScaleRow,
  kKBegin,
  kKEnd,
  kSlice,
  kTileFields
};

/// Room for a record's words in the queue of mx.hand_out.
inline constexpr int64_t kTileRecordBytes = 32;

/// Tiles of a batch in supergroups of S rows (docs/semantics has no say in it, since order changes no bit).
/// Of tile i: g = i / (S * columns), w = i % (S * columns), height = min(S, rows - g * S): row g * S + w %
/// height, column w / height.
class Supergroups {
public:
  Supergroups(const ValueBuilder &v, mlir::Value rows, mlir::Value columns, int size);
  std::pair<mlir::Value, mlir::Value> tile(const ValueBuilder &v, mlir::Value i) const; // row, column

private:
  mlir::Value groups_; // full ones
  int size_;
  Divisor group_, full_, last_;
};

/// Of #mx.static_schedule and #mx.k_group_schedule: the slices of a tile follow each other,
/// then tiles of a batch in supergroups. Groups of K are batches, longest first.
class NumberedTiles {
public:
  NumberedTiles(const ValueBuilder &v, const TileCut &cut);

  mlir::Value count(const ValueBuilder &v) const;
  TileFields fields(const ValueBuilder &v, mlir::Value number) const;

private:
  mlir::Value beginOf(const ValueBuilder &v, mlir::Value slice) const;

  TileCut cut_;
  int slices_;
  Supergroups supergroups_;
  Divisor batch_;
  bool isBatched_;
  mlir::Value steps_; // of all of K
};

} // namespace mxc
