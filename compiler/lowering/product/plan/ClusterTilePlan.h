// What products have in common that #mx.matmul_tile cuts: a ring of operands, results through staging memory,
// and clusters of one or two CTAs that go through the tiles.
#pragma once

#include "compiler/lowering/pipeline/RingShape.h"
#include "compiler/lowering/product/plan/ProductEntry.h"

namespace mxc {

inline constexpr int kCtaRows = 128;     // of c, a CTA
inline constexpr int kBoxRowBytes = 128; // of a result box

// Parts of a stage of the operands' ring.
enum OperandPart : int { kPartA, kPartB, kPartScalesA, kPartScalesB };

class ClusterTilePlan : public ProductPlan {
public:
  mx::MatmulTileAttr tile;
  int elementBytes;          // of c
  int storeWarps, storeRows; // that store, and the rows of c that each has at a time
  RingShape operands;
  int64_t stagingBytes = 0;
  SharedLayout shared;

  int ctas() const { return tile.getCtas(); }
  int columnsB() const { return tile.getN() / ctas(); } // rows of b in this CTA
  int boxColumns() const { return kBoxRowBytes / elementBytes; }
  int boxes() const { return tile.getN() / boxColumns(); }
  bool storesBoxes() const { return tile.getStore() == mx::ResultStore::Tensor; }
  bool loadsBoxes() const { return tile.getLoad() == mx::OperandLoad::Tensor; }
  int buffers() const; // boxes a warp

  llvm::SmallVector<std::string> conditions(mx::ProductOpInterface op) const override;

protected:
  /// `operands` is the machine's; then place().
  ClusterTilePlan(mx::MatmulTileAttr tile, int elementBytes, int storeWarps, int storeRows);
  void placeStaging();

  /// Why the shared memory does not do, or "".
  std::string sharedRefusal(const Target &target) const;
  /// Clusters, block and tile of a variant whose persistent clusters share so many pieces of work.
  void fillVariant(AbiVariant &variant, const ShapeExpression &pieces, int warps) const;
  /// How roles walk the tiles: `schedule` where a launch has one product, else group by group.
  ProductTiles tiles(ProductEntry &e, mlir::Attribute schedule) const;
  ResultSink sink(const ProductEntry &e, ResultFragment fragment) const;
  mlir::Value staging(const ValueBuilder &v) const; // null: there is none
};

} // namespace mxc
