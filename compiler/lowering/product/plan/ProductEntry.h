// One entry point of a product under construction: what all roles speak of, and the roles that walk its
// tiles.
#pragma once

#include "compiler/lowering/pipeline/RingShape.h"
#include "compiler/lowering/product/plan/ProductPlan.h"
#include "compiler/lowering/product/results/ResultSink.h"

namespace mxc {

struct ProductEntry {
  mutable mx::ProductOpInterface op; // accessors of operations are not const
  const KernelSignature &signature;
  EntryFunction &function;
  mlir::Value m, n, k, batches; // i32
  mlir::Value rowsA;            // i32, of a: m, but where an index gathers them
  mlir::Value groups, kGroups;  // i32, of rows or of K; null: there are none
  mlir::Value kOrder;           // of groups of K: the CTA's table (GroupOrder.h)
  mlir::IRMapping scalars;      // the kernel's scalar arguments, as the region names them, to the entry's

  /// `orders`: where the CTA makes the table of groups of K, if not in the workspace for it.
  ProductEntry(mx::ProductOpInterface op, const KernelSignature &signature, EntryFunction &function,
               mlir::Value orders = {});

  bool isBatched() const { return op.isBatched(); }
  bool hasGroups() const { return bool(groups); }
  bool hasCompactGroups() const { return hasGroups() && op.getGroupAlignment() == 1; }
  // What a leading dimension of b counts: batches or groups.
  bool gathers() const { return bool(op.getGather()); } // rows of a (RowsByIndex.h)
  bool hasSeveralB() const { return isBatched() || hasGroups(); }
  int64_t parts() const { return op.getPartCount(); }
  /// Number of a matrix of b, all parts of all batches counted; null where there is but one.
  mlir::Value matrixOfB(const ValueBuilder &v, mlir::Value batch, mlir::Value part) const;
  /// Elements (i64) before matrix number `matrix` of an operand.
  mlir::Value elementsBefore(const ValueBuilder &v, mlir::Value operand, mlir::Value matrix) const;
  mlir::Value scaleRowsA(const ValueBuilder &v) const; // i32
  mlir::Value batchesOfB() const { return hasGroups() ? groups : batches; }
  std::string nameOf(mlir::Value argument) const { return signature.argument(argument).name; }
  /// Where the operation's results go; a machine adds how they leave.
  ResultSink sink(ResultFragment fragment) const;
};

/// How the roles of an entry point whose clusters are persistent walk the tiles of c.
struct ProductTiles {
  int m, n, ctas;
  bool sharesA = false; // the CTAs' parts of a tile lie side by side, not above each other
  mlir::Attribute schedule;
  mlir::Value rows, columns; // i32: of tiles
  mlir::Value queue = {};    // the ring that tiles come through, or null
  mlir::Value answers = {};  // the ring of cluster launch control's answers, where it numbers them, or null
  mlir::Value groups = {};   // ends of groups of rows, or the order of groups of K, or null
  int stepK = kStepK;        // elements along K that slices are whole numbers of
};

/// A tile of c while it is worked on: the fields of its record (mx.tile_fields), with the first row of this
/// CTA.
struct TileRecord {
  mlir::Value group, batch, row, column, rows, scaleRow, kBegin, kEnd, slice;
  /// Elements of K by which the tile's steps begin after multiples of a step: groups of K begin at multiples
  /// of kStepK, and some steps are longer. Null: none, here the steps are the product's own.
  mlir::Value phase = {};

  mlir::Value batchOfB(const ProductEntry &e) const { return e.hasGroups() ? group : batch; }

  mlir::Value hasSteps(const ValueBuilder &v) const { // i1
    return v.cmp(ValueBuilder::Predicate::ult, kBegin, kEnd);
  }
  // Steps of `step` elements along K.
  mlir::Value beginStep(const ValueBuilder &v, int step) const { return v.divu(kBegin, step); }
  mlir::Value endStep(const ValueBuilder &v, int step) const {
    return v.ceilDivu(phase ? v.sub(kEnd, phase) : kEnd, step);
  }
  /// Where a step begins, counted in `unit` elements of K, which divide kStepK; `perStep` of them are a step.
  mlir::Value beginOfStep(const ValueBuilder &v, mlir::Value step, int perStep, int unit) const {
    mlir::Value begin = v.mul(step, perStep);
    return phase ? v.add(begin, v.divu(phase, unit)) : begin;
  }
  /// Whether a step of `length` elements has more than its first half, i1; null where all steps have. The
  /// last one of a group of K may not: what follows is another group's.
  mlir::Value hasSecondHalf(const ValueBuilder &v, mlir::Value step, int length) const {
    if (!phase) return {};
    return v.less(v.add(beginOfStep(v, step, length, 1), int64_t(length / 2)), kEnd);
  }
};

/// The workspace for the counter by which tiles are handed out, which tiles with `scheduler = counter` have;
/// an argument of the ABI.
inline constexpr llvm::StringLiteral kTileCounter = "mxc.tile_counter";
void addTileCounter(mx::ProductOpInterface op, KernelSignature &signature);

/// The workspace for the order of groups of K, an argument of the ABI, in which every CTA has a table.
inline constexpr llvm::StringLiteral kGroupOrders = "mxc.group_orders";
void addGroupOrders(mx::ProductOpInterface op, KernelSignature &signature);

/// Whether results of a group without steps stay as they are: nothing is added.
inline bool leavesEmptyGroups(const ProductEntry &e) { return e.kGroups && e.op.getAccumulate(); }

/// The role `name` and its warps. `early`: mx.role says.
void emitPlainRole(const ProductEntry &e, llvm::StringRef name, int firstWarp, int warps, bool leader,
                   llvm::function_ref<void(const ValueBuilder &)> body, bool early = false);
/// The same with the loop over tiles in it, and what comes after that.
void emitRole(
    const ProductEntry &e, const ProductTiles &tiles, llvm::StringRef name, int firstWarp, int warps,
    bool leader, llvm::function_ref<void(const ValueBuilder &, const TileRecord &)> tile,
    llvm::function_ref<void(const ValueBuilder &)> end = [](const ValueBuilder &) {}, bool early = false);
/// The role "schedule" of one warp, which hands tiles out through their queue: by cluster launch control
/// where there is a ring of answers, else by the counter.
void emitHandOut(const ProductEntry &e, const ProductTiles &tiles, int warp);

} // namespace mxc
