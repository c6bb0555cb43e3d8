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

// Parts of a stage of the operands' ring.
enum OperandPart : int { kPartA, kPartB, kPartScalesA, kPartScalesB };

class ClusterTilePlan : public ProductPlan {
public:
  mx::MatmulTileAttr tile;
  int parts;                 // products of one loop over K, which have the tile's rows of b in equal numbers
  bool gathersRows;          // of a, by an index
  int elementBytes;          // of c
  bool hasMatrices;          // among the results
  bool hasColumnCopies;      // the same
  int storeWarps, storeRows; // that store, and the rows of c that each has at a time
  int columnWarps;           // of them, side by side: they part the columns
  RingShape operands;
  RingShape queue; // through which tiles come, where hasQueue()
  int64_t stagingBytes = 0, turningBytes = 0;
  SharedLayout shared;

  int ctas() const { return tile.getCtas(); }
  bool sharesA() const { return tile.getShare() == mx::SharedOperand::A; }
  int ctaRows() const { return sharesA() ? tile.getM() : tile.getM() / ctas(); }
  int columns() const { return int(tile.getN()) / parts; } // of c
  int ctaColumns() const { return sharesA() ? columns() / ctas() : columns(); }
  int rowsA() const { return tile.getM() / ctas(); }    // that this CTA brings of a
  int columnsB() const { return tile.getN() / ctas(); } // and of b: so many parts of so many rows each
  int partsB() const { return std::max(1, parts / ctas()); }
  int rowsOfPartB() const { return columnsB() / partsB(); }
  int boxPartsB() const { return parts == 1 ? 0 : partsB(); } // of a tensor map over b
  /// Where they begin: CTAs that share b bring rows below each other, or a part each.
  struct FirstOfB {
    mlir::Value row, part; // part: null where there is but one
  };
  FirstOfB firstOfB(const ValueBuilder &v, mlir::Value column, mlir::Value rank) const;
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
  ClusterTilePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, int storeWarps, int storeRows,
                  int columnWarps = 1);
  void placeStaging(ResultFragment fragment);

  /// Of tiles that a counter hands out, so many of them ahead.
  static RingShape queueOfRecords(int ahead);
  /// Reserves the memory of rings and, behind them, of the queue.
  void placeRingsAndQueue(llvm::SmallVector<RingShape> rings);
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
  /// Clusters, block and tile of a variant whose persistent clusters share so many pieces of work.
  void fillVariant(AbiVariant &variant, const ShapeExpression &pieces, int warps) const;
  /// Adds what the stores of quantized results ask for.
  void alignQuantized(mx::ProductOpInterface op, const KernelSignature &signature, AbiVariant &variant) const;
  /// And the loads of the epilogue's further inputs, where a lane has pairs of columns.
  void alignInputPairs(mx::ProductOpInterface op, const KernelSignature &signature,
                       AbiVariant &variant) const;
  /// How roles walk the tiles: `schedule` where a launch has one product, else group by group.
  ProductTiles tiles(ProductEntry &e, mlir::Attribute schedule) const;
  ResultSink sink(const ProductEntry &e, ResultFragment fragment) const;
  // Memory of the sink; null: there is none.
  mlir::Value staging(const ValueBuilder &v) const;
  mlir::Value turning(const ValueBuilder &v) const;
};

/// What the roles of an entry point of a machine with such a plan share.
template <typename Plan> struct ClusterTileEntry : ProductEntry {
  const Plan &plan;
  ProductTiles tiles;
  mlir::Value operands; // the ring
  ResultSink results;
};

} // namespace mxc
