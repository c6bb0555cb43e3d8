#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;

namespace mxc {

ClusterTilePlan::ClusterTilePlan(mx::MatmulTileAttr tile, int elementBytes, int storeWarps, int storeRows)
    : tile(tile), elementBytes(elementBytes), storeWarps(storeWarps), storeRows(storeRows) {}

int ClusterTilePlan::buffers() const { return storesBoxes() ? std::gcd(int(tile.getBuffers()), boxes()) : 0; }

void ClusterTilePlan::placeStaging() {
  stagingBytes = storeWarps * buffers() * storeRows * kBoxRowBytes;
  if (stagingBytes) shared.add("staging", stagingBytes, 1024);
}

SmallVector<std::string> ClusterTilePlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions;
  if (loadsBoxes()) conditions.push_back("K > 0");
  if (op.hasGroups() && (loadsBoxes() || storesBoxes()))
    conditions.push_back(llvm::formatv("M <= {0}", kGroupEdge));
  if (ctas() == 2) conditions.push_back("SMs >= 2");
  if (storesBoxes()) conditions.push_back(llvm::formatv("N % {0} == 0", 16 / elementBytes));
  return conditions;
}

std::string ClusterTilePlan::sharedRefusal(const Target &target) const {
  if (shared.bytes() <= target.maxSharedBytes) return "";
  return llvm::formatv("needs {0} bytes of shared memory ({1}), {2} gives a CTA {3}", shared.bytes(),
                       shared.sum(), target.name, target.maxSharedBytes)
      .str();
}

void ClusterTilePlan::fillVariant(AbiVariant &variant, const ShapeExpression &pieces, int warps) const {
  variant.tile = tile.getText();
  variant.grid[0] = ctas() == 1 ? min(pieces, "SMs") : 2 * min(pieces, ShapeExpression("SMs") / 2);
  variant.grid[1] = variant.grid[2] = 1;
  variant.cluster[0] = ctas();
  variant.block[0] = 32 * warps;
}

ProductTiles ClusterTilePlan::tiles(ProductEntry &e, Attribute schedule) const {
  ValueBuilder v = e.function.values();
  if (e.op.isRaggedK())
    schedule = mx::KGroupScheduleAttr::get(schedule.getContext(), tile.getSupergroup(), kStepK);
  if (e.hasGroups())
    schedule = mx::GroupScheduleAttr::get(schedule.getContext(), tile.getSupergroup(),
                                          unsigned(e.op.getGroupAlignment()));
  return {.m = int(tile.getM()),
          .n = int(tile.getN()),
          .ctas = ctas(),
          .schedule = schedule,
          .rows = v.ceilDivu(e.m, tile.getM()),
          .columns = v.ceilDivu(e.n, tile.getN()),
          .ends = e.op.getEnds() ? e.function.pointer(e.nameOf(e.op.getEnds())) : Value()};
}

ResultSink ClusterTilePlan::sink(const ProductEntry &e, ResultFragment fragment) const {
  ResultSink sink = e.sink(fragment);
  sink.store = tile.getStore();
  sink.buffers = buffers();
  return sink;
}

Value ClusterTilePlan::staging(const ValueBuilder &v) const {
  if (!stagingBytes) return {};
  return mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), "staging", stagingBytes,
                              1024);
}

} // namespace mxc
