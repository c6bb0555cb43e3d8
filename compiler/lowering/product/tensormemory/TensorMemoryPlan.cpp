#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/ClusterLaunch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/ProductMachine.h"
#include "compiler/lowering/product/plan/CodeLoads.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/product/results/SliceSums.h"
#include "compiler/lowering/product/tensormemory/WideStep.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace mxc {

// The load role is up to two accumulators and a ring before the store role. Answers of cluster launch control
// are under way for a while: one record more.
static constexpr int kRecordsAhead = 2, kRecordsAheadOfAnswers = 3;
static constexpr int kStoreWarps = 4;       // a quarter of the lanes each
static constexpr int kScaleTileColumns = 4; // of tensor memory

// Two accumulators where they fit beside the scales of every stage; else they overlap by what is missing, in
// whole boxes of the narrowest kind, and the boxes that overlap are read first.
static RingShape accumulatorsBeside(const RingShape &scales, int n, int tensorColumns) {
  constexpr int kGranule = 32;
  int room = tensorColumns - scales.allColumns();
  int overlap = std::max(0, 2 * n - room);
  return {"accumulators", 2, {}, n, int(llvm::alignTo(overlap, kGranule))};
}

int TensorMemoryPlan::scaleColumnsA() const { return kScaleTileColumns * step.scaleTiles(); }

TensorMemoryPlan::TensorMemoryPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &target)
    : ClusterTilePlan(op, tile, kStoreWarps, /*storeRows=*/32), step(productStep(op)),
      ordersInShared(op.isRaggedK() && takesOver()) {
  if (isWide()) {
    loadWarps = 2; // of operands and of scales
    operands = wideOperandRing(*this), scales = wideScaleRing(*this);
  } else {
    loadWarps = codeLoadWarps(*this);
    operands = codeRing(*this, step);
    operands.columns = scaleColumnsA() * (1 + scaleTilesB(*this));
  }
  queue = queueOfRecords(takesOver() ? kRecordsAheadOfAnswers : kRecordsAhead);
  answers = {"answers", takesOver() ? 1 : 0, {nvvm::kAnswerBytes}};
  answers.once = true;
  accumulators = accumulatorsBeside(scaleRing(), tile.getN(), target.tensorColumns);
  tensorColumns = std::max<int>(32, llvm::PowerOf2Ceil(scaleRing().allColumns() + accumulators.allColumns()));
  placeStaging(ResultFragment::Row);
  if (ordersInShared) shared.add("group order", kOrderBytes * kMostOrderedGroups, kOrderBytes);
  SmallVector<RingShape> rings = {operands};
  if (isWide()) rings.push_back(scales);
  rings.push_back(accumulators);
  if (takesOver()) rings.push_back(answers);
  placeRingsAndQueue(rings);
  placeTensorAddress(shared);
}

PipeTile TensorMemoryPlan::pipeTile() const {
  PipeTile pipe = {.m = int(tile.getM()),
                   .n = int(tile.getN()),
                   .parts = parts,
                   .ctas = ctas(),
                   .slices = int(tile.getSlices()),
                   .supergroup = int(tile.getSupergroup()),
                   .rows = kCtaRows,
                   .columnsB = columnsB(),
                   .stepK = stepK(),
                   .elementBytes = elementBytes,
                   .bitsA = info(step.a).bits(),
                   .bitsB = info(step.b).bits(),
                   .stepBytes = step.copiedBytes(step.a, kCtaRows) + step.copiedBytes(step.b, columnsB())};
  if (isWide()) {
    const int64_t scaleBytes = scales.parts[0] + scales.parts[1];
    pipe.instructions = mx::WideMmaOp::kInstructions, pipe.instructionBytes = mx::WideMmaOp::kBytes;
    pipe.copies = mx::WideMmaOp::kStages;
    pipe.bytesInFlight = operands.stages * pipe.stepBytes + scales.stages * scaleBytes;
    pipe.stepBytes = pipe.copies * pipe.stepBytes + wideScaleStages(step) * scaleBytes;
  } else {
    pipe.stepBytes += operands.parts[kPartScalesA] + operands.parts[kPartScalesB];
    pipe.bytesInFlight = operands.stages * pipe.stepBytes;
  }
  if (accumulators.overlap) pipe.overlapColumns = int(llvm::alignTo(accumulators.overlap, boxColumns()));
  return pipe;
}

std::string TensorMemoryPlan::refusal(const Target &target) const {
  if (std::string why = rowsRefusal(target); !why.empty()) return why;
  if (std::string why = gatherRefusal(target); !why.empty()) return why;
  if (std::string why = instructionRefusal(target); !why.empty()) return why;
  if (tile.getA() != mx::LeftOperand::Copied)
    return llvm::formatv("has a = {0}, which is for operands that become bf16", stringifyEnum(tile.getA()));
  if (isWide() && step.kind == mx::BlockMmaKind::Mxf8f6f4)
    return "has mma_k = 96, which is for two operands of 4 bits";
  if (parts > 1 && columns() % kScaleTileRows)
    return llvm::formatv("has n = {0}, {1} takes 256 for two parts: tiles of their scales have {2} rows",
                         tile.getN(), target.name, kScaleTileRows)
        .str();
  if (std::string why = sharedRefusal(target); !why.empty()) return why;
  // Overlapping columns are one part's: the first accumulator's last ones, the second's first.
  const int mostOverlap = parts == 1 ? accumulators.columns - 1 : columns();
  if (tensorColumns > target.tensorColumns || accumulators.overlap > mostOverlap)
    return llvm::formatv(
               "needs {0} columns of tensor memory (scales {1} x {2} + accumulators {3}), {4} has {5}",
               scaleRing().allColumns() + accumulators.allColumns(), scaleRing().stages, scaleRing().columns,
               accumulators.allColumns(), target.name, target.tensorColumns)
        .str();
  return "";
}

SmallVector<std::string> TensorMemoryPlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions = ClusterTilePlan::conditions(op);
  if (int slices = tile.getSlices(); slices > 1) // none is empty
    conditions.push_back(llvm::formatv("K > {0}", stepK() * (slices - 1)));
  if (loadsBoxes()) llvm::append_range(conditions, codeConditions(step));
  if (ordersInShared) conditions.push_back(llvm::formatv("G <= {0}", kMostOrderedGroups));
  return conditions;
}

EntryPlan TensorMemoryPlan::entry(mx::ProductOpInterface op, const KernelSignature &signature) const {
  const ProductExtents extents(op, signature);
  EntryPlan entry;
  if (loadsBoxes())
    entry.maps = isWide() ? wideMaps(op, signature, *this, step) : codeMaps(op, signature, *this, step);
  if (storesBoxes()) llvm::append_range(entry.maps, resultMaps(op, signature, storeRows));
  entry.shared = shared;
  if (tile.getSlices() > 1) entry.workspaces = {kParts.str(), kArrivals.str()};
  AbiVariant &variant = entry.variant;
  for (const TensorMapRecipe &map : entry.maps)
    variant.alignments.push_back({map.argument, mapAlignment(map.type)});
  if (storesBoxes()) // their rows are loaded by pieces of 16 bytes
    for (Value input : op.getWith())
      if (cast<MemRefType>(input.getType()).getShape().back() != 1)
        variant.alignments.push_back({signature.argument(input).name, 16});
  alignQuantized(op, signature, variant);
  ShapeExpression pieces = extents.tiles(tile.getM(), columns()) * tile.getSlices();
  fillVariant(variant, pieces, warps());
  if (takesOver()) variant.grid[0] = ctas() * pieces;
  variant.tensorColumns = tensorColumns;
  for (const RingShape *ring : {&accumulators, &scaleRing()}) { // as Pipeline::layOut
    uint32_t offset = variant.tensorRegions.empty() ? 0 : variant.tensorRegions.back().size;
    variant.tensorRegions.push_back({ring->name, offset, uint32_t(ring->allColumns()), uint32_t(ring->stages),
                                     uint32_t(ring->columnPitch())});
  }
  return entry;
}

void TensorMemoryPlan::emit(mx::ProductOpInterface op, const KernelSignature &signature,
                            EntryFunction &function) const {
  ValueBuilder v = function.values();
  bool isPair = ctas() == 2;
  mx::PipelineOp::create(v.b, v.loc, /*within=*/Value(), warps(), tensorColumns, /*allocating_warp=*/4,
                         isPair,
                         /*sharing=*/false, /*splits=*/1, ArrayRef<int32_t>());
  Value operandRing = createRing(v, operands);
  Value ringOfScales = isWide() ? createRing(v, scales) : Value();
  Value accumulatorRing = createRing(v, accumulators);
  Value answerRing = takesOver() ? createRing(v, answers) : Value();
  Value queueRing = hasQueue() ? createRing(v, queue) : Value();
  Value stagingMemory = staging(v), turningMemory = turning(v), orders;
  if (ordersInShared)
    orders = mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), "group order",
                                  kOrderBytes * kMostOrderedGroups, kOrderBytes);
  ProductEntry e(op, signature, function, orders);
  ProductTiles walked =
      tiles(e, mx::StaticScheduleAttr::get(op.getContext(), tile.getSupergroup(), tile.getSlices()));
  walked.queue = queueRing, walked.answers = answerRing;
  walked.stepK = stepK();
  TensorMemoryEntry entry{{e, *this, walked, operandRing, sink(e, ResultFragment::Row)},
                          ringOfScales,
                          accumulatorRing,
                          v.ceilDivu(e.k, stepK())};
  entry.results.staging = stagingMemory, entry.results.turning = turningMemory;
  if (isWide()) {
    emitWideLoads(entry);
    emitWideMultiply(entry);
  } else {
    emitLoads({e, *this, walked, step, operandRing, entry.steps, firstLoadWarp()});
    emitMultiply(entry);
  }
  emitStore(entry);
  if (hasQueue()) emitHandOut(e, walked, scheduleWarp());
}

namespace {
class TensorMemoryMachine : public ProductMachine {
public:
  bool takes(Attribute tile) const override { return isa<mx::MatmulTileAttr>(tile); }
  void declare(mx::ProductOpInterface op, KernelSignature &signature) const override {
    addSliceSums(op, signature, kStoreWarps);
  }
  std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, Attribute tile,
                                    const Target &target) const override {
    return std::make_unique<TensorMemoryPlan>(op, cast<mx::MatmulTileAttr>(tile), target);
  }
};
} // namespace

const ProductMachine *tensorMemoryMachine() {
  static const TensorMemoryMachine machine;
  return &machine;
}

} // namespace mxc
