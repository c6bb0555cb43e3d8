#include "compiler/lowering/product/plan/ClusterTilePlan.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/TilesByNumber.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;

namespace mxc {

ClusterTilePlan::ClusterTilePlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, ResultFragment fragment,
                                 int storeWarps, int storeRows, int columnWarps)
    : tile(tile), matrices(int(op.getPartCount())), gathersRows(bool(op.getGather())),
      elementBytes(bytesOfResult(op)), hasMatrices(!mx::matrixResults(op).empty()),
      hasColumnCopies(llvm::any_of(mx::quantizedResults(op),
                                   [](const auto &copy) { return copy.axis == mx::Axis::Column; })),
      storeWarps(storeWarps), storeRows(storeRows), columnWarps(columnWarps), fragment(fragment) {}

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

void ClusterTilePlan::placeStaging() {
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

SmallVector<RingShape> ClusterTilePlan::rings() const {
  SmallVector<RingShape> rings = {operands};
  if (hasQueue()) rings.push_back(queue);
  return rings;
}

SmallVector<OperandBox> ClusterTilePlan::operandBoxes() const {
  return loadsBoxes() ? operands.boxes : SmallVector<OperandBox>();
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
                         target.name, kLeastColumns * matrices, matrices == 1 ? "" : " and two parts")
        .str();
  if (matrices == 1 && ctaColumns() % kLeastColumns)
    return llvm::formatv("has n = {0}, {1} takes multiples of {2} for this block format", tile.getN(),
                         target.name, kLeastColumns)
        .str();
  if (ctaRows() == kCtaRows) return "";
  return llvm::formatv("has m = {0} with ctas = {1}, {2} takes {3} a CTA for this block format", tile.getM(),
                       ctas(), target.name, kCtaRows)
      .str();
}

std::string ClusterTilePlan::sharedRefusal(const Target &target) const {
  if (shared.bytes() <= target.maxSharedBytes) return "";
  return llvm::formatv("needs {0} bytes of shared memory ({1}), {2} gives a CTA {3}", shared.bytes(),
                       shared.sum(), target.name, target.maxSharedBytes)
      .str();
}

// What stores by tensor maps ask of the copies that are quantized, and of the epilogue's further inputs: of a
// lane's row they are loaded by pieces of 16 bytes, else by pairs of columns.
void ClusterTilePlan::alignInputs(mx::ProductOpInterface op, const KernelSignature &signature,
                                  AbiVariant &variant) const {
  if (!storesBoxes()) return;
  for (Value input : op.getWith()) {
    auto type = cast<MemRefType>(input.getType());
    if (type.getShape().back() == 1) continue;
    const bool areRows = fragment == ResultFragment::Row;
    variant.alignments.push_back(
        {signature.argument(input).name, areRows ? 16 : mx::storageBytes(type.getElementType(), 2)});
  }
  for (const mx::QuantizedCopy &copy : mx::quantizedResults(op))
    if (copy.axis == mx::Axis::Row) variant.alignments.push_back({signature.argument(copy.data).name, 16});
}

ShapeExpression ClusterTilePlan::pieces(const ProductExtents &at) const {
  ShapeExpression pieces = at.tiles(tile.getM(), columns());
  return tile.getSlices() > 1 ? pieces * tile.getSlices() : pieces;
}

void ClusterTilePlan::complete(mx::ProductOpInterface op, const KernelSignature &signature,
                               EntryPlan &entry) const {
  AbiVariant &variant = entry.variant;
  if (storesBoxes())
    for (TensorMapRecipe &map : resultMaps(op, signature, storeRows)) {
      narrow(map);
      variant.alignments.push_back({map.argument, mapAlignment(map.type)});
      entry.maps.push_back(std::move(map));
    }
  alignInputs(op, signature, variant);
  if (tile.getSlices() > 1)
    llvm::append_range(entry.workspaces, ArrayRef{kSliceSums.str(), kSliceArrivals.str()});
  if (handsOut()) entry.workspaces.push_back(kTileCounter.str());
  const ShapeExpression count = pieces(ProductExtents(op, signature));
  variant.tile = tile.getText();
  variant.grid[0] = takesOver()   ? ctas() * count
                    : ctas() == 1 ? min(count, "SMs")
                                  : 2 * min(count, ShapeExpression("SMs") / 2);
  variant.grid[1] = variant.grid[2] = 1;
  variant.cluster[0] = ctas();
  variant.block[0] = 32 * pipeline().warps;
  finish(op, signature, entry);
}

static Value sharedRegion(const ValueBuilder &v, StringRef name, int64_t bytes, int64_t alignment) {
  if (!bytes) return {};
  return mx::SharedOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), name, bytes, alignment);
}

void ClusterTilePlan::emitBody(mx::ProductOpInterface op, const KernelSignature &signature,
                               EntryFunction &function, ArrayRef<Value> created) const {
  ValueBuilder v = function.values();
  Value staging = sharedRegion(v, "staging", stagingBytes, 1024),
        turning = sharedRegion(v, "columns", turningBytes, 16);
  ProductEntry e(op, signature, function, orders(v));
  TileEntry entry{e, *this, tiles(e), sink(e), {}};
  for (auto [shape, ring] : llvm::zip(rings(), created))
    entry.rings[shape.name] = ring;
  entry.tiles.queue = entry.ring("tiles"), entry.tiles.answers = entry.ring("answers");
  entry.results.staging = staging, entry.results.turning = turning;
  emitRoles(entry);
  if (hasQueue()) emitHandOut(e, entry.tiles, scheduleWarp());
}

// `tile`'s own order where a launch has one product, else group by group.
ProductTiles ClusterTilePlan::tiles(ProductEntry &e) const {
  ValueBuilder v = e.function.values();
  MLIRContext *context = tile.getContext();
  Attribute schedule = mx::StaticScheduleAttr::get(context, tile.getSupergroup(), tile.getSlices());
  Value groups = e.kOrder;
  if (e.op.isRaggedK()) schedule = mx::KGroupScheduleAttr::get(context, tile.getSupergroup());
  if (e.hasGroups()) {
    schedule = mx::GroupScheduleAttr::get(context, tile.getSupergroup(), unsigned(e.op.getGroupAlignment()));
    groups = e.function.pointer(e.nameOf(e.op.getEnds()));
  }
  return {.m = int(tile.getM()),
          .n = columns(),
          .ctas = ctas(),
          .sharesA = sharesA(),
          .schedule = schedule,
          .rows = v.ceilDivu(e.m, tile.getM()),
          .columns = v.ceilDivu(e.n, columns()),
          .groups = groups,
          .stepK = stepK()};
}

ResultSink ClusterTilePlan::sink(const ProductEntry &e) const {
  ResultSink sink = e.sink(fragment);
  sink.store = tile.getStore();
  sink.buffers = buffers();
  if (!hasColumnCopies) return sink;
  if (!e.hasCompactGroups()) sink.rowsOfCopies = e.m;
  sink.scaleRowsOfCopies = e.scaleRowsA(e.function.values());
  return sink;
}

} // namespace mxc
