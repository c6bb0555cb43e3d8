#include "compiler/lowering/product/warps/WarpPlan.h"
#include "compiler/lowering/product/plan/CodeBoxes.h"
#include "compiler/lowering/product/plan/LoadRole.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kMultiplyWarps = 4, kWarpRows = 16, kColumnWarps = 2;

WarpPlan::WarpPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &)
    : ClusterTilePlan(op, tile, ResultFragment::WarpgroupPairs, kMultiplyWarps, kWarpRows, kColumnWarps),
      step(productStep(op)) {
  operands = codeRing(op, *this, step);
  placeStaging();
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
  if (matrices > 1 && tile.getN() != 128)       // a warp has whole blocks of the results, in each part
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

PipelineShape WarpPlan::pipeline() const { return {.warps = storeWarps + loadWarps(*this)}; }

// By its shared memory a CTA is alone on a multiprocessor: no registers need be saved for others.
void WarpPlan::emitBefore(mx::ProductOpInterface, const KernelSignature &, EntryFunction &function) const {
  function.operation()->setAttr("nvvm.minctasm", function.builder().getI32IntegerAttr(1));
}

void WarpPlan::emitRoles(const TileEntry &e) const {
  emitMultiplyOnWarps({e, *this});
  emitLoad(e, {.firstWarp = storeWarps,
               .ring = operands,
               .stepK = stepK(),
               .steps = e.function.values().ceilDivu(e.k, stepK())});
}

} // namespace mxc
