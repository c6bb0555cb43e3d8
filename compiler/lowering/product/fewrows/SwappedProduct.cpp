#include "compiler/lowering/product/fewrows/SwappedProduct.h"
#include "compiler/lowering/entry/LaunchCondition.h"
#include "compiler/lowering/product/plan/MatmulMaps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

SwappedPlan planSwapped(mx::SwapTileAttr tile) {
  SwappedPlan plan;
  plan.tile = tile;
  int64_t half = int64_t(tile.getTokens()) * 2 * kStepKBf16;
  plan.weights = {"weights", int(tile.getStages()), {kSwappedRows * kStepK, kScaleTileBytes}};
  plan.codes = {"codes", int(tile.getCodeStages()), {int64_t(tile.getTokens()) * kStepK, kScaleTileBytes}};
  plan.tokens = {"tokens", int(tile.getTokenStages()), {half, half}};
  RingLayout ignored;
  for (int part = 0; part < plan.parts(); ++part) {
    placeRing(plan.shared, plan.weights, ignored);
    if (!plan.usesCopies()) placeRing(plan.shared, plan.codes, ignored);
    placeRing(plan.shared, plan.tokens, ignored);
  }
  return plan;
}

static EntryPlan planEntry(mx::MatmulOp op, const KernelSignature &signature, const SwappedPlan &plan) {
  auto text = [&](StringRef dimension) { return signature.extent(dimension).text(); };
  auto name = [&](Value argument) { return signature.argument(argument).name; };
  std::string m = text("M"), n = text("N"), k = text("K"), b = op.isBatched() ? text("B") : "";
  EntryPlan entry;
  entry.shared = plan.shared;
  entry.maps = {matrixMap(name(op.getB()), TensorMapType::U8, 1, k, n, b, kStepK, kSwappedRows),
                scaleMap(name(op.getScalesB()), k, n, b, 256, 1)};
  if (plan.usesCopies()) {
    entry.workspaces = {kRowCopies.str(), kCounts.str()};
    entry.maps.push_back(rowCopyMap(op, signature, plan.tile.getTokens()));
  } else {
    entry.maps.push_back(
        matrixMap(name(op.getA()), TensorMapType::U8, 1, k, m, b, kStepK, plan.tile.getTokens()));
    entry.maps.push_back(scaleMap(name(op.getScalesA()), k, m, b, 256, 1));
  }
  AbiVariant &variant = entry.variant;
  variant.tile = plan.tile.getText();
  for (Value operand : {op.getA(), op.getScalesA(), op.getB(), op.getScalesB()})
    variant.alignments.push_back({name(operand), 16});
  std::string tiles = llvm::formatv("{0} * ceildiv({1}, {2}) * ceildiv({3}, {4})", plan.tile.getSplits(), m,
                                    plan.tile.getTokens(), n, kSwappedRows);
  variant.grid[0] = ShapeExpression(b.empty() ? tiles : tiles + " * " + b);
  variant.grid[1] = variant.grid[2] = ShapeExpression("1");
  variant.cluster[0] = plan.tile.getSplits();
  variant.block[0] = 32 * plan.warps();
  return entry;
}

LogicalResult lowerSwapped(mx::MatmulOp op, mx::SwapTileAttr tile, ModuleOp module, const Target &target,
                           KernelSignature &signature) {
  if (!target.hasWarpgroupMma)
    return op.emitOpError("tile ") << tile << " is not for this target (" << StringRef(target.name) << ")";
  // Its sums are of another order than other tiles'.
  if (op.getReduction() == mx::Reduction::Sequential) return success();
  SwappedPlan plan = planSwapped(tile);
  FailureOr<std::optional<ShapeExpression>> when =
      launchCondition(op, signature, tile, {"K > 0", "K % 16 == 0"});
  if (failed(when)) return failure();
  if (!*when) return success();
  EntryPlan entry = planEntry(op, signature, plan);
  entry.variant.when = **when;
  MatmulPlan results; // rows of any alignment
  results.tile = mx::MatmulTileAttr::get(op.getContext(), {.store = mx::ResultStore::Rows});
  results.onWarpgroups = true;
  results.elementBytes = cast<MemRefType>(op.getOuts().front().getType()).getElementTypeBitWidth() / 8;
  return emitEntry(op, module, target, signature, std::move(entry), [&](EntryFunction &function) {
    MatmulEntry e{op, results, signature, function};
    emitSwapped(e, plan);
  });
}

} // namespace mxc
