#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/ClusterLaunch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/plan/CodeBoxes.h"
#include "compiler/lowering/product/plan/LoadRole.h"
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
static constexpr StringLiteral kOrders = "group order";

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
    : ClusterTilePlan(op, tile, ResultFragment::Row, kStoreWarps, /*storeRows=*/32), step(productStep(op)),
      ordersInShared(op.isRaggedK() && takesOver()) {
  if (isWide()) {
    loadWarps = 2; // of operands and of scales
    operands = wideOperandRing(op, *this), scales = wideScaleRing(op, *this);
  } else {
    loadWarps = mxc::loadWarps(*this);
    operands = codeRing(op, *this, step);
    operands.columns = scaleColumnsA() * (1 + scaleTilesB(*this));
  }
  queue = queueOfRecords(takesOver() ? kRecordsAheadOfAnswers : kRecordsAhead);
  answers = {"answers", takesOver() ? 1 : 0, {nvvm::kAnswerBytes}};
  answers.once = true;
  accumulators = accumulatorsBeside(scaleRing(), tile.getN(), target.tensorColumns);
  tensorColumns = std::max<int>(32, llvm::PowerOf2Ceil(scaleRing().allColumns() + accumulators.allColumns()));
  placeStaging();
  if (ordersInShared) shared.add(kOrders, kOrderBytes * kMostOrderedGroups, kOrderBytes);
  placeRings(shared, TensorMemoryPlan::rings());
  placeTensorAddress(shared);
}

void TensorMemoryPlan::declare(mx::ProductOpInterface op, KernelSignature &signature) {
  addSliceSums(op, signature, kStoreWarps);
}

SmallVector<RingShape> TensorMemoryPlan::rings() const {
  SmallVector<RingShape> rings = {operands};
  if (isWide()) rings.push_back(scales);
  rings.push_back(accumulators);
  if (takesOver()) rings.push_back(answers);
  if (hasQueue()) rings.push_back(queue);
  return rings;
}

SmallVector<OperandBox> TensorMemoryPlan::operandBoxes() const {
  SmallVector<OperandBox> boxes = ClusterTilePlan::operandBoxes();
  llvm::append_range(boxes, scales.boxes);
  return boxes;
}

PipeTile TensorMemoryPlan::pipeTile() const {
  PipeTile pipe = {.m = int(tile.getM()),
                   .n = int(tile.getN()),
                   .parts = matrices,
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
    const int64_t scaleBytes = scales.regions[0] + scales.regions[1];
    pipe.instructions = mx::WideMmaOp::kInstructions, pipe.instructionBytes = mx::WideMmaOp::kBytes;
    pipe.copies = mx::WideMmaOp::kStages;
    pipe.bytesInFlight = operands.stages * pipe.stepBytes + scales.stages * scaleBytes;
    pipe.stepBytes = pipe.copies * pipe.stepBytes + wideScaleStages(step) * scaleBytes;
  } else {
    pipe.stepBytes += operands.regions[kRegionScalesA] + operands.regions[kRegionScalesB];
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
  if (matrices > 1 && columns() % kScaleTileRows)
    return llvm::formatv("has n = {0}, {1} takes 256 for two parts: tiles of their scales have {2} rows",
                         tile.getN(), target.name, kScaleTileRows)
        .str();
  if (std::string why = sharedRefusal(target); !why.empty()) return why;
  // Overlapping columns are one matrix's: the first accumulator's last ones, the second's first.
  const int mostOverlap = matrices == 1 ? accumulators.columns - 1 : columns();
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

void TensorMemoryPlan::finish(mx::ProductOpInterface, const KernelSignature &, EntryPlan &entry) const {
  AbiVariant &variant = entry.variant;
  variant.tensorColumns = tensorColumns;
  for (const RingShape *ring : {&accumulators, &scaleRing()}) { // as Pipeline::layOut
    uint32_t offset = variant.tensorRegions.empty() ? 0 : variant.tensorRegions.back().size;
    variant.tensorRegions.push_back({ring->name, offset, uint32_t(ring->allColumns()), uint32_t(ring->stages),
                                     uint32_t(ring->columnPitch())});
  }
}

Value TensorMemoryPlan::orders(const ValueBuilder &v) const {
  if (!ordersInShared) return {};
  return mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), kOrders,
                              kOrderBytes * kMostOrderedGroups, kOrderBytes);
}

PipelineShape TensorMemoryPlan::pipeline() const {
  return {.warps = scheduleWarp() + (hasQueue() ? 1 : 0),
          .tensorColumns = tensorColumns,
          .allocatingWarp = 4,
          .isPair = ctas() == 2};
}

TensorMemoryEntry::TensorMemoryEntry(const TileEntry &e, const TensorMemoryPlan &plan)
    : MachineEntry(e, plan), steps(e.function.values().ceilDivu(e.k, plan.stepK())) {}

void TensorMemoryPlan::emitRoles(const TileEntry &e) const {
  const TensorMemoryEntry entry(e, *this);
  if (isWide()) {
    emitLoad(e, {.firstWarp = firstLoadWarp(),
                 .ring = operands,
                 .stepK = kWideStepK,
                 .stages = mx::WideMmaOp::kStages});
    emitLoad(e, {.name = "load scales",
                 .firstWarp = firstLoadWarp() + 1,
                 .ring = scales,
                 .stepK = kWideStepK,
                 .stages = wideScaleStages(step)});
    emitWideMultiply(entry);
  } else {
    emitLoad(e,
             {.firstWarp = firstLoadWarp(), .ring = operands, .stepK = step.elements, .steps = entry.steps});
    emitMultiply(entry);
  }
  emitStore(entry);
}

} // namespace mxc
