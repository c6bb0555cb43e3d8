// What tile attributes are made of: named members, each of which may be left out where a tile is written. All
// are printed whether or not they have their defaults, so that a tile's text says all of it and means the
// same where defaults change.
#pragma once

#include "dialect/attributes/EnumWords.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mxc::mx {

/// Of #mx.quantize_tile. `each` calls `visit` with the name and the value of every member, in the order of
/// the text.
struct QuantizeTileMembers {
  TileVariant variant = TileVariant::Direct;
  unsigned warps = 8, rowsPerWarp = 4, laneElements = 8;
  TileAccess access = TileAccess::Vector;
  TileOrder order = TileOrder::Columns;
  mlir::StringAttr when = {};

  template <typename Visit> void each(Visit visit) {
    visit("variant", variant);
    visit("warps", warps);
    visit("rows_per_warp", rowsPerWarp);
    visit("lane_elements", laneElements);
    visit("access", access);
    visit("order", order);
    visit("when", when);
  }
};

/// Of #mx.column_tile.
struct ColumnTileMembers {
  ColumnLoad load = ColumnLoad::Bulk;
  unsigned columns = 128, storeBytes = 16;
  TileOrder order = TileOrder::Rows;
  unsigned clusterRows = 1, clusterColumns = 1, ctasPerSm = 0;
  mlir::StringAttr when = {};

  template <typename Visit> void each(Visit visit) {
    visit("load", load);
    visit("columns", columns);
    visit("store_bytes", storeBytes);
    visit("order", order);
    visit("cluster_rows", clusterRows);
    visit("cluster_columns", clusterColumns);
    visit("ctas_per_sm", ctasPerSm);
    visit("when", when);
  }
};

/// Of #mx.matmul_tile: MatmulTileAttr::get(context, {.n = 256, .slices = 2}).
struct MatmulTileMembers {
  unsigned m = 128, n = 128, stages = 4, ctas = 1, supergroup = 8, buffers = 2;
  OperandLoad load = OperandLoad::Tensor;
  ResultStore store = ResultStore::Tensor;
  unsigned slices = 1;
  TileScheduler scheduler = TileScheduler::Static;
  LeftOperand a = LeftOperand::Copied;
  SharedOperand share = SharedOperand::B;
  InstructionK mmaK = InstructionK::OfKind;
  mlir::StringAttr when = {};

  template <typename Visit> void each(Visit visit) {
    visit("m", m);
    visit("n", n);
    visit("stages", stages);
    visit("ctas", ctas);
    visit("supergroup", supergroup);
    visit("buffers", buffers);
    visit("load", load);
    visit("store", store);
    visit("slices", slices);
    visit("scheduler", scheduler);
    visit("a", a);
    visit("share", share);
    visit("mma_k", mmaK);
    visit("when", when);
  }
};

/// Of #mx.swap_tile.
struct SwapTileMembers {
  unsigned columns = 128, tokens = 16, splits = 2, parts = 1, stages = 8, tokenStages = 4, codeStages = 4,
           ctasPerSm = 0;
  mlir::StringAttr when = {};

  template <typename Visit> void each(Visit visit) {
    visit("columns", columns);
    visit("tokens", tokens);
    visit("splits", splits);
    visit("parts", parts);
    visit("stages", stages);
    visit("token_stages", tokenStages);
    visit("code_stages", codeStages);
    visit("ctas_per_sm", ctasPerSm);
    visit("when", when);
  }
};

/// Of #mx.static_schedule and #mx.clc_schedule.
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
