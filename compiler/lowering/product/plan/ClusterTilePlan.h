// What products have in common that #mx.matmul_tile cuts: a ring of operands, results through staging memory,
// and clusters of one or two CTAs that go through the tiles.
#pragma once

#include "compiler/lowering/pipeline/RingShape.h"
#include "compiler/lowering/product/plan/ProductEntry.h"

#include <numeric>

namespace mxc {

inline constexpr int kCtaRows = 128;     // of c, a CTA, but where a machine takes more
inline constexpr int kLeastColumns = 64; // the same, fewer
inline constexpr int kBoxRowBytes = 128; // of a result box

// Regions of a stage of the operands' ring.
enum OperandRegion : int { kRegionA, kRegionB, kRegionScalesA, kRegionScalesB };

class ClusterTilePlan;

/// What the roles of an entry point share whose clusters go through tiles.
struct TileEntry : ProductEntry {
  const ClusterTilePlan &tilePlan;
  ProductTiles tiles;
  ResultSink results;
  llvm::StringMap<mlir::Value> rings;

  mlir::Value ring(llvm::StringRef name) const { return rings.lookup(name); } // null: there is none
  mlir::Value operands() const { return ring("operands"); }
};
/// The same with the machine's own plan.
template <typename Plan> struct MachineEntry : TileEntry {
  const Plan &plan;
  MachineEntry(const TileEntry &e, const Plan &plan) : TileEntry(e), plan(plan) {}
};

class ClusterTilePlan : public ProductPlan {
public:
  mx::MatmulTileAttr tile;
  int matrices;              // of b, whose products one loop over K makes: they share the tile's rows of b
  bool gathersRows;          // of a, by an index
  int elementBytes;          // of c
  bool hasMatrices;          // among the results
  bool hasColumnCopies;      // the same
  int storeWarps, storeRows; // that store, and the rows of c that each has at a time
  int columnWarps;           // of them, side by side: they part the columns
  ResultFragment fragment;
  OperandRing operands;
  RingShape queue; // through which tiles come, where hasQueue()
  int64_t stagingBytes = 0, turningBytes = 0;

  int ctas() const { return tile.getCtas(); }
  bool sharesA() const { return tile.getShare() == mx::SharedOperand::A; }
  int ctaRows() const { return sharesA() ? tile.getM() : tile.getM() / ctas(); }
  int columns() const { return int(tile.getN()) / matrices; } // of c
  int ctaColumns() const { return sharesA() ? columns() / ctas() : columns(); }
  int rowsA() const { return tile.getM() / ctas(); }    // that this CTA brings of a
  int columnsB() const { return tile.getN() / ctas(); } // and of b, of boxMatrices() in equal numbers
  int boxMatrices() const { return matrices == 1 ? 0 : std::max(1, matrices / ctas()); } // 0: b has one
  int boxColumns() const;
  int rowWarps() const { return storeWarps / columnWarps; } // below each other; warp w is number w % rowWarps
  int halfRows() const { return rowWarps() * storeRows; }   // that are multiplied at a time
  int storeColumns() const { return ctaColumns() / columnWarps; } // of c, a warp
  int halves() const { return std::max(1, ctaRows() / halfRows()); }
  bool hasSpareRows() const { return ctaRows() < halfRows(); } // that warps multiply and nobody has
  int boxes() const { return storeColumns() / boxColumns(); }  // a warp has of a half
  bool takesOver() const { return tile.getScheduler() == mx::TileScheduler::Clc; }
  bool handsOut() const { return tile.getScheduler() == mx::TileScheduler::Counter; }
  bool hasQueue() const { return takesOver() || handsOut(); }
  bool storesBoxes() const { return tile.getStore() == mx::ResultStore::Tensor; }
  bool loadsBoxes() const { return tile.getLoad() == mx::OperandLoad::Tensor; }
  int buffers() const; // boxes a warp

  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  /// `operands` is the machine's; then place().
  ClusterTilePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, ResultFragment fragment, int storeWarps,
                  int storeRows, int columnWarps = 1);
  void placeStaging();

  // What a machine adds to what clusters of any have.
  virtual void emitRoles(const TileEntry &e) const = 0;
  virtual int stepK() const { return kStepK; } // elements along K that slices are whole numbers of
  virtual int scheduleWarp() const { return 0; }
  /// Pieces of work that persistent clusters share.
  virtual ShapeExpression pieces(const ProductExtents &at) const;
  /// The map of a result, as every machine's boxes are.
  virtual void narrow(TensorMapRecipe &map) const { map.box.front() = boxColumns(); }
  virtual void finish(mx::ProductOpInterface, const KernelSignature &, EntryPlan &) const {}
  /// Memory for the order of groups of K, where a machine has it in shared memory; null: in the workspace.
  virtual mlir::Value orders(const ValueBuilder &) const { return {}; }

  void complete(mx::ProductOpInterface op, const KernelSignature &signature, EntryPlan &entry) const final;
  void emitBody(mx::ProductOpInterface op, const KernelSignature &signature, EntryFunction &function,
                llvm::ArrayRef<mlir::Value> rings) const final;
  llvm::SmallVector<RingShape> rings() const override;
  llvm::SmallVector<OperandBox> operandBoxes() const override;

  /// The ring of tiles that a counter hands out, so many of them ahead.
  static RingShape queueOfRecords(int ahead);
  /// Why the machine has no such scheduler, or "".
  std::string schedulerRefusal(const Target &target) const;
  /// Why a machine whose copies take whole boxes of a does not gather rows, or "".
  std::string gatherRefusal(const Target &target) const;
  /// Why the chip has no such instructions, or "".
  std::string instructionRefusal(const Target &target) const;
  /// Why the tile's rows are more than a machine has accumulators for, or "".
  std::string rowsRefusal(const Target &target) const;
  /// Why the shared memory does not do, or "".
  std::string sharedRefusal(const Target &target) const;

private:
  void alignInputs(mx::ProductOpInterface op, const KernelSignature &signature, AbiVariant &variant) const;
  ProductTiles tiles(ProductEntry &e) const;
  ResultSink sink(const ProductEntry &e) const;
};

} // namespace mxc
