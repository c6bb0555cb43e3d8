#include "compiler/lowering/product/warps/WarpPlan.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/product/ProductMachine.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kMultiplyWarps = 4, kWarpRows = 16, kColumnWarps = 2;

WarpPlan::WarpPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile)
    : ClusterTilePlan(op, tile, kMultiplyWarps, kWarpRows, kColumnWarps), step(productStep(op)) {
  operands = codeRing(*this, step);
  placeStaging(ResultFragment::WarpgroupPairs);
  placeRings(shared, {operands});
}

std::string WarpPlan::refusal(const Target &target) const {
  auto has = [&](StringRef member, auto found, StringRef taken) {
    return llvm::formatv("has {0} = {1}, {2} takes {3}", member, found, target.name, taken).str();
  };
  if (std::string why = instructionRefusal(target); !why.empty()) return why;
  if (tile.getM() != kCtaRows) return has("m", tile.getM(), "128");
  if (ctas() != 1) return has("ctas", ctas(), "1");
  if (tile.getN() != kLeastColumns && tile.getN() != 128)
    return has("n", tile.getN(), "64 and 128"); // sums in registers
  if (parts > 1 && tile.getN() != 128)          // a warp has whole blocks of the results, in each part
    return has("n", tile.getN(), "128 for two parts");
  if (std::string why = gatherRefusal(target); !why.empty()) return why;
  if (hasQueue()) return has("scheduler", takesOver() ? "clc" : "counter", "static");
  if (tile.getSlices() > 1) return has("slices", tile.getSlices(), "1");
  if (tile.getA() != mx::LeftOperand::Copied) return has("a", stringifyEnum(tile.getA()), "copied");
  return sharedRefusal(target);
}

SmallVector<std::string> WarpPlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions = ClusterTilePlan::conditions(op);
  if (loadsBoxes()) llvm::append_range(conditions, codeConditions(step));
  return conditions;
}

EntryPlan WarpPlan::entry(mx::ProductOpInterface op, const KernelSignature &signature) const {
  EntryPlan entry;
  if (loadsBoxes()) entry.maps = codeMaps(op, signature, *this, step);
  if (storesBoxes())
    for (TensorMapRecipe &map : resultMaps(op, signature, storeRows)) {
      map.box.front() = boxColumns(); // of a warp with 32 columns half of what the swizzle spans
      entry.maps.push_back(std::move(map));
    }
  entry.shared = shared;
  for (const TensorMapRecipe &map : entry.maps)
    entry.variant.alignments.push_back({map.argument, mapAlignment(map.type)});
  alignQuantized(op, signature, entry.variant);
  alignInputPairs(op, signature, entry.variant);
  fillVariant(entry.variant, ProductExtents(op, signature).tiles(tile.getM(), columns()), warps());
  return entry;
}

void WarpPlan::emit(mx::ProductOpInterface op, const KernelSignature &signature,
                    EntryFunction &function) const {
  ValueBuilder v = function.values();
  // By its shared memory a CTA is alone on a multiprocessor: no registers need be saved for others.
  function.operation()->setAttr("nvvm.minctasm", v.b.getI32IntegerAttr(1));
  mx::PipelineOp::create(v.b, v.loc, /*within=*/Value(), warps(), /*tensor_columns=*/0, /*allocating_warp=*/0,
                         /*pair=*/false, /*sharing=*/false, /*splits=*/1, ArrayRef<int32_t>());
  Value ring = createRing(v, operands);
  Value stagingMemory = staging(v), turningMemory = turning(v);
  ProductEntry e(op, signature, function);
  ProductTiles walked = tiles(e, mx::StaticScheduleAttr::get(op.getContext(), tile.getSupergroup(), 1));
  walked.stepK = step.elements;
  WarpEntry entry{e, *this, walked, ring, sink(e, ResultFragment::WarpgroupPairs)};
  entry.results.staging = stagingMemory, entry.results.turning = turningMemory;
  emitMultiplyOnWarps(entry);
  emitLoads({e, *this, walked, step, ring, v.ceilDivu(e.k, step.elements), /*firstWarp=*/storeWarps});
}

namespace {
class WarpMachine : public ProductMachine {
public:
  bool takes(Attribute tile) const override { return isa<mx::MatmulTileAttr>(tile); }
  void declare(mx::ProductOpInterface, KernelSignature &) const override {} // no workspaces
  std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, Attribute tile,
                                    const Target &) const override {
    return std::make_unique<WarpPlan>(op, cast<mx::MatmulTileAttr>(tile));
  }
};
} // namespace

const ProductMachine *warpMachine() {
  static const WarpMachine machine;
  return &machine;
}

} // namespace mxc
