#include "compiler/lowering/product/AdmissibleTile.h"
#include "compiler/lowering/product/ProductMachine.h"

using namespace mlir;

namespace mxc {

PlannedTile admissible(mx::ProductOpInterface op, mx::TileAttrInterface tile, const Target &target) {
  if (std::optional<mx::TileRefusal> refusal = mx::tileRefusal(op, tile))
    return {nullptr, refusal->why.str()};
  for (const ProductMachine *machine : productMachines(target, op.getFormatA()))
    if (machine->takes(tile)) {
      std::unique_ptr<ProductPlan> plan = machine->plan(op, tile, target);
      std::string refusal = plan->refusal(target);
      return {std::move(plan), std::move(refusal)};
    }
  return {nullptr, "is not for this target (" + std::string(target.name) + ")"};
}

std::string whyNotWorthwhile(mx::ProductOpInterface op, mx::TileAttrInterface tile) {
  auto cut = dyn_cast<mx::MatmulTileAttr>(tile);
  if (!op.getEnds() && cut && cut.getScheduler() == mx::TileScheduler::Counter)
    return "has scheduler = counter, and all tiles of a product without groups take as long";
  return "";
}

mx::TileAttrInterface generalTile(MLIRContext *context) {
  return mx::MatmulTileAttr::get(context, mx::MatmulTileMembers()).getFallback();
}

} // namespace mxc
