#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/product/ProductMachine.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kScaleBytes = 4;
static constexpr int kLineBytes = 128; // where a copy's destination begins

bool isBlockwise(BlockFormat format) {
  return info(format).scale == ScaleFormat::F32 && info(format).blockColumns == kStepK;
}

// A warpgroup has 64 rows at a time: one has 64 or fewer, three have 192, two 128 or fewer, or twice 128.
static int warpsThatMultiply(mx::MatmulTileAttr tile) {
  const int rows = int(tile.getM()) / (tile.getShare() == mx::SharedOperand::A ? 1 : int(tile.getCtas()));
  return rows <= 64 ? 4 : rows == 192 ? 12 : 8;
}

BlockwisePlan::BlockwisePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile)
    : ClusterTilePlan(op, tile, warpsThatMultiply(tile), /*storeRows=*/16),
      hasScaleRowsB(info(op.getFormatB()).blockRows == 1), hasGroupsOfK(op.isRaggedK()),
      hasGroups(op.hasGroups() || op.isRaggedK()) {
  operands = {"operands",
              int(tile.getStages()),
              {ctaRows() * kStepBytes, ctaColumns() * kStepBytes, ctaRows() * kScaleBytes}};
  if (hasScaleRowsB) operands.parts.push_back(ctaColumns() * kScaleBytes);
  for (int64_t &bytes : operands.parts)
    bytes *= blocks();
  placeStaging(ResultFragment::WarpgroupPairs);
  queue = queueOfRecords(/*ahead=*/1);
  placeRingsAndQueue({operands});
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

// Scales of rows lie MN-major: lines of rows, one a block of K.
static TensorMapRecipe scaleLinesMap(Value scales, const KernelSignature &signature, const ProductExtents &at,
                                     const ShapeExpression &rows, uint32_t boxRows, uint32_t boxBlocks) {
  ShapeExpression padded = 4 * ceilDiv(rows, 4), blocks = ceilDiv(at.k, kStepK);
  SmallVector<MapDimension> dimensions = {{padded, {}, boxRows}, {blocks, kScaleBytes * padded, boxBlocks}};
  if (at.isBatched) dimensions.push_back({at.batches, kScaleBytes * padded * blocks, 1});
  return tensorMapRecipe(signature.argument(scales).name, TensorMapType::F32, TensorMapSwizzle::None,
                         dimensions);
}

EntryPlan BlockwisePlan::entry(mx::ProductOpInterface op, const KernelSignature &signature) const {
  const ProductExtents at(op, signature);
  EntryPlan entry;
  entry.shared = shared;
  AbiVariant &variant = entry.variant;
  if (loadsBoxes()) {
    entry.maps = {matrixMap(op.getB(), signature, at.ofB(), at.n, at.k, columnsB())};
    if (!gathersRows) {
      entry.maps.insert(entry.maps.begin(), rowsMap(op.getA(), signature, at, at.k, rowsA()));
      entry.maps.push_back(
          scaleLinesMap(op.getScalesA(), signature, at, at.scaleRowsA(), rowsOfScalesA(), blocks()));
    }
    if (hasScaleRowsB)
      entry.maps.push_back(scaleLinesMap(op.getScalesB(), signature, at.ofB(), at.n, columnsB(), blocks()));
    for (Value operand : {op.getA(), op.getB()})
      variant.alignments.push_back({signature.argument(operand).name, 16});
  }
  if (storesBoxes())
    for (TensorMapRecipe &map : resultMaps(op, signature, storeRows)) {
      variant.alignments.push_back({map.argument, 16});
      map.box.front() = boxColumns(); // of 96 columns of 2 bytes half of what the swizzle spans
      entry.maps.push_back(std::move(map));
    }
  alignInputPairs(op, signature, variant);
  fillVariant(variant, at.tiles(tile.getM(), tile.getN()), storeWarps + 4);
  return entry;
}

// While the barriers are made, not one after the other at the first copies.
static void prefetchMaps(mx::ProductOpInterface op, const KernelSignature &signature,
                         EntryFunction &function) {
  ValueBuilder v = function.values();
  ifThen(v, v.equal(nvvm::threadIdX(v), v.i32(0)), [&] {
    for (Value operand : {op.getA(), op.getB(), op.getScalesA()})
      if (operand == op.getB() || !op.getGather())
        nvvm::prefetchMap(v, function.map(signature.argument(operand).name, 0));
  });
}

void BlockwisePlan::emit(mx::ProductOpInterface op, const KernelSignature &signature,
                         EntryFunction &function) const {
  ValueBuilder v = function.values();
  // Warpgroups with sums and products, one that loads: together what a launch of all warps has.
  static constexpr int32_t kTwo[] = {232, 232, 40}, kTwoByElements[] = {208, 208, 88},
                           kThree[] = {160, 160, 160, 32}, kThreeByElements[] = {136, 136, 136, 104};
  const bool areTwo = storeWarps == 8;
  ArrayRef<int32_t> registers = loadsBoxes()
                                    ? (areTwo ? ArrayRef(kTwo) : ArrayRef(kThree))
                                    : (areTwo ? ArrayRef(kTwoByElements) : ArrayRef(kThreeByElements));
  constexpr int kOthers = 60; // registers of a thread beside sums and products
  if (accumulatorRegisters() + kOthers <= registersAtLaunch()) registers = {};
  if (loadsBoxes() && isSmall()) prefetchMaps(op, signature, function);
  mx::PipelineOp::create(v.b, v.loc, /*within=*/Value(), storeWarps + 4, /*tensor_columns=*/0,
                         /*allocating_warp=*/0, /*pair=*/false, /*sharing=*/ctas() == 2, /*splits=*/1,
                         registers);
  Value operandRing = createRing(v, operands), queueRing = handsOut() ? createRing(v, queue) : Value(),
        stagingMemory = staging(v);
  ProductEntry e(op, signature, function);
  ProductTiles walked = tiles(e, mx::StaticScheduleAttr::get(op.getContext(), tile.getSupergroup(), 1));
  walked.queue = queueRing;
  BlockwiseEntry entry{e, *this, walked, operandRing, sink(e, ResultFragment::WarpgroupPairs)};
  entry.results.staging = stagingMemory;
  emitMultiplyAndPromote(entry);
  loadsBoxes() ? emitLoadBlocks(entry) : emitLoadBlocksByElements(entry);
  if (handsOut()) emitHandOut(e, walked, scheduleWarp());
}

namespace {
class BlockwiseMachine : public ProductMachine {
public:
  bool takes(Attribute tile) const override { return isa<mx::MatmulTileAttr>(tile); }
  void declare(mx::ProductOpInterface, KernelSignature &) const override {}
  std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, Attribute tile,
                                    const Target &) const override {
    return std::make_unique<BlockwisePlan>(op, cast<mx::MatmulTileAttr>(tile));
  }
};
} // namespace

const ProductMachine *blockwiseMachine() {
  static const BlockwiseMachine machine;
  return &machine;
}

} // namespace mxc
