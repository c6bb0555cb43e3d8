#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/product/plan/LoadRole.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kScaleBytes = 4;
static constexpr int kLineBytes = 128; // where a copy's destination begins

// A warpgroup has 64 rows at a time: one has 64 or fewer, three have 192, two 128 or fewer, or twice 128.
static int warpsThatMultiply(mx::MatmulTileAttr tile) {
  const int rows = int(tile.getM()) / (tile.getShare() == mx::SharedOperand::A ? 1 : int(tile.getCtas()));
  return rows <= 64 ? 4 : rows == 192 ? 12 : 8;
}

// A box of codes for each 128 elements of K, and of scales a line for each. In a cluster of two CTAs each
// brings half of the rows that they share, and of their scales, to both.
BlockwisePlan::BlockwisePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &)
    : ClusterTilePlan(op, tile, ResultFragment::WarpgroupPairs, warpsThatMultiply(tile), /*storeRows=*/16),
      hasScaleRowsB(info(op.getFormatB()).blockRows == 1), hasGroupsOfK(op.isRaggedK()),
      hasGroups(op.hasGroups() || op.isRaggedK()) {
  const auto owner = [](bool isShared) { return isShared ? BoxOwner::HalfToBoth : BoxOwner::Each; };
  SmallVector<OperandBox> boxes = {{.argument = op.getA(),
                                    .rows = rowsA(),
                                    .step = kStepK * blocks(),
                                    .copies = blocks(),
                                    .owner = owner(sharesA()),
                                    .isGathered = gathersRows},
                                   {.isB = true,
                                    .argument = op.getB(),
                                    .rows = columnsB(),
                                    .step = kStepK * blocks(),
                                    .copies = blocks(),
                                    .owner = owner(sharesB())},
                                   {.argument = op.getScalesA(),
                                    .content = BoxContent::ScaleLines,
                                    .rows = rowsOfScalesA(),
                                    .step = blocks(),
                                    .copies = gathersRows ? blocks() : 1,
                                    .owner = owner(sharesScalesA()),
                                    .isGathered = gathersRows}};
  if (hasScaleRowsB)
    boxes.push_back({.isB = true,
                     .argument = op.getScalesB(),
                     .content = BoxContent::ScaleLines,
                     .rows = columnsB(),
                     .step = blocks(),
                     .owner = owner(sharesB())});
  operands = {"operands", int(tile.getStages()), boxes};
  placeStaging();
  queue = queueOfRecords(/*ahead=*/1);
  placeRings(shared, rings());
}

std::string BlockwisePlan::refusal(const Target &target) const {
  const int accumulators = storeWarps == 12 ? 128 : 192; // registers of a thread, of 160, or 232 and up
  if (std::string why = schedulerRefusal(target); !why.empty()) return why;
  if (handsOut() && !loadsBoxes())
    return "has scheduler = counter with load = element, which leaves no warp to hand tiles out";
  if (std::string why = instructionRefusal(target); !why.empty()) return why;
  if (tile.getSlices() > 1)
    return llvm::formatv("has slices = {0}, {1} takes 1", tile.getSlices(), target.name).str();
  if (tile.getA() != mx::LeftOperand::Copied)
    return llvm::formatv("has a = {0}, which is for operands that become bf16", stringifyEnum(tile.getA()))
        .str();
  if (storesBoxes() && ctaColumns() * elementBytes < kBoxRowBytes)
    return llvm::formatv("has n = {0} a CTA, store = tensor takes {1} and up", ctaColumns(),
                         kBoxRowBytes / elementBytes)
        .str();
  if (!loadsBoxes() && (ctaColumns() < 64 || ctaRows() % 64))
    return "has load = element, which takes m of whole 64 and n of 64 and up";
  if (hasGroupsOfK && blocks() > 1)
    return llvm::formatv("has {0} steps along K a stage (m = {1}, n = {2} a CTA), ragged = k takes 1: groups "
                         "begin at any step",
                         blocks(), ctaRows(), ctaColumns())
        .str();
  if (const int bytes = columnsB() * kScaleBytes * blocks();
      hasScaleRowsB && ctas() == 2 && !sharesA() && bytes % kLineBytes)
    return llvm::formatv(
               "has n = {0} with ctas = 2, whose halves of b have {1} bytes of scales: expected multiples of "
               "{2}, or share = a",
               tile.getN(), bytes, kLineBytes)
        .str();
  if (const int needed = accumulatorRegisters(); needed > accumulators)
    return llvm::formatv("needs {0} registers a thread for the sums and products ({1} x {2}), {3} takes {4}",
                         needed, halves() + blocks(), ctaColumns() / 2, target.name, accumulators)
        .str();
  return sharedRefusal(target);
}

SmallVector<std::string> BlockwisePlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions = ClusterTilePlan::conditions(op);
  if (loadsBoxes()) conditions.push_back("K % 16 == 0"); // rows of batches, too, lie at multiples of 16 bytes
  return conditions;
}

// Maps are prefetched while the barriers are made, not one after the other at the first copies.
void BlockwisePlan::emitBefore(mx::ProductOpInterface op, const KernelSignature &signature,
                               EntryFunction &function) const {
  if (!loadsBoxes() || !isSmall()) return;
  ValueBuilder v = function.values();
  ifThen(v, v.equal(nvvm::threadIdX(v), v.i32(0)), [&] {
    for (Value operand : {op.getA(), op.getB(), op.getScalesA()})
      if (operand == op.getB() || !op.getGather())
        nvvm::prefetchMap(v, function.map(signature.argument(operand).name, 0));
  });
}

// Warpgroups with sums and products, one that loads: together what a launch of all warps has.
ArrayRef<int32_t> BlockwisePlan::registers() const {
  static constexpr int32_t kTwo[] = {232, 232, 40}, kTwoByElements[] = {208, 208, 88},
                           kThree[] = {160, 160, 160, 32}, kThreeByElements[] = {136, 136, 136, 104};
  constexpr int kOthers = 60; // registers of a thread beside sums and products
  if (accumulatorRegisters() + kOthers <= registersAtLaunch()) return {};
  if (storeWarps == 8) return loadsBoxes() ? ArrayRef(kTwo) : ArrayRef(kTwoByElements);
  return loadsBoxes() ? ArrayRef(kThree) : ArrayRef(kThreeByElements);
}

PipelineShape BlockwisePlan::pipeline() const {
  return {.warps = storeWarps + 4, .shares = ctas() == 2, .registers = registers()};
}

// One warp loads both operands, or one each, where b is constant and need not wait for earlier grids.
void BlockwisePlan::emitRoles(const TileEntry &e) const {
  emitMultiplyAndPromote({e, *this});
  LoadRole role = {
      .firstWarp = firstLoadWarp(), .ring = operands, .stepK = kStepK * blocks(), .endsAtGroup = true};
  if (!loadsBoxes() || (!e.op.getConstantB() && !gathersRows)) return emitLoad(e, role);
  role.name = "load a", role.brought = Brought::A;
  emitLoad(e, role);
  role.name = "load b", role.brought = Brought::B, role.isEarly = e.op.getConstantB();
  ++role.firstWarp;
  emitLoad(e, role);
}

} // namespace mxc
