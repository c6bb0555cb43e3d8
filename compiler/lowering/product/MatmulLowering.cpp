// mx.matmul to tile level: for every tile its plan, then rings and roles.
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/LaunchCondition.h"
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/fewrows/SwappedProduct.h"
#include "compiler/lowering/product/plan/MatmulMaps.h"
#include "compiler/lowering/product/plan/MatmulRoles.h"
#include "compiler/lowering/product/tensormemory/SliceSums.h"
#include "compiler/lowering/product/tensormemory/TileChoices.h"
#include "compiler/lowering/product/warpgroups/OperandCopies.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static mx::RingOp createRing(const ValueBuilder &v, const RingShape &shape) {
  return mx::RingOp::create(v.b, v.loc, mx::RingType::get(v.b.getContext()), v.b.getStringAttr(shape.name),
                            v.b.getI32IntegerAttr(shape.stages), v.b.getDenseI64ArrayAttr(shape.parts),
                            v.b.getI32IntegerAttr(shape.columns), v.b.getI32IntegerAttr(shape.overlap));
}

static void emitTensorMemoryRoles(const MatmulEntry &e) {
  e.plan.loadsBoxes() ? emitLoadByTensorMaps(e) : emitLoadByElements(e);
  emitMultiply(e);
  emitStore(e);
  if (e.queue)
    emitPlainRole(e, "schedule", e.plan.scheduleWarp(), 1, /*leader=*/e.plan.ctas() == 2,
                  [&](const ValueBuilder &v) { mx::TakeOverOp::create(v.b, v.loc, e.queue); });
}

static void emitWarpgroupRoles(const MatmulEntry &e) {
  OperandCopies copies(e, CopyPlan());
  emitMultiplyOnWarpgroups(e);
  emitLoadCopies(e, copies);
  emitDequantizeOperands(e, copies, 9, 3);
}

static void emitPipeline(mx::MatmulOp op, const MatmulPlan &plan, const KernelSignature &signature,
                         EntryFunction &entry) {
  ValueBuilder v = entry.values();
  MatmulEntry e{op, plan, signature, entry};
  bool two = plan.ctas() == 2;
  // Two warpgroups with the accumulators, one that loads: together what a launch of 12 warps has.
  static constexpr int32_t kRegisters[] = {216, 216, 72};
  mx::PipelineOp::create(v.b, v.loc, plan.warps(), plan.tensorColumns, /*allocating_warp=*/4,
                         /*pair=*/two && !plan.onWarpgroups, /*sharing=*/two && plan.onWarpgroups,
                         /*splits=*/1,
                         plan.onWarpgroups ? ArrayRef<int32_t>(kRegisters) : ArrayRef<int32_t>());
  e.operands = createRing(v, plan.operands);
  if (!plan.onWarpgroups) e.accumulators = createRing(v, plan.accumulators);
  if (plan.takesOver()) e.queue = createRing(v, plan.queue);
  if (plan.stagingBytes)
    e.staging = mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), "staging",
                                     plan.stagingBytes, 1024);
  auto extent = [&](StringRef name) { return v.toI32(entry.extent(name)); };
  e.m = extent("M"), e.n = extent("N"), e.k = extent("K");
  e.batches = op.isBatched() ? extent("B") : v.i32(1);
  e.tileRows = v.ceilDivu(e.m, plan.tile.getM()), e.tileColumns = v.ceilDivu(e.n, plan.tile.getN());
  e.steps = v.ceilDivu(e.k, plan.stepK());
  e.scalars = entry.scalars(op->getParentOfType<mx::KernelOp>());
  plan.onWarpgroups ? emitWarpgroupRoles(e) : emitTensorMemoryRoles(e);
}

// What the tile's loads and stores ask of the arguments and dimensions.
static SmallVector<std::string> conditionsOf(const MatmulPlan &plan) {
  SmallVector<std::string> conditions;
  if (plan.loadsBoxes()) conditions = {"K > 0"};
  if (plan.loadsBoxes() && plan.onWarpgroups) conditions.push_back("K % 16 == 0"); // 16 elements a lane
  if (plan.ctas() == 2) conditions.push_back("SMs >= 2");
  if (int slices = plan.tile.getSlices(); slices > 1) // none is empty
    conditions.push_back(llvm::formatv("K > {0}", kStepK * (slices - 1)));
  if (plan.storesBoxes()) conditions.push_back(llvm::formatv("N % {0} == 0", 16 / plan.elementBytes));
  return conditions;
}

static EntryPlan planEntry(mx::MatmulOp op, const KernelSignature &signature, const MatmulPlan &plan) {
  EntryPlan entry;
  entry.maps = matmulMaps(op, signature, plan);
  entry.shared = plan.shared;
  if (plan.onWarpgroups) entry.workspaces = {kCopies.str(), kCounts.str()};
  if (plan.tile.getSlices() > 1) entry.workspaces = {kParts.str(), kArrivals.str()};
  AbiVariant &variant = entry.variant;
  variant.tile = plan.tile.getText();
  for (const TensorMapRecipe &map : entry.maps)
    if (map.argument != kCopies) variant.alignments.push_back({map.argument, 16});
  if (plan.onWarpgroups && plan.loadsBoxes())
    for (Value operand : {op.getA(), op.getB()})
      variant.alignments.push_back({signature.argument(operand).name, 16});
  if (plan.loadsRows())
    for (Value input : op.getWith())
      if (cast<MemRefType>(input.getType()).getShape().back() != 1)
        variant.alignments.push_back({signature.argument(input).name, 16});
  std::string tiles = llvm::formatv("ceildiv({0}, {1}) * ceildiv({2}, {3})", signature.extent("M").text(),
                                    plan.tile.getM(), signature.extent("N").text(), plan.tile.getN());
  if (op.isBatched()) tiles += " * " + signature.extent("B").text();
  if (plan.tile.getSlices() > 1) tiles += llvm::formatv(" * {0}", plan.tile.getSlices());
  // Clusters beyond the tiles' help to make the copies, some two units of 32 x 128 a warp.
  if (plan.onWarpgroups)
    tiles = llvm::formatv("min(64 * {0}, max({0}, ceildiv(({1} + {2}) * ceildiv({3}, 128), {4})))", tiles,
                          signature.extent("M").text(), signature.extent("N").text(),
                          signature.extent("K").text(), 192 * plan.ctas());
  if (plan.takesOver())
    variant.grid[0] = ShapeExpression(std::to_string(plan.ctas()) + " * " + tiles);
  else
    variant.grid[0] =
        ShapeExpression(plan.ctas() == 1 ? "min(" + tiles + ", SMs)" : "2 * min(" + tiles + ", SMs / 2)");
  variant.grid[1] = variant.grid[2] = ShapeExpression("1");
  variant.cluster[0] = plan.ctas();
  variant.block[0] = 32 * plan.warps();
  if (!plan.tensorColumns) return entry;
  variant.tensorColumns = plan.tensorColumns;
  for (const RingShape *ring : {&plan.accumulators, &plan.operands}) { // as Pipeline::layOut
    uint32_t offset = variant.tensorRegions.empty() ? 0 : variant.tensorRegions.back().size;
    variant.tensorRegions.push_back({ring->name, offset, uint32_t(ring->allColumns()), uint32_t(ring->stages),
                                     uint32_t(ring->columnPitch())});
  }
  return entry;
}

// A step along K has a word of scales, which are powers of two.
static LogicalResult requireProduct(mx::MatmulOp op, BlockFormat format, const Target &target) {
  if (failed(requireGenerated(op, format, target))) return failure();
  const BlockFormatInfo &block = info(format);
  if (block.blockColumns == kBlockColumns && info(block.scale).rule == ScaleRule::PowerOfTwo)
    return success();
  return op.emitOpError("block format ") << StringRef(block.name) << ": products are generated for blocks of "
                                         << kBlockColumns << " elements with ue8m0 scales";
}

static LogicalResult lowerMatmul(mx::MatmulOp op, ModuleOp module, const Target &target,
                                 KernelSignature &signature) {
  for (BlockFormat format : {op.getFormatA(), op.getFormatB()})
    if (failed(requireProduct(op, format, target))) return failure();
  if (!target.tensorColumns && !target.hasWarpgroupMma)
    return op.emitOpError("is not yet on this target (") << StringRef(target.name) << ")";
  int elementBytes = cast<MemRefType>(op.getOuts().front().getType()).getElementTypeBitWidth() / 8;
  if (target.hasWarpgroupMma) {
    signature.abi.operation.attributes["operands"] = "bf16"; // P3: what --verify multiplies
    addOperandCopies(op, signature);
  } else {
    addSliceSums(op, signature);
  }
  for (Attribute attribute : op.getTilesAttr()) {
    if (auto swapped = dyn_cast<mx::SwapTileAttr>(attribute)) {
      if (failed(lowerSwapped(op, swapped, module, target, signature))) return failure();
      continue;
    }
    auto tile = dyn_cast<mx::MatmulTileAttr>(attribute);
    if (!tile) return op.emitOpError("tile ") << attribute << " is no #mx.matmul_tile";
    MatmulPlan plan = planMatmul(tile, elementBytes, target);
    if (std::string why = refusal(plan, target); !why.empty())
      return op.emitOpError("tile ") << tile << " " << why;
    FailureOr<std::optional<ShapeExpression>> when = launchCondition(op, signature, tile, conditionsOf(plan));
    if (failed(when)) return failure();
    if (!*when) continue;
    EntryPlan entry = planEntry(op, signature, plan);
    entry.variant.when = **when;
    LogicalResult emitted =
        emitEntry(op, module, target, signature, std::move(entry),
                  [&](EntryFunction &function) { emitPipeline(op, plan, signature, function); });
    if (failed(emitted)) return failure();
  }
  return success();
}

namespace {
struct MatmulLowering : KernelLoweringInterface::ExternalModel<MatmulLowering, mx::MatmulOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerMatmul(cast<mx::MatmulOp>(op), module, target, signature);
  }
  std::vector<std::string> getDefaultTiles(Operation *op, const Target &target) const {
    if (target.tensorRates) return tensorMemoryDefaults(cast<mx::MatmulOp>(op), target);
    return {target.matmulTiles.begin(), target.matmulTiles.end()};
  }
  std::vector<std::string> getCandidateTiles(Operation *op, const Target &target) const {
    std::vector<std::string> tiles;
    for (const TileChoice &choice : getTileChoices(op, target))
      if (choice.refusal.empty()) tiles.push_back(choice.tile);
    return tiles;
  }
  std::vector<TileChoice> getTileChoices(Operation *op, const Target &target) const {
    if (target.tensorRates) return tensorMemoryTiles(cast<mx::MatmulOp>(op), target);
    std::vector<TileChoice> choices;
    for (std::string_view tile : target.matmulCandidates)
      choices.push_back({std::string(tile), "", ""});
    return choices;
  }
};
} // namespace

void registerMatmulLowering(DialectRegistry &registry) {
  attachLowering<mx::MatmulOp, MatmulLowering>(registry);
}

} // namespace mxc
