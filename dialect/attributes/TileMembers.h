// What tile attributes are made of: named members, each of which may be left out where a tile is written. All
// are printed whether or not they have their defaults, so that a tile's text says all of it and means the
// same where defaults change.
//
// A member stands here alone: its C++ type, its field, its accessor, its name in the text, and its default.
#pragma once

#include "dialect/attributes/EnumWords.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/Hashing.h"

#define MXC_QUANTIZE_TILE(member)                                                                            \
  member(TileVariant, variant, Variant, "variant", TileVariant::Direct)                                      \
      member(unsigned, warps, Warps, "warps", 8)                                                             \
          member(unsigned, rowsPerWarp, RowsPerWarp, "rows_per_warp", 4)                                     \
              member(unsigned, laneElements, LaneElements, "lane_elements", 8)                               \
                  member(TileAccess, access, Access, "access", TileAccess::Vector)                           \
                      member(TileOrder, order, Order, "order", TileOrder::Columns)                           \
                          member(mlir::StringAttr, when, When, "when", {})

#define MXC_COLUMN_TILE(member)                                                                              \
  member(ColumnLoad, load, Load, "load", ColumnLoad::Bulk)                                                   \
      member(unsigned, columns, Columns, "columns", 128)                                                     \
          member(unsigned, storeBytes, StoreBytes, "store_bytes", 16)                                        \
              member(TileOrder, order, Order, "order", TileOrder::Rows)                                      \
                  member(unsigned, clusterRows, ClusterRows, "cluster_rows", 1)                              \
                      member(unsigned, clusterColumns, ClusterColumns, "cluster_columns", 1)                 \
                          member(unsigned, ctasPerSm, CtasPerSm, "ctas_per_sm", 0)                           \
                              member(mlir::StringAttr, when, When, "when", {})

#define MXC_MATMUL_TILE(member)                                                                              \
  member(unsigned, m, M, "m", 128) member(unsigned, n, N, "n", 128)                                          \
      member(unsigned, stages, Stages, "stages", 4) member(unsigned, ctas, Ctas, "ctas", 1)                  \
          member(unsigned, supergroup, Supergroup, "supergroup", 8)                                          \
              member(unsigned, buffers, Buffers, "buffers", 2) member(OperandLoad, load, Load, "load",       \
                                                                      OperandLoad::Tensor)                   \
                  member(ResultStore, store, Store, "store", ResultStore::Tensor)                            \
                      member(unsigned, slices, Slices, "slices", 1)                                          \
                          member(TileScheduler, scheduler, Scheduler, "scheduler", TileScheduler::Static)    \
                              member(LeftOperand, a, A, "a", LeftOperand::Copied)                            \
                                  member(SharedOperand, share, Share, "share", SharedOperand::B)             \
                                      member(InstructionK, mmaK, MmaK, "mma_k", InstructionK::OfKind)        \
                                          member(mlir::StringAttr, when, When, "when", {})

#define MXC_SWAP_TILE(member)                                                                                \
  member(unsigned, columns, Columns, "columns", 128) member(unsigned, tokens, Tokens, "tokens", 16)          \
      member(unsigned, splits, Splits, "splits", 2) member(unsigned, parts, Parts, "parts", 1)               \
          member(unsigned, stages, Stages, "stages", 8)                                                      \
              member(unsigned, tokenStages, TokenStages, "token_stages", 4)                                  \
                  member(unsigned, codeStages, CodeStages, "code_stages", 4)                                 \
                      member(unsigned, ctasPerSm, CtasPerSm, "ctas_per_sm", 0)                               \
                          member(mlir::StringAttr, when, When, "when", {})

#define MXC_TILE_FIELD(Type, field, Name, text, value) Type field = value;
#define MXC_TILE_VISIT(Type, field, Name, text, value) visit(text, field);
#define MXC_TILE_HASH(Type, field, Name, text, value) code = hash_combine(code, of.field);
/// The accessor of a tile attribute.
#define MXC_TILE_GETTER(Type, field, Name, text, value)                                                      \
  Type get##Name() const { return getMembers().field; }

/// `each` calls `visit` with the name and the value of every member, in the order of the text. A tile is
/// made of some of them: MatmulTileAttr::get(context, {.n = 256, .slices = 2}).
#define MXC_TILE_MEMBERS(Name, LIST)                                                                         \
  struct Name {                                                                                              \
    LIST(MXC_TILE_FIELD)                                                                                     \
    template <typename Visit> void each(Visit visit) { LIST(MXC_TILE_VISIT) }                                \
    bool operator==(const Name &) const = default;                                                           \
  };                                                                                                         \
  inline llvm::hash_code hash_value(const Name &of) {                                                        \
    using llvm::hash_combine;                                                                                \
    llvm::hash_code code = 0;                                                                                \
    LIST(MXC_TILE_HASH)                                                                                      \
    return code;                                                                                             \
  }

namespace mxc::mx {

MXC_TILE_MEMBERS(QuantizeTileMembers, MXC_QUANTIZE_TILE)
MXC_TILE_MEMBERS(ColumnTileMembers, MXC_COLUMN_TILE)
MXC_TILE_MEMBERS(MatmulTileMembers, MXC_MATMUL_TILE)
MXC_TILE_MEMBERS(SwapTileMembers, MXC_SWAP_TILE)

/// Of #mx.static_schedule.
struct ScheduleMembers {
  unsigned supergroup = 8, slices = 1;

  template <typename Visit> void each(Visit visit) {
    visit("supergroup", supergroup);
    visit("slices", slices);
  }
};

/// Of #mx.group_schedule.
struct GroupScheduleMembers {
  unsigned supergroup = 8, align = 128;

  template <typename Visit> void each(Visit visit) {
    visit("supergroup", supergroup);
    visit("align", align);
  }
};

/// Of #mx.k_group_schedule.
struct KGroupScheduleMembers {
  unsigned supergroup = 8;

  template <typename Visit> void each(Visit visit) { visit("supergroup", supergroup); }
};

} // namespace mxc::mx
