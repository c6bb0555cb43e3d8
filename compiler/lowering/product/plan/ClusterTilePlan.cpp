#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/TilesByNumber.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;

namespace mxc {

ClusterTilePlan::ClusterTilePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, int storeWarps,
                                 int storeRows, int columnWarps)
    : tile(tile), parts(int(op.getPartCount())), gathersRows(bool(op.getGather())),
      elementBytes(bytesOfResult(op)), hasMatrices(!mx::matrixResults(op).empty()),
      hasColumnCopies(llvm::any_of(mx::quantizedResults(op),
                                   [](const auto &copy) { return copy.axis == mx::Axis::Column; })),
      storeWarps(storeWarps), storeRows(storeRows), columnWarps(columnWarps) {}

ClusterTilePlan::FirstOfB ClusterTilePlan::firstOfB(const ValueBuilder &v, Value column, Value rank) const {
  if (parts == 1) return {v.add(column, v.mul(rank, columnsB())), {}};
  return {column, ctas() == 1 ? v.i32(0) : rank};
}

// As wide as a row of staging memory. Without that memory, beside copies along columns, as narrow as those
// are turned: more columns would take registers that nothing is won by.
int ClusterTilePlan::boxColumns() const {
  const bool isOfBlocks = hasColumnCopies && !storesBoxes();
  return std::gcd(isOfBlocks ? int(mx::kResultBlock) : kBoxRowBytes / elementBytes, storeColumns());
}

int ClusterTilePlan::buffers() const {
  if (!storesBoxes() || !hasMatrices) return 0;
  return hasColumnCopies
             ? 1
             : std::gcd(int(tile.getBuffers()), halves() * boxes()); // which take the others' place
}

void ClusterTilePlan::placeStaging(ResultFragment fragment) {
  stagingBytes = storeWarps * buffers() * storeRows * kBoxRowBytes;
  if (stagingBytes) shared.add("staging", stagingBytes, 1024);
  turningBytes = hasColumnCopies ? bytesOfTurning(fragment) : 0;
  if (turningBytes) shared.add("columns", turningBytes, 16);
}

SmallVector<std::string> ClusterTilePlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions;
  if (loadsBoxes()) conditions.push_back("K > 0");
  if (op.hasGroups() && (loadsBoxes() || storesBoxes()))
    conditions.push_back(llvm::formatv("M <= {0}", kGroupEdge));
  if (ctas() == 2) conditions.push_back("SMs >= 2");
  if (!storesBoxes()) return conditions;
  const bool isQuantized = !mx::quantizedResults(op).empty(); // whose blocks are whole
  conditions.push_back(llvm::formatv("N % {0} == 0", isQuantized ? mx::kResultBlock : 16 / elementBytes));
  return conditions;
}

RingShape ClusterTilePlan::queueOfRecords(int ahead) { return {"tiles", ahead, {kTileRecordBytes}}; }

void ClusterTilePlan::placeRingsAndQueue(SmallVector<RingShape> rings) {
  if (hasQueue()) rings.push_back(queue);
  placeRings(shared, rings);
}

std::string ClusterTilePlan::schedulerRefusal(const Target &target) const {
  if (!takesOver()) return "";
  return llvm::formatv("has scheduler = clc, {0} takes static and counter", target.name).str();
}

std::string ClusterTilePlan::gatherRefusal(const Target &target) const {
  if (!gathersRows || !loadsBoxes()) return "";
  return llvm::formatv("has load = tensor, {0} gathers rows of a with load = element", target.name).str();
}

std::string ClusterTilePlan::instructionRefusal(const Target &target) const {
  if (tile.getMmaK() == mx::InstructionK::OfKind || !target.wideCandidates.empty()) return "";
  return llvm::formatv("has mma_k = 96, which {0} has no instructions for", target.name).str();
}

std::string ClusterTilePlan::rowsRefusal(const Target &target) const {
  if (sharesA()) return llvm::formatv("has share = a, {0} takes b for this block format", target.name).str();
  if (ctaColumns() < kLeastColumns)
    return llvm::formatv("has n = {0}, {1} takes {2} and up for this block format{3}", tile.getN(),
                         target.name, kLeastColumns * parts, parts == 1 ? "" : " and two parts")
        .str();
  if (parts == 1 && ctaColumns() % kLeastColumns)
    return llvm::formatv("has n = {0}, {1} takes multiples of {2} for this block format", tile.getN(),
                         target.name, kLeastColumns)
        .str();
  if (ctaRows() == kCtaRows) return "";
  return llvm::formatv("has m = {0} with ctas = {1}, {2} takes {3} a CTA for this block format", tile.getM(),
                       ctas(), target.name, kCtaRows)
      .str();
}

void ClusterTilePlan::alignQuantized(mx::ProductOpInterface op, const KernelSignature &signature,
                                     AbiVariant &variant) const {
  if (!storesBoxes()) return;
  for (const mx::QuantizedCopy &copy : mx::quantizedResults(op))
    if (copy.axis == mx::Axis::Row) variant.alignments.push_back({signature.argument(copy.data).name, 16});
}

void ClusterTilePlan::alignInputPairs(mx::ProductOpInterface op, const KernelSignature &signature,
                                      AbiVariant &variant) const {
  if (!storesBoxes()) return;
  for (Value input : op.getWith())
    if (auto type = cast<MemRefType>(input.getType()); type.getShape().back() != 1)
      variant.alignments.push_back(
          {signature.argument(input).name, mx::storageBytes(type.getElementType(), 2)});
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
  Value groups = e.kOrder;
  if (e.op.isRaggedK()) schedule = mx::KGroupScheduleAttr::get(schedule.getContext(), tile.getSupergroup());
  if (e.hasGroups()) {
    schedule = mx::GroupScheduleAttr::get(schedule.getContext(), tile.getSupergroup(),
                                          unsigned(e.op.getGroupAlignment()));
    groups = e.function.pointer(e.nameOf(e.op.getEnds()));
  }
  return {.m = int(tile.getM()),
          .n = columns(),
          .ctas = ctas(),
          .sharesA = sharesA(),
          .schedule = schedule,
          .rows = v.ceilDivu(e.m, tile.getM()),
          .columns = v.ceilDivu(e.n, columns()),
          .groups = groups};
}

ResultSink ClusterTilePlan::sink(const ProductEntry &e, ResultFragment fragment) const {
  ResultSink sink = e.sink(fragment);
  sink.store = tile.getStore();
  sink.buffers = buffers();
  if (!hasColumnCopies) return sink;
  if (!e.hasCompactGroups()) sink.rowsOfCopies = e.m;
  sink.scaleRowsOfCopies = e.scaleRowsA(e.function.values());
  return sink;
}

Value ClusterTilePlan::staging(const ValueBuilder &v) const {
  if (!stagingBytes) return {};
  return mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), "staging", stagingBytes,
                              1024);
}

Value ClusterTilePlan::turning(const ValueBuilder &v) const {
  if (!turningBytes) return {};
  return mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), "columns", turningBytes,
                              16);
}

} // namespace mxc
